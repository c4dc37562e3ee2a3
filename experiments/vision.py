"""Bastien and Romanczuk 2020, figures 2 and 3: vision alone gives groups, order and no collisions.

    python experiments/vision.py [--quick]

Published: agents that see only which directions are covered, not distances or speeds, keep a distance that
follows from the weights of edges and area. With a strong response of speed they form ordered, polarized groups,
with a strong response of turning alone disordered swarms. They do not collide.

For one agent behind another the distance follows from the equations: area and edges balance where tan g = alpha 1, g
half the angle that the other covers: d = body / (2 alpha 1). Bodies are opaque, as in the paper: a visual field of 720
bins, half a degree each (0.1 degrees for two). For comparison, groups of ten and of fifty also run with transparent
bodies (occlusion off), which count twice where they overlap.
"""

from __future__ import annotations

import numpy as np
from report import COLORS, Experiment

import murmura as mm

AGENTS = 10


def scenario(agents: int, values: dict[str, float], opaque: bool = True) -> mm.Scenario:
    return mm.load_scenario("vision").with_values(
        {
            "agents": agents,
            "world.boundary": "open",
            "perception.radius": 1e5,
            "perception.occlusion": opaque,
            "motion.max_speed": 50.0,
        }
        | values
    )


def distance_behind(edges: float, opaque: bool = True) -> float:
    """The final distance of an agent behind another that began 4 body lengths ahead."""
    values = {"rules.vision.acceleration_edges": edges, "rules.vision.turning_edges": edges}
    sim = mm.Simulation(
        scenario(2, values | {"perception.bins": 3600}, opaque),
        positions=[[0.0, 0.0], [4.0, 0.0]],
        velocities=[[1.0, 0.0], [1.0, 0.0]],
        threads=1,
    )
    sim.step(20_000)
    return float(np.hypot(*(sim.positions[1] - sim.positions[0])))


def covered_twice(places: np.ndarray) -> float:
    """The share of covered directions that are covered more than once."""
    rays = np.linspace(-np.pi, np.pi, 2_000, endpoint=False)
    total = union = 0.0
    for k in range(len(places)):
        d = np.delete(places, k, axis=0) - places[k]
        half = np.arctan2(0.5, np.hypot(d[:, 0], d[:, 1]))
        off = (rays[None, :] - np.arctan2(d[:, 1], d[:, 0])[:, None] + np.pi) % (2.0 * np.pi) - np.pi
        hits = (np.abs(off) <= half[:, None]).sum(axis=0)
        total, union = total + hits.sum(), union + (hits > 0).sum()
    return float(1.0 - union / total)


def group(
    acceleration: float, turning: float, seed: int, steps: int, opaque: bool = True, agents: int = AGENTS
) -> tuple[float, ...]:
    """Polarization, spread and nearest distance, averaged at the end, and the share covered twice."""
    values = {"rules.vision.acceleration": acceleration, "rules.vision.turning": turning}
    sim = mm.Simulation(scenario(agents, values, opaque), seed=seed, threads=1)
    sim.step(steps)
    seen = []
    for _ in range(20):
        sim.step(steps // 40)
        found = mm.measure_flock(sim.flock(), ["polarization", "spread", "nearest_neighbor_distance"])
        seen.append(tuple(found.values()))
    p, spread, near = np.mean(seen, axis=0)
    return float(p), float(spread), float(near), covered_twice(sim.positions.astype(float))


def main() -> None:
    lab = Experiment(
        "vision", "Order, distance and no collisions from vision alone (Bastien and Romanczuk 2020)."
    )
    edges = np.linspace(0.05, 0.3, lab.size(11, 4))
    distances = [distance_behind(float(e)) for e in edges]
    expected = 0.5 / edges
    off = np.abs(np.array(distances) / expected - 1.0)
    lab.say(f"distance of two: deviation from theory {off.max():.2%} at most, {off.mean():.2%} on average")
    clear = [distance_behind(float(e), opaque=False) for e in edges]
    lab.say(f"the same, transparent: {np.abs(clear / expected - 1.0).max():.3%} at most")

    responses = np.geomspace(0.02, 2.0, lab.size(6, 4))
    repeats, steps = lab.size(3, 2), lab.size(10_000, 4_000)
    for agents in (10,) if lab.quick else (10, 50):
        for opaque in (True, False):
            found = np.mean([group(0.5, 0.2, s, steps, opaque, agents) for s in range(repeats)], axis=0)
            kind = "opaque" if opaque else "transparent"
            lab.say(
                f"{agents} {kind}: polarization {found[0]:.2f}, spread {found[1]:.2f}, "
                f"nearest {found[2]:.2f}, covered twice {found[3]:.0%}"
            )
    rows = [
        ("pair", float(e), "", "", d, float(x)) for e, d, x in zip(edges, distances, expected, strict=True)
    ]
    order = np.zeros((len(responses), len(responses)))
    nearest, twice = [], []
    for i, acceleration in enumerate(responses):
        for j, turning in enumerate(responses):
            found = [group(float(acceleration), float(turning), seed, steps) for seed in range(repeats)]
            order[i, j] = np.mean([f[0] for f in found])
            nearest.append(min(f[2] for f in found))
            twice.append(np.mean([f[3] for f in found]))
            rows += [("group", float(acceleration), float(turning), s, *f[:3]) for s, f in enumerate(found)]
        lab.say(f"acceleration {acceleration:.2f}: order from {order[i].min():.2f} to {order[i].max():.2f}")
    lab.table(
        (
            "case",
            "acceleration_or_edges",
            "turning",
            "seed",
            "order_or_distance",
            "spread_or_theory",
            "nearest",
        ),
        rows,
    )
    lab.say(
        f"least mean nearest distance {min(nearest):.2f} body lengths; covered twice {np.mean(twice):.0%} of the view"
    )

    figure, axes = lab.figure(3, 3.8)
    axes[0].plot(edges, distances, "o", ms=4, color=COLORS[0], label="simulated")
    axes[0].plot(edges, expected, "-", lw=1, color=COLORS[1], label="theory")
    axes[0].set(xlabel="what an edge counts, α₁", ylabel="distance of two [body lengths]")
    axes[0].legend(frameon=False)
    picture = axes[1].pcolormesh(
        responses, responses, order, vmin=0, vmax=1, cmap="viridis", shading="nearest"
    )
    axes[1].set(xscale="log", yscale="log", xlabel="turning β₀ [1/s]", ylabel="acceleration α₀ [u/s²]")
    axes[1].set_title(f"polarization, {AGENTS} agents, {repeats} groups each", fontsize=9)
    figure.colorbar(picture, ax=axes[1])
    for k, (a, b, word) in enumerate(((0.5, 0.2, "school"), (0.02, 1.0, "swarm"))):
        values = {"rules.vision.acceleration": a, "rules.vision.turning": b}
        sim = mm.Simulation(scenario(AGENTS, values), seed=1, threads=1)
        sim.step(steps)
        x, v = sim.positions - sim.positions.mean(axis=0), sim.velocities
        p = mm.measure_flock(sim.flock(), ["polarization"])["polarization"]
        axes[2].quiver(
            x[:, 0] + 22.0 * k,
            x[:, 1],
            v[:, 0],
            v[:, 1],
            color=COLORS[k],
            scale=25,
            width=0.008,
            label=f"{word}: {p:.2f}",
        )
    axes[2].set(aspect="equal", xlim=(-11, 33), ylim=(-14, 14), xlabel="[body lengths]", title="polarization")
    axes[2].legend(frameon=False, loc="upper center", ncols=2)
    lab.save(figure)


if __name__ == "__main__":
    main()
