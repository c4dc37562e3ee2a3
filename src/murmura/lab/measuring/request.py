"""What can be asked for when runs are measured over time, in Python and by `murmura measure`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from murmura.core.request import Request, argument, option

if TYPE_CHECKING:
    from murmura.lab.runs.run import Run


@dataclass(frozen=True)
class MeasureRequest(Request):
    """Measures over time of a run, or of several runs of one scenario."""

    run: Run | str | Path | Sequence[Run | str | Path]
    names: Iterable[str] | None = option(
        None,
        "Measures over time, or of an instant, separated by commas; by default all (docs/measures.md).",
        "--measure",
        str | None,
    )
    _: KW_ONLY
    discard: float | None = option(
        None,
        "Time at the beginning that does not count [s]; by default until the run is in equilibrium, which is detected; "
        "of a sweep, its own.",
    )
    every: int = option(1, "Use only every n-th frame.")
    progress: Callable[[int, int], None] | None = argument(
        None, "Called with the number of frames read and their total."
    )
