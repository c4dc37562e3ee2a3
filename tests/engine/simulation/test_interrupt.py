"""Ctrl-C during `step` leaves a consistent state with the right step count."""

from __future__ import annotations

import signal

import pytest

import murmura as mm


@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupted_run_stays_consistent(threads: int) -> None:
    sim = mm.Simulation("classic", seed=4, backend="cpu", threads=threads)
    sim.step(1)
    old = signal.signal(signal.SIGPROF, signal.default_int_handler)
    try:
        signal.setitimer(
            signal.ITIMER_PROF, 0.15
        )  # of processor time: on a busy machine it may wait before it steps
        with pytest.raises(KeyboardInterrupt):
            sim.step(10_000_000)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, old)
    assert sim.step_count > 1
    straight = mm.Simulation("classic", seed=4, backend="cpu", threads=1)
    straight.step(sim.step_count)
    assert sim.state_hash() == straight.state_hash()
    sim.step(10)
    straight.step(10)
    assert sim.state_hash() == straight.state_hash()
