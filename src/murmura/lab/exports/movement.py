"""A netCDF file as the package movement keeps poses: one keypoint, an individual for each agent."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from murmura.core.errors import ScenarioError
from murmura.core.extras import needs
from murmura.lab.exports.tables import dataset
from murmura.lab.runs.run import Run


def write_movement(run: Run, paths: list[Path], progress: Callable[[int, int], None]) -> None:
    with needs("analysis"):
        import xarray

    whole = dataset(run)
    times = whole.time.to_numpy()
    strides = np.diff(times)
    if len(times) < 2 or not np.allclose(strides, strides[0], rtol=1e-6):
        raise ScenarioError(
            f"movement wants frames at equal intervals, and {run.folder} has "
            f"{'fewer than two' if len(times) < 2 else 'others'}: record it with --every"
        )
    positions = whole.position.transpose("step", "axis", "agent").to_numpy()[:, :, None, :]
    names = [f"id_{agent}" for agent in whole.agent.to_numpy()]
    found = xarray.Dataset(
        {
            "position": (("time", "space", "keypoints", "individuals"), positions),
            "confidence": (("time", "keypoints", "individuals"), np.full_like(positions[:, 0], np.nan)),
        },
        {"time": times, "space": whole.axis.to_numpy(), "keypoints": ["centroid"], "individuals": names},
        {
            "source_software": "murmura",
            "source_file": str(run.folder.name),
            "ds_type": "poses",
            "fps": float(1.0 / strides[0]),
            "time_unit": "seconds",
        },
    )
    found.to_netcdf(paths[0], engine="scipy")
    progress(len(times), len(times))
