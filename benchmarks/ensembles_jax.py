"""An ensemble beside a `vmap` of JAX over the same worlds: all pairs, x and y apart, the best batch.

    pip install jax
    python benchmarks/ensembles_jax.py

The formulas of `classic` at constant density (the world shrinks with the flock); the first step of both is compared
before anything is timed. Rounds are interleaved; the best of each counts, in CPU time of all threads per step of one
world: on a busy machine the clock would measure other processes.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import murmura as mm

ROUNDS = 4
SIZES = {20: (10, 100, 1000), 100: (4, 32, 256), 500: (1, 4, 16)}
"""Agents in a world, and the batches of worlds that JAX may choose from."""
RADIUS, CLOSE, TOP, FORCE = 50.0, 25.0, 3.0, 0.08


def limited(x: Any, y: Any, most: float) -> tuple[Any, Any]:
    size = jnp.sqrt(x * x + y * y + 1e-30)
    factor = jnp.minimum(1.0, most / size)
    return x * factor, y * factor


def steer(x: Any, y: Any, vx: Any, vy: Any) -> tuple[Any, Any]:
    size = jnp.sqrt(x * x + y * y + 1e-30)
    there = size > 1e-12
    fx, fy = limited(x / size * TOP - vx, y / size * TOP - vy, FORCE)
    return jnp.where(there, fx, 0.0), jnp.where(there, fy, 0.0)


def step(side: float, x: Any, y: Any, vx: Any, vy: Any) -> tuple[Any, Any, Any, Any]:
    """One step of one world: every agent meets every other."""
    dx, dy = x[None, :] - x[:, None], y[None, :] - y[:, None]
    dx, dy = dx - side * jnp.rint(dx / side), dy - side * jnp.rint(dy / side)
    square = dx * dx + dy * dy
    near = (square <= RADIUS * RADIUS) & ~jnp.eye(len(x), dtype=bool)
    seen = near.astype(jnp.float32)
    push = jnp.where(near & (square <= CLOSE * CLOSE) & (square > 0.0), 1.0 / (square + 1e-30), 0.0)
    away = steer(-(push * dx).sum(1), -(push * dy).sum(1), vx, vy)
    along = steer(seen @ vx, seen @ vy, vx, vy)
    inward = steer((seen * dx).sum(1), (seen * dy).sum(1), vx, vy)
    fx, fy = (1.5 * away[k] + along[k] + inward[k] for k in range(2))
    vx, vy = limited(vx + fx, vy + fy, TOP)
    return jnp.mod(x + vx, side), jnp.mod(y + vy, side), vx, vy


@partial(jax.jit, static_argnums=(0, 1))
def steps(count: int, side: float, worlds: Any) -> Any:
    return jax.lax.fori_loop(0, count, lambda _, now: jax.vmap(partial(step, side))(*now), worlds)


def scenario_of(agents: int) -> mm.Scenario:
    side = max((1600.0 * 900.0 * agents / 600.0) ** 0.5, 2.0 * RADIUS + 1.0)
    values = {"agents": agents, "world.width": side, "world.height": side, "perception.radius": RADIUS}
    return mm.load_scenario("classic").with_values(values)


def arrays_of(flocks: mm.Ensemble) -> tuple[Any, ...]:
    places, speeds = flocks.positions, flocks.velocities
    return tuple(
        jnp.asarray(part) for part in (places[..., 0], places[..., 1], speeds[..., 0], speeds[..., 1])
    )


def check_first_step(agents: int) -> None:
    """Both must take the same step, up to rounding and to neighbours at the very edge of a radius."""
    flocks = mm.Ensemble(scenario_of(agents), range(4))
    flocks.step(3)
    found = steps(1, flocks.scenarios[0].world.width, arrays_of(flocks))
    flocks.step(1)
    for mine, theirs in zip(arrays_of(flocks), found, strict=True):
        wrong = np.abs(np.asarray(mine) - np.asarray(theirs)) > 1e-3
        assert wrong.mean() < 0.01, f"the two disagree about {wrong.mean():.0%} of {agents} agents"


def cost(run: Callable[[int], object], worlds: int) -> Callable[[], float]:
    """A round: microseconds of CPU time for a step of one world."""
    run(4)
    begun = time.process_time()
    run(4)
    count = max(4, min(1000, int(0.5 / max((time.process_time() - begun) / 4, 1e-6))))
    run(count)

    def measured() -> float:
        begun = time.process_time()
        run(count)
        return (time.process_time() - begun) / count / worlds * 1e6

    return measured


def jax_run(agents: int, batch: int) -> Callable[[int], object]:
    flocks = mm.Ensemble(scenario_of(agents), range(batch))
    side, worlds = flocks.scenarios[0].world.width, arrays_of(flocks)
    return lambda count: jax.block_until_ready(steps(count, side, worlds))


if __name__ == "__main__":
    print(
        f"{'agents':>6} {'ensemble':>9} {'vmap':>9} {'batch':>6} {'times':>6}   us of CPU time a step of one world"
    )
    for agents, batches in SIZES.items():
        check_first_step(agents)
        worlds = 20_000 // agents
        rounds = [cost(mm.Ensemble(scenario_of(agents), range(worlds)).step, worlds)]
        rounds += [cost(jax_run(agents, batch), batch) for batch in batches]
        ours, *theirs = (
            min(times) for times in zip(*([r() for r in rounds] for _ in range(ROUNDS)), strict=True)
        )
        best = int(np.argmin(theirs))
        print(
            f"{agents:>6} {ours:>9.2f} {theirs[best]:>9.2f} {batches[best]:>6} {theirs[best] / ours:>6.1f}",
            flush=True,
        )
