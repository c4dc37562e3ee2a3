"""Which recorded frames become pictures, and interpolation between them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from murmura.core.errors import ScenarioError
from murmura.engine.simulation import Simulation
from murmura.lab.films.camera import middle, unwrapped
from murmura.lab.films.film import Cut
from murmura.lab.films.film_frames import Shot, SimulatedReel, mixed, part_of, shots
from tests.lab.film_scenes import FIELD, crossing, moment
from tests.sizes import size

# No deadline: the duration of an example means nothing on a busy machine.
calmly = settings(max_examples=size(25, 50), deadline=None)
STEPS = st.lists(st.integers(1, 50), min_size=1, max_size=30).map(lambda gaps: np.cumsum(gaps).tolist())


@calmly
@given(STEPS)
def test_without_a_speed_every_frame_is_one_picture(steps: list[int]):
    assert shots(steps, range(len(steps)), None, False) == [Shot(k, k) for k in range(len(steps))]


@calmly
@given(STEPS, st.floats(0.5, 40.0))
def test_with_a_speed_a_picture_shows_the_newest_frame_of_its_time(steps: list[int], stride: float):
    plan = shots(steps, range(len(steps)), stride, False)
    assert all(shot == Shot(shot.first, shot.first) for shot in plan)
    for k, shot in enumerate(plan):
        now = steps[0] + k * stride
        assert steps[shot.first] <= now + 1e-5
        assert shot.first == len(steps) - 1 or steps[shot.first + 1] > now - 1e-5
    assert steps[0] + len(plan) * stride > steps[-1] - 1e-5  # the film reaches the end


@calmly
@given(STEPS, st.floats(0.5, 40.0))
def test_smooth_pictures_lie_exactly_at_their_time(steps: list[int], stride: float):
    for k, shot in enumerate(shots(steps, range(len(steps)), stride, True)):
        now = steps[shot.first] + shot.part * (steps[shot.second] - steps[shot.first])
        assert now == pytest.approx(steps[0] + k * stride, abs=1e-4)


def test_real_time_shows_as_many_seconds_as_passed():
    reel = crossing(61, every=1)  # one second of 60 steps
    assert len(Cut(fps=30.0, speed=1.0).shots(reel)) == 31
    assert len(Cut(fps=30.0, speed=0.5).shots(reel)) == 61
    assert len(Cut(fps=30.0, speed=2.0).shots(reel)) == 16


def test_parts_take_both_ends_in():
    steps = [0, 10, 20, 30]
    assert part_of(steps, 10, 20) == range(1, 3)
    assert part_of(steps, 5, None) == range(1, 4)
    with pytest.raises(
        ScenarioError, match="no frame was recorded from step 11 to 19; recorded: 4 frames from step 0"
    ):
        part_of(steps, 11, 19)
    with pytest.raises(ScenarioError, match="must not be after --to, got 20 and 10"):
        part_of(steps, 20, 10)
    with pytest.raises(ScenarioError, match="nothing was recorded"):
        part_of([], None, None)


def test_between_two_moments_everybody_goes_the_short_way():
    a = moment([[1590.0, 100.0], [500.0, 895.0]], [10.0, 0.0], 0)
    b = moment([[10.0, 100.0], [500.0, 15.0]], [10.0, 4.0], 10)
    half = mixed(a, b, 0.5, FIELD)
    assert half.step == 5
    assert half.positions.tolist() == [[0.0, 100.0], [500.0, 5.0]]
    assert half.velocities.tolist() == [[10.0, 2.0], [10.0, 2.0]]


def test_who_is_born_or_dies_between_two_moments():
    a = replace(moment([[10.0, 10.0], [20.0, 20.0]], [0.0, 0.0], 0), ids=np.array([3, 5]))
    b = replace(moment([[40.0, 20.0], [90.0, 90.0]], [0.0, 0.0], 10), ids=np.array([5, 9]))
    half = mixed(a, b, 0.5, FIELD)
    assert half.ids.tolist() == [3, 5]  # 9 is not born yet
    assert half.positions.tolist() == [[10.0, 10.0], [30.0, 20.0]]
    nobody = replace(moment(np.empty((0, 2)), [0.0, 0.0], 10), ids=np.array([], int))
    assert mixed(a, nobody, 0.5, FIELD).positions.tolist() == a.positions.tolist()
    assert len(mixed(nobody, a, 0.5, FIELD).ids) == 0


def test_a_simulation_is_filmed_at_its_very_steps():
    reel = SimulatedReel(Simulation("classic", seed=5, backend="reference"), 9, 4)
    assert list(reel.steps) == [0, 4, 8]
    twin = Simulation("classic", seed=5, backend="reference")
    for k in (0, 1, 1, 2):
        twin.step(reel.steps[k] - twin.step_count)
        assert np.array_equal(reel[k].positions, twin.positions)
        assert reel[k].step == twin.step_count


def test_the_middle_of_a_flock_on_a_torus():
    assert middle([[1590.0, 450.0], [10.0, 450.0]], FIELD.world)[0] % 1600.0 == pytest.approx(0.0, abs=1e-6)
    near = unwrapped([[1590.0, 890.0], [10.0, 10.0]], FIELD.world, 5.0, 5.0)
    assert near.tolist() == [[-10.0, -10.0], [10.0, 10.0]]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"speed": 0.0}, "speed must be a number"),
        ({"smooth": True}, "--smooth needs --speed"),
        ({"at": 3, "begin": 1}, "use one or the other"),
    ],
)
def test_wrong_cuts_are_refused(wrong: dict[str, object], message: str):
    with pytest.raises(ScenarioError, match=message):
        Cut(**wrong)  # type: ignore[arg-type]
