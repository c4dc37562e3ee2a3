"""What can be asked for when tracks are read, in Python and by `murmura tracks`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path

from murmura.core.request import Idle, Request, argument, option

TABLES = (".csv", ".tsv", ".txt", ".parquet")


def listed(files: str | Path | Sequence[str | Path]) -> list[Path]:
    """One file or several as a list."""
    return [Path(file) for file in ([files] if isinstance(files, str | Path) else files)]


def _all_end_in(files: str | Path | Sequence[str | Path], *endings: str) -> bool:
    return all(file.suffix.lower() in endings for file in listed(files))


@dataclass(frozen=True)
class TracksRequest(Request):
    """Which files of tracks to read, and how."""

    files: str | Path | Sequence[str | Path]
    _: KW_ONLY
    fps: float | None = option(None, "Frames per second, if the file does not contain them.")
    scale: float | str = option(
        "1", "File units (pixels) per u; `body` means the body length in the file.", typed=str
    )
    arena: str | None = option(
        None,
        "box, circle (both found), box:X0,Y0,X1,Y1, circle:X,Y,R, polygon:X,Y,... in file units, or file; by default "
        "the border in the file, or the box around all positions.",
    )
    fill: int = option(5, "Fill gaps up to this many frames by linear interpolation.")
    smooth: int = option(0, "Window of the Savitzky-Golay filter in frames, odd; 0: none.")
    order: int = option(2, "Degree of its polynomial.")
    radius: float | None = option(
        None,
        "Greatest distance of neighbours in measures [u]; by default three times the median distance to the nearest "
        "neighbour.",
    )
    columns: Mapping[str, str] | Sequence[str] | None = option(
        None,
        "Columns of a table: ROLE=NAME, where ROLE is frame, time, id, x, y or z.",
        typed=list[str] | None,
    )
    source: str | None = option(
        None, "DeepLabCut, SLEAP, LightningPose, Anipose or NWB: read with the package movement.", "--from"
    )
    keypoint: str | None = option(
        None, "For poses, the keypoint used as position; by default the mean of all visible ones."
    )
    max_speed: float | None = option(None, "Moves faster than this count as jumps [u/s].")
    flip: bool = option(False, "Flip y, which grows upwards in the file; here it grows downwards.")
    trust_pickle: bool = option(False, "Load Python objects from .npy, which executes any code in them.")

    idle = (
        Idle("order", lambda given: not given.smooth, "nothing is smoothed: add --smooth WINDOW"),
        Idle("keypoint", lambda given: given.source is None, "it is for poses, which --from PROGRAM reads"),
        Idle(
            "columns",
            lambda given: given.source is not None or not _all_end_in(given.files, *TABLES),
            f"it names the columns of a table ({', '.join(TABLES)})",
        ),
        Idle(
            "trust_pickle",
            lambda given: given.source is not None or not _all_end_in(given.files, ".npy"),
            "only .npy files can contain Python objects",
        ),
    )


@dataclass(frozen=True)
class LoadRequest(TracksRequest):
    """Which files of tracks to store as a run, and where."""

    out: str | Path
    _: KW_ONLY
    progress: Callable[[int, int], None] | None = argument(
        None, "Called now and then with the number of frames written and their total."
    )
