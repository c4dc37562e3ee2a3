"""Flocks of the scenes of `parity`, with few agents, because a software adapter runs them."""

from __future__ import annotations

import numpy as np

import murmura as mm
from murmura.scenario import Scenario
from tests.cuda.flocks import make_lively
from tests.parity.side_by_side import Comparison

AGENTS = 64


def lively(scenario: Scenario, seed: int = 11) -> mm.Simulation:
    """A varied flock on the device (`cuda.flocks.make_lively`)."""
    sim = mm.Simulation(scenario, seed=seed, backend="webgpu", announce=None)
    state = sim.state.copy()
    make_lively(scenario, state, np.random.default_rng(seed))
    sim.load_state(state)
    return sim


def check(found: Comparison) -> None:
    """Like `Comparison.check`, for flocks too small for shares to be meaningful."""
    assert found.left_out <= max(8, 0.1 * found.agents)
    assert found.not_strict <= max(3, 0.03 * found.agents)
    assert found.median_force_error < 5e-6
