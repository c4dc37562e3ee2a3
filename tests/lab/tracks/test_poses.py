"""Poses in the files of five programs, written by the package movement itself and opened by it.

It is not in the development group: its sixty packages would double the installation of every check. Run this file
where ``pip install ".[tracks]"`` was run.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from murmura.core.errors import ScenarioError
from murmura.lab.tracks.tracks import read_tracks

from .shoals import circling
from .test_arrays import same_places

pytest.importorskip("movement")
pytestmark = pytest.mark.filterwarnings("ignore")  # those of the packages that write and open
PLACES = circling()
ONE = PLACES[:, :1]


@pytest.fixture
def poses() -> Any:
    """The animals as a dataset of movement: a head, and a tail 2 farther along x."""
    from movement.io import load_poses

    points = np.stack([PLACES, PLACES + np.array([2.0, 0.0])], axis=2)  # time, animal, keypoint, space
    names = [f"fish{k}" for k in range(PLACES.shape[1])]
    return load_poses.from_numpy(
        points.transpose(0, 3, 2, 1),
        np.ones(points.shape[:3]).transpose(0, 2, 1),
        names,
        ["head", "tail"],
        fps=10,
    )


@pytest.mark.parametrize("name", ["t.h5", "t.csv"])
def test_deeplabcut(poses: Any, tmp_path: Path, name: str):
    from movement.io import save_poses

    save_poses.to_dlc_file(poses, tmp_path / name, split_individuals=False)
    found = read_tracks(tmp_path / name, source="deeplabcut", fps=10.0)
    assert same_places(found)
    assert "the mean of its visible keypoints (head, tail)" in found.report["notes"][0]
    assert same_places(read_tracks(tmp_path / name, source="DeepLabCut", fps=10.0, keypoint="tail"))


def test_lightning_pose(poses: Any, tmp_path: Path):
    from movement.io import save_poses

    save_poses.to_lp_file(poses, tmp_path / "t.csv")  # one file for each animal, as LightningPose does
    assert same_places(read_tracks(tmp_path / "t_fish0.csv", source="LightningPose", fps=10.0), ONE)


def test_sleap(poses: Any, tmp_path: Path):
    from movement.io import save_poses

    save_poses.to_sleap_analysis_file(poses, tmp_path / "t.h5")
    assert same_places(read_tracks(tmp_path / "t.h5", source="SLEAP", fps=10.0))


def test_nwb_knows_its_own_clock(poses: Any, tmp_path: Path):
    from movement.io import save_poses
    from movement.io.nwb import NWBFileSaveConfig
    from pynwb import NWBHDF5IO

    facts = {"session_start_time": datetime(2026, 1, 1, tzinfo=UTC), "session_description": "a shoal"}
    first = poses.isel({next(dim for dim in poses.dims if dim.startswith("individual")): [0]})
    written = save_poses.to_nwb_file(first, NWBFileSaveConfig(nwbfile_kwargs=facts))
    with NWBHDF5IO(str(tmp_path / "t.nwb"), "w") as file:
        file.write(written if not isinstance(written, list) else written[0])
    found = read_tracks(tmp_path / "t.nwb", source="NWB")
    assert found.fps == pytest.approx(10.0)
    assert same_places(found, ONE)


def test_anipose_has_a_third_coordinate(tmp_path: Path):
    """Only Anipose writes these: the columns of its `pose-3d` tables."""
    names = [f"head_{end}" for end in ("x", "y", "z", "error", "ncams", "score")]
    names += [f"M_{k}{n}" for k in range(3) for n in range(3)] + [f"center_{k}" for k in range(3)] + ["fnum"]
    rows = [[x, y, 0.1 * k, 0.5, 3, 0.9, *[0.0] * 12, k] for k, (x, y) in enumerate(ONE[:, 0].tolist())]
    lines = [",".join(map(str, row)) for row in [names, *rows]]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    found = read_tracks(tmp_path / "t.csv", source="Anipose", fps=10.0)
    assert found.positions.shape[-1] == 3
    assert same_places(found, np.concatenate([ONE, 0.1 * np.arange(len(ONE))[:, None, None]], axis=2))


def test_mistakes_are_named(poses: Any, tmp_path: Path):
    from movement.io import save_poses

    save_poses.to_dlc_file(poses, tmp_path / "t.csv", split_individuals=False)
    with pytest.raises(ScenarioError, match=r"no keypoint 'tial' \(did you mean 'tail'\?\)"):
        read_tracks(tmp_path / "t.csv", source="DeepLabCut", fps=10.0, keypoint="tial")
    with pytest.raises(ScenarioError, match="--from takes DeepLabCut"):
        read_tracks(tmp_path / "t.csv", source="Deepcut", fps=10.0)
    with pytest.raises(ScenarioError, match="movement cannot open it as SLEAP"):
        read_tracks(tmp_path / "t.csv", source="SLEAP", fps=10.0)
