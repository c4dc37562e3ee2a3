"""Poses of DeepLabCut, SLEAP, LightningPose, Anipose and NWB, read with the package `movement`.

The position of an animal is the mean of its visible keypoints, or one of them.
"""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from murmura.core.errors import ScenarioError, nearest
from murmura.core.extras import needs
from murmura.lab.tracks.raw import RawTracks, bad_track, from_array

PROGRAMS = ("DeepLabCut", "SLEAP", "LightningPose", "Anipose", "NWB")


def read_poses(file: Path, program: str, fps: float | None, keypoint: str | None) -> RawTracks:
    """Read tracks from a file of poses.

    Args:
        file: The file.
        program: The program that wrote it, one of `PROGRAMS`.
        fps: Frames per second, if the file does not contain them.
        keypoint: The keypoint used as position; by default the mean of all visible ones.
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
    except Exception as error:  # readers of a dozen formats, each with its own errors
        raise bad_track(file, f"movement cannot open it as {program}: {str(error).splitlines()[0]}") from None
    dims = found["position"].dims
    # Earlier versions of movement call these dimensions individuals and keypoints.
    named = [next((dim for dim in dims if dim.startswith(word)), word) for word in ("individual", "keypoint")]
    if not {"time", "space", *named} <= set(dims):
        raise bad_track(
            file, f"expected positions by time, animal and keypoint, got {', '.join(map(str, dims))}"
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
        note = f"the position of an animal is its keypoint {keypoint}"
    else:
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", RuntimeWarning
            )  # the mean of nothing, which is NaN as it should be
            centers = np.nanmean(values, axis=2)
        note = f"the position of an animal is the mean of its visible keypoints ({', '.join(names)})"
    rate = found.attrs.get("fps") or fps
    rate = float(rate) if rate is not None and math.isfinite(float(rate)) else None
    labels = [str(name) for name in places[people].values]
    return from_array(str(file), centers, labels, fps=rate, notes=[note])
