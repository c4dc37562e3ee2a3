"""What the package `movement` opens: poses of DeepLabCut, SLEAP, LightningPose, Anipose and NWB.

An animal's place is the mean of its keypoints that were seen, or one of them.
"""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from murmura.core.errors import ScenarioError, nearest
from murmura.lab.extras import needs
from murmura.lab.tracks.raw import RawTracks, bad_track, from_array

PROGRAMS = ("DeepLabCut", "SLEAP", "LightningPose", "Anipose", "NWB")


def read_poses(file: Path, program: str, fps: float | None, keypoint: str | None) -> RawTracks:
    """Tracks out of a file of poses.

    Args:
        file: The file.
        program: Who wrote it, one of `PROGRAMS`.
        fps: Frames a second, where the file does not know.
        keypoint: Whose place counts; by default the mean of all that were seen.
    """
    known = {name.lower(): name for name in PROGRAMS}
    if program.lower() not in known:
        raise ScenarioError(
            f"--from takes {', '.join(PROGRAMS)}, got {program!r}{nearest(program.lower(), known)}"
        )
    with needs("tracks"):
        from movement.io import load_dataset
    try:
        found = load_dataset(file, source_software=known[program.lower()], fps=fps)
    except Exception as error:  # readers of a dozen formats, each with errors of its own
        raise bad_track(file, f"movement cannot open it as {program}: {str(error).splitlines()[0]}") from None
    dims = found["position"].dims
    # Earlier versions of movement call these dimensions individuals and keypoints.
    named = [next((dim for dim in dims if dim.startswith(word)), word) for word in ("individual", "keypoint")]
    if not {"time", "space", *named} <= set(dims):
        raise bad_track(
            file, f"expected places by time, animal and keypoint, got {', '.join(map(str, dims))}"
        )
    places = found["position"].transpose("time", *named, "space")
    return _tracks(file, found, places, keypoint, fps)


def _tracks(file: Path, found: Any, places: Any, keypoint: str | None, fps: float | None) -> RawTracks:
    _, people, points, _ = places.dims
    names = [str(name) for name in places[points].values]
    values = np.asarray(places.values, np.float64)
    if keypoint is not None:
        if keypoint not in names:
            raise bad_track(
                file, f"it has no keypoint {keypoint!r}{nearest(keypoint, names)}; it has {', '.join(names)}"
            )
        centers = values[:, :, names.index(keypoint)]
        note = f"an animal's place is its keypoint {keypoint}"
    else:
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", RuntimeWarning
            )  # the mean of nothing, which is NaN as it should be
            centers = np.nanmean(values, axis=2)
        note = f"an animal's place is the mean of its keypoints ({', '.join(names)}) that were seen"
    rate = found.attrs.get("fps") or fps
    rate = float(rate) if rate is not None and math.isfinite(float(rate)) else None
    labels = [str(name) for name in places[people].values]
    return from_array(str(file), centers, labels, fps=rate, notes=[note])
