"""`murmura tracks`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from murmura.cli.idle_options import refuses_idle
from murmura.cli.options import Json, app, print_facts
from murmura.cli.request_options import options_of
from murmura.lab.progress import Progress
from murmura.lab.tracks.request import TracksRequest

TracksOptions: Any = options_of(TracksRequest)


@app.command
@refuses_idle(*TracksRequest.idle)
def tracks(
    files: list[Path],
    /,
    *,
    out: Annotated[Path, Parameter(help="The folder of the run; new or empty.")],
    options: TracksOptions | None = None,
    as_json: Json = False,
) -> None:
    """Convert tracks of animals into a run that replay, plot, export, render, compare and fit can read.

    Parameters
    ----------
    files
        A table (.csv, .parquet), an array (.npy), idtracker.ai's trajectories, TRex's .npz files, or poses.
    """
    from murmura.lab.tracks.folder import tracks_report
    from murmura.lab.tracks.tracks import load_tracks

    with Progress("frames") as progress:
        run = load_tracks(files, out, progress=progress.update, **(options.arguments if options else {}))
    print_facts(_facts(tracks_report(run) or {}, out), as_json)


def _facts(report: dict[str, Any], out: Path) -> dict[str, Any]:
    """A short report."""
    arena = report["arena"]
    return {
        "animals": len(report["animals"]),
        "frames": report["frames"],
        "seconds": round(report["seconds"], 2),
        "missing": f"{report['missing']:,} of {report['points']:,} points, {report['longest_gap']:,} frames at most",
        "filled": f"{report['filled']:,} points, in gaps up to {report['fill']} frames",
        "left out": f"{report['alone']:,} isolated points",
        "jumped": f"{report['jumped']:,} moves faster than {report['jump_speed']:.3g} u/s",
        "smoothed": "no"
        if not report["smooth"]
        else f"window {report['smooth']}, degree {report['order']}; "
        f"{report['unsmoothed']:,} points in segments too short for it",
        "speed": f"median {report['median_speed']:.3g}, greatest {report['greatest_speed']:.3g} u/s",
        "arena": f"{arena['kind']}, {'found' if arena['found'] else 'given'}; {report['outside']:,} points outside",
        "radius": report["radius"],
        "notes": report["notes"] or "none",
        "run": str(out),
    }
