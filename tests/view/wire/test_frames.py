"""Frames, decoded by the documented offsets and compared with the simulation."""

from __future__ import annotations

import numpy as np
import pytest

import murmura as mm
from murmura.view.wire import frames
from tests.view.live import Frame, flock


def simulation(name: str = "classic", agents: int = 150, steps: int = 3, **values: object) -> mm.Simulation:
    scenario = mm.load_scenario(name).with_values({"agents": agents} | values)
    found = mm.Simulation(scenario, 4, "reference")
    found.step(steps)
    return found


@pytest.mark.parametrize("name", ["classic", "starlings", "mixed", "roadmap"])
def test_a_frame_shows_the_flock(name: str):
    sim = simulation(name)
    frame = Frame(frames.encode(sim, epoch=5))
    world = sim.scenario.world
    assert (frame.step, frame.count, frame.total, frame.epoch, frame.stride) == (3, 150, 150, 5, 1)
    assert (frame.left, frame.top) == (0.0, 0.0)
    assert (frame.width, frame.height) == pytest.approx((world.width, world.height))
    assert frame.wraps == (world.boundary == "wrap")
    assert frame.time_step == pytest.approx(1 / 60)
    step = np.array([world.width, world.height]) / 65535.0
    assert (np.abs(frame.positions - sim.positions) <= 1.01 * step + 1e-4).all()
    velocities = sim.velocities.astype(np.float64)
    turn = frame.headings - np.arctan2(velocities[:, 1], velocities[:, 0])
    assert (np.abs((turn + np.pi) % (2.0 * np.pi) - np.pi) <= 1.01 * np.pi / 256.0).all()
    assert (np.abs(frame.speeds - np.hypot(*velocities.T)) <= frame.fastest / 255.0 + 1e-4).all()
    assert (frame.species == sim.column("species")).all()
    if name == "mixed":
        assert len(set(frame.species)) == 4


def test_the_fastest_bird_fits_into_its_byte():
    """Panic makes birds 1.5 times as fast (S0-107): the scale must cover that."""
    sim = simulation("starlings", agents=20)
    frame = Frame(frames.encode(sim, epoch=0))
    assert frame.fastest >= 1.5 * sim.scenario.motion.max_speed
    sim.state["velocity_x"][:] = 100.0 * frame.fastest
    assert Frame(frames.encode(sim, epoch=0)).speeds == pytest.approx(frame.fastest)


@pytest.mark.parametrize(
    ("extra", "column", "number", "most"),
    [("density", "local_density", 0, 60.0), ("panic", "panic_level", 1, 1.0), ("energy", "energy", 2, 1.0)],
)
def test_byte_seven_holds_the_column_that_was_asked_for(extra: str, column: str, number: int, most: float):
    sim = simulation(agents=101)
    values = np.linspace(0.0, most, 101)
    sim.state[column][:] = values
    frame = Frame(frames.encode(sim, 0, extra))
    assert frame.column == number
    assert (np.abs(frame.extra - values) <= most / 255.0 + 1e-6).all()
    sim.state[column][:] = 3.0 * most
    assert (Frame(frames.encode(sim, 0, extra)).extra == most).all()


# S0-46
def test_density_is_how_many_neighbours_were_seen():
    sim = simulation(agents=200, steps=0)
    counted = [len(sim.neighbors(k)) for k in range(200)]
    sim.step()
    frame = Frame(frames.encode(sim, 0, "density"))
    assert max(counted) > 3
    assert (np.abs(frame.extra - counted) <= 60.0 / 255.0 + 1e-6).all()


@pytest.mark.parametrize(("most", "stride"), [(1000, 1), (100, 2), (99, 3), (61, 4), (1, 200)])
def test_of_large_flocks_every_nth_agent_by_id_is_sent(
    most: int, stride: int, monkeypatch: pytest.MonkeyPatch
):
    sim = simulation(agents=200)
    monkeypatch.setattr(frames, "MOST_SENT", most)
    frame = Frame(frames.encode(sim, 0))
    assert (frame.stride, frame.total) == (stride, 200)
    assert frame.count == len(range(0, 200, stride)) <= most
    step = np.array([frame.width, frame.height]) / 65535.0
    assert (np.abs(frame.positions - sim.positions[::stride]) <= 1.01 * step + 1e-4).all()


def test_two_hundred_thousand_is_the_most_that_is_sent():
    assert frames.MOST_SENT == 200_000


def test_an_open_world_is_shown_as_far_as_anybody_has_flown():
    rng = np.random.default_rng(3)
    places = rng.uniform(-5000.0, 9000.0, (80, 2))
    scenario = flock(80).with_values({"world.boundary": "open"})
    sim = mm.Simulation(scenario, 1, "reference", positions=places, velocities=rng.normal(0, 1, (80, 2)))
    frame = Frame(frames.encode(sim, 0))
    assert frame.wraps == 0
    assert (frame.left, frame.top) == pytest.approx(tuple(places.min(axis=0)), rel=1e-6)
    assert (frame.width, frame.height) == pytest.approx(tuple(np.ptp(places, axis=0)), rel=1e-6)
    step = np.array([frame.width, frame.height]) / 65535.0
    assert (np.abs(frame.positions - places) <= 1.01 * step + 2e-3).all()


@pytest.mark.parametrize("agents", [0, 1])
@pytest.mark.parametrize("boundary", ["wrap", "open"])
def test_nobody_and_a_single_agent_make_a_frame(agents: int, boundary: str):
    sim = mm.Simulation(flock(agents).with_values({"world.boundary": boundary}), 1, "reference")
    frame = Frame(frames.encode(sim, 0))
    assert (frame.count, frame.total, frame.stride) == (agents, agents, 1)
    assert frame.width > 0.0 and frame.height > 0.0
    assert frame.positions == pytest.approx(sim.positions, abs=0.1)


def test_a_frame_follows_births_and_deaths():
    sim = simulation(agents=50)
    sim.remove_agents([3, 7, 49])
    sim.add_agents([[10.0, 20.0]], [[1.0, 0.0]])
    frame = Frame(frames.encode(sim, 0))
    assert frame.count == 48
    assert frame.positions[-1] == pytest.approx([10.0, 20.0], abs=0.05)
