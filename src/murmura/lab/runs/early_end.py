"""Tells whether a run was killed before its first checkpoint: then there is nothing to keep, and it starts again."""

from __future__ import annotations

from pathlib import Path

from murmura.core.errors import RunError
from murmura.lab.files.json_lines import raw_lines
from murmura.lab.gsd.reader import GsdReader
from murmura.lab.runs.cadence import FOREVER
from murmura.lab.runs.checkpoints import SLOTS
from murmura.lab.runs.run import EVENTS, METRICS, TRAJECTORY
from murmura.scenario.plain_files import open_plain_file

SMALL = 2**20
"""[bytes] Files of a run that has only just begun are smaller."""


def never_came_far(folder: Path) -> bool:
    """Whether a run was killed before its first checkpoint; its files then contain at most its first step."""
    if any((folder / name).exists() for name in SLOTS):
        return False
    try:
        frames = len(GsdReader(folder / TRAJECTORY))
    except RunError:  # missing or incomplete
        path = folder / TRAJECTORY
        frames = 0 if not path.exists() or path.stat().st_size <= SMALL else FOREVER
    lines = [
        _line_count(path) if path.stat().st_size <= SMALL else FOREVER
        for name in (METRICS, EVENTS)
        if (path := folder / name).exists()
    ]
    return frames <= 1 and all(count <= 1 for count in lines)


def _line_count(path: Path) -> int:
    with open_plain_file(path) as lines:
        return sum(1 for _ in raw_lines(lines))
