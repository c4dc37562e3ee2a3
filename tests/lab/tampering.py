"""Tampers with run and sweep folders: with correct checksums."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from murmura.engine.checkpoint import seal
from murmura.lab.files.json_lines import line_of


def forged(path: Path, **changes: Any) -> None:
    """Change values of a manifest and renew its seal."""
    data = json.loads(path.read_text()) | changes
    data = {key: value for key, value in data.items() if key != "seal"}
    path.write_text(json.dumps(data | {"seal": seal(data)}))


def as_killed(folder: Path) -> None:
    """As if the process had been killed while running: frames and lines have not been counted."""
    forged(
        folder / "manifest.json",
        status="running",
        counts={},
        hashes={},
        checkpoints={},
        final_hash=None,
        steps_done=0,
    )


def forged_line(path: Path, number: int, **changes: Any) -> None:
    """Change values in a line, counted from 1, with a correct checksum."""
    lines = path.read_bytes().splitlines(keepends=True)
    row = json.loads(lines[number - 1]) | changes
    del row["crc32"]
    lines[number - 1] = line_of(row)
    path.write_bytes(b"".join(lines))
