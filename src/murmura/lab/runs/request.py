"""What can be asked for when a run is recorded, in Python and by `murmura run`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from murmura.core.request import Request, names_in, option

CHECKPOINT_EVERY = "30s"


@dataclass(frozen=True)
class RunRequest(Request):
    """How many steps to record, where, and what of them."""

    steps: int
    folder: Path
    every: int = option(100, "Steps between frames, and between lines of metrics.")
    columns: Sequence[str] = option(
        (),
        "Columns to record besides position, velocity, species and id, such as energy,panic. May be repeated.",
        typed=list[str] | None,
    )
    metrics_every: int | None = option(
        None, "Steps between lines with all measures; by default they take at most a fifth of the run's time."
    )
    measures: Sequence[str] | None = option(
        None,
        "Measures to compute for every frame, separated by commas; by default all that suit the scenario, costly ones "
        "less often.",
        "--measure",
        str | None,
    )
    checkpoint_every: str = option(CHECKPOINT_EVERY, "Steps or time between checkpoints: 500, 30s, 5min.")
    rule_files: Sequence[str] = ()
    """Files with user-defined rules, for error messages when they are missing."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", names_in(self.columns))
        if self.measures is not None:
            object.__setattr__(self, "measures", names_in(self.measures))
