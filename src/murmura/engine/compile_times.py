"""How long kernels take to compile on this machine, so that whoever waits for one can be told how far it is.

A compiler does not say how far it is. But its time grows with the number of rules, and how fast a machine is it has
shown before: each compilation leaves its seconds per rule in a small file beside the kernels.
"""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

from murmura.compute.machine import cache_folder
from murmura.scenario import Scenario

SECONDS_PER_RULE = 0.6  # where none has been compiled yet: a laptop of 2024
KEPT = 5  # compilations that the expectation is the median of


def expected_seconds(scenario: Scenario) -> float:
    """What compiling the kernel of a scenario will probably take on this machine [s]."""
    seen = sorted(_seen())
    return _rules(scenario) * (seen[len(seen) // 2] if seen else SECONDS_PER_RULE)


def note_compilation(scenario: Scenario, seconds: float) -> None:
    """Remember what one took. Where nothing can be written, nothing is remembered."""
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
