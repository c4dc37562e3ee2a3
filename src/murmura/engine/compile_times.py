"""Estimates how long a kernel takes to compile on this machine, to show progress.

A compiler reports no progress, but its time grows with the number of rules. Each compilation stores its seconds per
rule in a small file beside the kernels.
"""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

from murmura.compute.machine import cache_folder
from murmura.scenario import Scenario

SECONDS_PER_RULE = 0.6  # until a kernel has been compiled here: a laptop of 2024
KEPT = 5  # the estimate is the median of this many compilations


def expected_seconds(scenario: Scenario) -> float:
    """The expected time to compile the kernel of a scenario on this machine [s]."""
    seen = sorted(_seen())
    return _rules(scenario) * (seen[len(seen) // 2] if seen else SECONDS_PER_RULE)


def note_compilation(scenario: Scenario, seconds: float) -> None:
    """Store the time of a compilation, if the file can be written."""
    seen = [*_seen(), seconds / _rules(scenario)][-KEPT:]
    with contextlib.suppress(OSError):
        _file().write_text(json.dumps(seen), encoding="utf-8")


def _rules(scenario: Scenario) -> int:
    return max(1, sum(rule.enabled for _, rule in scenario.rules))


def _seen() -> list[float]:
    try:
        found = json.loads(_file().read_text(encoding="utf-8"))
        return [float(each) for each in found if 0.0 < float(each) < 1e3][-KEPT:]
    except (OSError, ValueError, TypeError):
        return []


def _file() -> Path:
    return cache_folder() / "seconds-per-rule.json"
