"""The two checkpoints of a run, written alternately: if one is damaged, the other is intact."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from murmura.core.errors import RunError
from murmura.engine import checkpoint
from murmura.engine.checkpoint import Checkpoint
from murmura.engine.simulation import Simulation
from murmura.scenario.plain_files import file_hash

SLOTS = ("checkpoint-A.npz", "checkpoint-B.npz")


class Checkpoints:
    """Writes to the slots alternately, never first to the one that the run continues from."""

    def __init__(self, folder: Path, used: Path | None = None) -> None:
        self._folder = folder
        self.is_empty = used is None
        self._turn = 1 if used is not None and used.name == SLOTS[0] else 0

    def save(self, simulation: Simulation, outputs: dict[str, Any]) -> str:
        """Save a simulation with the marks of its outputs; return the digest of its state."""
        digest = checkpoint.save(simulation, self._folder / SLOTS[self._turn], {"outputs": outputs})
        self._turn, self.is_empty = 1 - self._turn, False
        return digest


def checkpoint_hashes(folder: Path) -> dict[str, str]:
    """The SHA-256 of each checkpoint there is."""
    return {name: file_hash(folder / name) for name in SLOTS if (folder / name).exists()}


def whole_checkpoints(folder: Path, problems: list[str]) -> Iterator[tuple[Path, Checkpoint]]:
    """The intact checkpoints, newest first; errors of the others are added to `problems`."""
    found = []
    for name in SLOTS:
        path = folder / name
        if not path.exists():
            continue
        try:
            found.append((path, checkpoint.load(path)))
        except RunError as error:
            problems.append(str(error))
    yield from sorted(found, key=lambda entry: entry[1].step_count, reverse=True)
