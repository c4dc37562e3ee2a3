"""`murmura tracks`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from murmura.cli.options import Json, Whole, app, print_facts
from murmura.lab.progress import Progress


@app.command
def tracks(
    files: list[Path],
    /,
    *,
    out: Annotated[Path, Parameter(help="The folder of the run; new or empty.")],
    fps: Annotated[
        float | None, Parameter(help="Frames per second, if the file does not contain them.")
    ] = None,
    scale: Annotated[
        str, Parameter(help="File units (pixels) per u; `body` means the body length in the file.")
    ] = "1",
    arena: Annotated[
        str | None,
        Parameter(
            help="box, circle (both found), box:X0,Y0,X1,Y1, circle:X,Y,R, polygon:X,Y,... in file units, or file; by "
            "default the border in the file, or the box around all positions."
        ),
    ] = None,
    fill: Annotated[Whole, Parameter(help="Fill gaps up to this many frames by linear interpolation.")] = 5,
    smooth: Annotated[
        Whole, Parameter(help="Window of the Savitzky-Golay filter in frames, odd; 0: none.")
    ] = 0,
    order: Annotated[Whole, Parameter(help="Degree of its polynomial.")] = 2,
    radius: Annotated[
        float | None, Parameter(help="Greatest distance of neighbours in measures [u].")
    ] = None,
    columns: Annotated[
        list[str] | None,
        Parameter(
            help="Columns of a table: ROLE=NAME, where ROLE is frame, time, id, x, y or z.", negative=""
        ),
    ] = None,
    source: Annotated[
        str | None,
        Parameter(
            name="--from",
            help="DeepLabCut, SLEAP, LightningPose, Anipose or NWB: read with the package movement.",
        ),
    ] = None,
    keypoint: Annotated[
        str | None, Parameter(help="For poses, the keypoint used as position; by default the mean of all.")
    ] = None,
    max_speed: Annotated[float | None, Parameter(help="Moves faster than this count as jumps [u/s].")] = None,
    flip: Annotated[
        bool, Parameter(help="Flip y, which grows upwards in the file; here it grows downwards.", negative="")
    ] = False,
    trust_pickle: Annotated[
        bool, Parameter(help="Load Python objects from .npy, which executes any code in them.", negative="")
    ] = False,
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
        run = load_tracks(
            files, out, progress=progress.update, fps=fps, scale=scale, arena=arena, fill=fill, smooth=smooth,
            order=order, radius=radius, columns=columns, source=source, keypoint=keypoint, max_speed=max_speed,
            flip=flip, trust_pickle=trust_pickle,
        )  # fmt: skip
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
