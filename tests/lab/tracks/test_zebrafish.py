"""Real animals: the zebrafish of trajectorytools, which is also the reference for velocities and measures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import murmura as mm
from murmura.lab.observations import flocks_of_tracks
from murmura.lab.tracks.tracks import Tracks, read_tracks
from murmura.measure import polarization

from .shoals import EIGHT, FIFTEEN, HUNDRED, zebrafish

trajectorytools = pytest.importorskip("trajectorytools")
SOCIAL = pytest.importorskip("trajectorytools.socialcontext")


@pytest.fixture(scope="module")
def eight() -> Tracks:
    return read_tracks(zebrafish(EIGHT), trust_pickle=True, fill=1000)


@pytest.fixture(scope="module")
def judge() -> object:
    return trajectorytools.Trajectories.from_idtrackerai(zebrafish(EIGHT), interpolate_nans=True)


def test_velocities_agree(eight: Tracks, judge: object):
    assert eight.fps == 28.0 and eight.positions.shape == (508, 8, 2)
    # The reference has velocities per frame, and none at both ends.
    seen = eight.present[1:-1]
    expected = judge.v * 28.0  # type: ignore[attr-defined]
    whole = seen & eight.present[2:] & eight.present[:-2]
    np.testing.assert_allclose(eight.velocities[1:-1][whole], expected[whole], atol=1e-9)
    assert whole.mean() > 0.98


def test_polarization_agrees(eight: Tracks, judge: object):
    headings = judge.e  # type: ignore[attr-defined]
    expected = trajectorytools.norm(trajectorytools.collective.polarization(headings))
    found = [polarization(flock) for flock in flocks_of_tracks(eight)][1:-1]
    full = eight.present.all(axis=1)
    whole = full[1:-1] & full[2:] & full[:-2]
    np.testing.assert_allclose(np.array(found)[whole], expected[whole], atol=1e-9)
    assert whole.sum() > 400


def test_nearest_neighbours_agree(eight: Tracks, judge: object):
    places = judge.s  # type: ignore[attr-defined]
    near = SOCIAL.neighbour_indices(places, num_neighbours=1)
    distances = SOCIAL.interindividual_distances(places)
    full = eight.present.all(axis=1)
    for number, flock in list(enumerate(flocks_of_tracks(eight)))[1:-1:25]:
        if not full[number]:
            continue
        found, who = flock.tree.query(flock.positions, k=2)
        assert who[:, 1].tolist() == near[number - 1, :, -1].tolist()
        expected = distances[number - 1, np.arange(8), who[:, 1]]
        np.testing.assert_allclose(found[:, 1], expected, atol=1e-9)


@pytest.mark.parametrize(("name", "animals", "frames"), [(FIFTEEN, 15, 1000), (HUNDRED, 100, 300)])
def test_larger_shoals_are_read(name: str, animals: int, frames: int):
    found = read_tracks(zebrafish(name), fps=32.0, scale=57.0, trust_pickle=True, smooth=7)
    assert found.positions.shape == (frames, animals, 2)
    assert 3.0 < found.report["median_speed"] < 9.0  # body lengths a second
    assert np.isfinite(found.positions[found.present]).all()


def test_eight_zebrafish_as_a_run(tmp_path: Path):
    run = mm.load_tracks(zebrafish(EIGHT), tmp_path / "fish", trust_pickle=True, scale="body", smooth=7)
    assert len(run.frames) == 508 and run.scenario.world.width == pytest.approx(13.5, abs=0.2)
    assert run.verify().is_whole
