"""Gaps, jumps, smoothing and arenas, against answers known by hand and those of trajectorytools."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from murmura.core.errors import ScenarioError
from murmura.lab.tracks.arena import make_arena, smallest_circle
from murmura.lab.tracks.tracks import read_tracks

from .shoals import circling


def kept(folder: Path, places: object) -> Path:
    np.save(folder / "t.npy", np.asarray(places))
    return folder / "t.npy"


def test_gaps_are_filled_up_to_their_length_and_marked(tmp_path: Path):
    places = circling(30)
    places[0, 0] = places[4:7, 0] = places[10:14, 1] = places[29, 2] = np.nan
    found = read_tracks(kept(tmp_path, places), fps=10.0, fill=3)
    filled = np.argwhere(found.filled).tolist()
    assert filled == [[4, 0], [5, 0], [6, 0]]  # neither the longer gap nor one with only one end
    line = np.linspace(found.positions[3, 0], found.positions[7, 0], 5)[1:-1]
    np.testing.assert_allclose(found.positions[4:7, 0], line)
    assert (found.report["missing"], found.report["filled"], found.report["longest_gap"]) == (9, 3, 4)
    assert not found.present[10:14, 1].any() and found.present[14, 1]


def test_a_place_without_one_beside_it_is_left_out_and_counted(tmp_path: Path):
    places = circling(9)
    places[1:4, 0] = places[5:8, 0] = np.nan
    found = read_tracks(kept(tmp_path, places), fps=10.0, fill=0)
    assert found.report["alone"] == 3 and not found.present[:, 0].any()


def test_smoothing_is_exact_on_parabolas_and_velocities_are_its_slope(tmp_path: Path):
    times = np.arange(20) / 10.0
    curve = np.stack([1.0 + 2.0 * times - 3.0 * times**2, 4.0 + times**2], axis=1)[:, None]
    slope = np.stack([2.0 - 6.0 * times, 2.0 * times], axis=1)
    for smooth in (0, 5, 9):
        found = read_tracks(kept(tmp_path, curve), fps=10.0, smooth=smooth)
        inner = slice(None) if smooth else slice(1, -1)  # at the ends, differences are one-sided
        np.testing.assert_allclose(found.velocities[inner, 0], slope[inner], atol=1e-9)
        np.testing.assert_allclose(
            np.diff(found.positions[:, 0], axis=0), np.diff(curve[:, 0], axis=0), atol=1e-9
        )


def test_smoothing_takes_noise_away_and_counts_what_it_could_not_reach(tmp_path: Path):
    places = circling(60, fps=60.0)
    noisy = places + np.random.default_rng(1).normal(0.0, 0.05, places.shape)
    noisy[3:6, 0] = np.nan
    found = read_tracks(kept(tmp_path, noisy), fps=60.0, fill=0, smooth=9)
    assert found.report["unsmoothed"] == 3
    rough = read_tracks(kept(tmp_path, noisy), fps=60.0, fill=0)
    true = np.gradient(places, 1.0 / 60.0, axis=0)[20:40]
    assert np.abs(found.velocities[20:40] - true).mean() < 0.5 * np.abs(rough.velocities[20:40] - true).mean()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"smooth": 4}, "an odd number of at least 3 frames"),
        ({"smooth": 5, "order": 5}, "a degree from 1 to less than the window"),
        ({"fill": -1}, "--fill takes at least 0"),
        ({"fps": 0.0}, "--fps takes a number > 0"),
        ({"scale": "wide"}, "--scale takes a number > 0, or body"),
        ({"scale": "body"}, "does not contain a body length"),
        ({"radius": -1.0}, "--radius takes a number > 0"),
        ({"arena": "ring"}, "--arena takes box"),
        ({"arena": "circle:1,2"}, "--arena takes box"),
        ({"arena": "box:5,5,1,9"}, "from its lower to its higher corner"),
        ({"arena": "circle:1,2,0"}, "a radius > 0"),
        ({"arena": "circle:1,b,0"}, "numbers separated by commas"),
        ({"arena": "file"}, "the file contains no border"),
    ],
)
def test_what_cannot_be_is_refused(tmp_path: Path, options: dict[str, object], words: str):
    with pytest.raises(ScenarioError, match=words):
        read_tracks(kept(tmp_path, circling()), **{"fps": 10.0, **options})  # type: ignore[arg-type]


def test_arenas_hold_whom_they_should(tmp_path: Path):
    places = circling().reshape(-1, 2)
    for text in ("box", "circle", "box:0,0,40,40", "circle:20,10,30", "polygon:0,0,40,0,40,40,0,40"):
        arena = make_arena(text, places, None)
        assert arena.contains(places).all(), text
        assert arena.found == (":" not in text)
        assert not arena.contains(np.array([[-50.0, 3.0], [20.0, 90.0]])).any()
    outside = read_tracks(kept(tmp_path, circling()), fps=10.0, arena="circle:20,10,3.5")
    assert outside.report["outside"] == 2 * 24
    assert (outside.positions >= 0.0).all() and outside.positions[..., 0].max() <= outside.width


def test_the_smallest_circle_is_that_of_miniball():
    miniball = pytest.importorskip("miniball")
    random = np.random.default_rng(5)
    for count in (2, 3, 4, 30, 200):
        places = random.normal(0.0, 10.0, (count, 2))
        center, radius = smallest_circle(places)
        expected = miniball.Miniball(places)
        np.testing.assert_allclose(center, expected.center(), atol=1e-9)
        assert radius**2 == pytest.approx(expected.squared_radius(), rel=1e-12)
