"""Frames of 3-D worlds, decoded by the documented offsets and compared with the simulation."""

from __future__ import annotations

import numpy as np
import pytest

import murmura as mm
from murmura.view.wire import frames
from tests.view.live import Frame

SPACE = {"world.width": 400.0, "world.height": 300.0, "world.depth": 200.0}


def flight(agents: int = 90, steps: int = 2, **values: object) -> mm.Simulation:
    scenario = mm.load_scenario("classic").with_values({"agents": agents} | SPACE | values)
    sim = mm.Simulation(scenario, 4, "reference")
    sim.step(steps)
    return sim


def test_a_frame_shows_the_flock_in_space() -> None:
    sim = flight()
    frame = Frame(frames.encode(sim, epoch=5, roster=9))
    assert (frame.step, frame.count, frame.total, frame.epoch, frame.stride, frame.roster) == (
        2,
        90,
        90,
        5,
        1,
        9,
    )
    assert (frame.width, frame.height, frame.depth, frame.floor) == pytest.approx((400.0, 300.0, 200.0, 0.0))
    step = np.array([400.0, 300.0, 200.0]) / 65535.0
    assert (np.abs(frame.positions - sim.positions) <= 1.01 * step + 1e-4).all()
    speeds = np.linalg.norm(sim.velocities.astype(np.float64), axis=1)
    cosines = (frame.directions * sim.velocities).sum(axis=1) / speeds
    assert np.degrees(np.arccos(np.clip(cosines, -1.0, 1.0))).max() < 1.0
    assert (np.abs(frame.speeds - speeds) <= 0.51 * frame.fastest / 31.0 + 1e-4).all()


def test_every_direction_fits_into_two_bytes() -> None:
    """Poles, the folds of the octahedron and directions all over the sphere, to within a degree."""
    sim = flight(2000, steps=0)
    ahead = np.random.default_rng(5).normal(size=(2000, 3))
    ahead[:6] = [[0, 0, 1], [0, 0, -1], [1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0]]
    for axis, column in zip("xyz", ahead.T, strict=True):
        sim.state[f"velocity_{axis}"][:] = column
    found = Frame(frames.encode(sim, 0)).directions
    cosines = (found * ahead).sum(axis=1) / np.linalg.norm(ahead, axis=1)
    assert np.degrees(np.arccos(np.clip(cosines, -1.0, 1.0))).max() < 1.0


def test_whoever_stands_still_looks_along_its_heading() -> None:
    sim = flight(4, steps=0)
    for axis in "xyz":
        sim.state[f"velocity_{axis}"][:] = 0.0
    sim.state["heading"][:] = [0.0, 1.0, 2.0, -3.0]
    found = Frame(frames.encode(sim, 0)).directions
    assert np.arctan2(found[:, 1], found[:, 0]) == pytest.approx([0.0, 1.0, 2.0, -3.0], abs=0.02)
    assert found[:, 2] == pytest.approx(0.0, abs=0.02)


def test_the_roll_of_a_flock_that_banks_is_its_column() -> None:
    sim = flight(31, **{"rules.banking.enabled": True})
    sim.state["roll"][:] = np.linspace(-np.pi / 2, np.pi / 2, 31)
    found = Frame(frames.encode(sim, 0)).rolls
    assert np.abs(found - sim.state["roll"]).max() <= 0.51 * np.pi / 31


def test_where_nobody_banks_a_turn_leans_to_its_own_side() -> None:
    sim = flight(3, steps=0)
    for name, values in {
        "velocity_x": [5, 5, 0],
        "velocity_y": [0, 0, 5],
        "acceleration_y": [0.3, -0.3, 0],
    }.items():
        sim.state[name][:] = values
    sim.state["acceleration_x"][:] = [0.0, 0.0, 0.3]
    sim.state["velocity_z"][:] = 0.0
    left, right, right_too = Frame(frames.encode(sim, 0)).rolls
    assert left > 0.2 and right < -0.2 and right_too < -0.2


@pytest.mark.parametrize(
    ("edges", "wraps"), [(("wrap", None), (1, 1)), (("wrap", "soft"), (1, 0)), (("soft", "wrap"), (0, 1))]
)
def test_a_frame_says_which_axes_wrap(edges: tuple[str, str | None], wraps: tuple[int, int]) -> None:
    sim = flight(5, **{"world.boundary": edges[0], "world.boundary_z": edges[1]})
    frame = Frame(frames.encode(sim, 0))
    assert (frame.wraps, frame.wraps_z) == wraps


def test_an_open_sky_is_shown_as_high_as_anybody_has_flown() -> None:
    sim = flight(40, steps=0, **{"world.boundary_z": "open"})
    sim.state["position_z"][:] = np.linspace(-900.0, 4100.0, 40)
    frame = Frame(frames.encode(sim, 0))
    assert (frame.floor, frame.depth, frame.width) == pytest.approx((-900.0, 5000.0, 400.0))
    assert frame.positions[:, 2] == pytest.approx(sim.positions[:, 2], abs=0.1)


def test_large_flocks_in_space_are_thinned_out_by_id(monkeypatch: pytest.MonkeyPatch) -> None:
    sim = flight(50)
    monkeypatch.setattr(frames, "MOST_SENT", 20)
    frame = Frame(frames.encode(sim, 0))
    assert (frame.stride, frame.count, frame.total) == (3, 17, 50)
    assert frame.positions == pytest.approx(sim.positions[::3], abs=0.01)


@pytest.mark.parametrize("agents", [0, 1])
def test_nobody_and_a_single_agent_make_a_frame(agents: int) -> None:
    frame = Frame(frames.encode(flight(agents), 0))
    assert (frame.count, frame.total) == (agents, agents)


def test_an_agent_in_space_takes_eleven_bytes() -> None:
    sizes = [len(frames.encode(flight(agents, steps=0), 0)) for agents in (0, 1)]
    assert sizes[1] - sizes[0] == 11
