"""D'Orsogna et al. 2006: free speed, collapse or spread, a ring that keeps its radius, and mills.

    python experiments/dorsogna.py [--quick | --full]

Published: the equations, and mills where attraction is weak and long, repulsion strong and short. What the numbers must
be follows from the equations: a lone particle has the speed sqrt(alpha / beta); C l^2 = 1, with C = C_r / C_a and
l = l_r / l_a, divides flocks that collapse as they grow from those that spread; with m / N = 5 and the other numbers of
Sisyphe's example a ring of 20 has the radius 4.1429.
"""

from __future__ import annotations

import numpy as np
from report import COLORS, Experiment

import murmura as mm

OFF = {
    f"rules.{name}.enabled": False for name in ("separation", "alignment", "cohesion", "noise", "boundary")
}
SPEED = np.sqrt(1.6 / 0.5)


def world(agents: int, side: float, step: float, values: dict[str, float]) -> mm.Scenario:
    """Everybody meets everybody within half of a large open world."""
    plain = {
        "agents": agents, "world.width": side, "world.height": side, "world.boundary": "open",
        "perception.radius": 0.49 * side, "perception.field_of_view": 360.0, "motion.time_step": step,
        "motion.max_speed": 20.0, "motion.panic_speed": 0.0, "start.speed": 1.0,
    }  # fmt: skip
    named = {f"rules.dorsogna.{name}": value for name, value in values.items()}
    return mm.Scenario().with_values(OFF | plain | named)


def free_speed(lab: Experiment) -> list[tuple]:
    rows = []
    for propulsion, drag in ((1.6, 0.5), (0.4, 0.5), (1.6, 2.0)):
        scenario = world(50, 1e4, 0.01, {"propulsion": propulsion, "drag": drag, "coupling": 0.0})
        sim = mm.Simulation(scenario, seed=1)
        sim.step(4_000)
        speed = np.linalg.norm(sim.velocities, axis=1)
        exact = float(np.sqrt(propulsion / drag))
        rows.append(("free", propulsion / drag, 50, float(speed.mean()), exact))
        lab.say(f"alpha / beta {propulsion / drag:g}: speed {speed.mean():.5f}, exact {exact:.5f}")
    return rows


def spread(lab: Experiment) -> list[tuple]:
    """The median radius of flocks after a while, against C l^2, at l = 1/2; the mass of one is the same in all."""
    rows, steps = [], lab.pick(500, 4_000, 10_000)
    for product in (0.4, 0.6, 0.8, 0.9, 1.1, 1.25, 1.6, 2.0):
        for agents in lab.pick((30, 60), (60, 240), (60, 240, 960)):
            values = {"attraction": 0.5, "repulsion": 0.5 * product / 0.25, "attraction_length": 2.0}
            values |= {"repulsion_length": 1.0, "coupling": 1.0, "propulsion": 0.1, "drag": 0.5}
            scenario = world(agents, 200.0, 0.02, values).with_values(
                {"start.layout": "disc", "start.radius": 3.0, "start.speed": 0.4}
            )
            flocks = mm.Ensemble(scenario, seeds=range(lab.pick(2, 4, 8)))
            flocks.step(steps)
            places = flocks.positions
            away = np.linalg.norm(places - np.median(places, axis=1, keepdims=True), axis=2)
            each = np.median(away, axis=1)
            error = float(each.std(ddof=1) / np.sqrt(len(each)))
            rows.append(("spread", product, agents, float(each.mean()), error))
        lab.say(
            f"C l^2 {product:g}: "
            + ", ".join(
                f"n {row[2]}: radius {row[3]:.2f} +- {row[4]:.2f}" for row in rows if row[1] == product
            )
        )
    return rows


def ring(lab: Experiment, radius: float = 4.1429, n: int = 20) -> list[tuple]:
    """The radius of a planted ring, step by step."""
    angle = 2.0 * np.pi * np.arange(n) / n
    out, along = np.c_[np.cos(angle), np.sin(angle)], np.c_[-np.sin(angle), np.cos(angle)]
    scenario = world(n, 100.0, 0.002, {"coupling": 5.0})
    sim = mm.Simulation(scenario, seed=1, positions=50.0 + radius * out, velocities=SPEED * along)
    rows = []
    for _ in range(50):
        sim.step(50)
        now = np.linalg.norm(sim.positions - 50.0, axis=1)
        rows.append(("ring", sim.step_count * 0.002, n, float(now.mean()), float(now.std())))
    worst = max(abs(row[3] / radius - 1.0) for row in rows)
    lab.say(f"ring of {n}: radius within {100.0 * worst:.2f} % of {radius} for 5 time units")
    return rows


def mills(lab: Experiment) -> tuple[list[tuple], np.ndarray, np.ndarray]:
    """Sisyphe's values with fewer agents and the same total mass, in its box of side 10."""
    agents, steps = lab.pick((150, 1_000), (400, 8_000), (10_000, 10_000))
    scenario = world(agents, 100.0, 0.01, {"coupling": 1_000.0 / agents})
    rng = np.random.default_rng(3)
    angle = 2.0 * np.pi * rng.random(agents)
    sim = mm.Simulation(
        scenario,
        seed=1,
        positions=45.0 + 10.0 * rng.random((agents, 2)),
        velocities=np.c_[np.cos(angle), np.sin(angle)],
    )
    rows = []
    for _ in range(20):
        sim.step(steps // 20)
        x, v = sim.positions.astype(float), sim.velocities.astype(float)
        away = x - np.median(x, axis=0)
        turn = away[:, 0] * v[:, 1] - away[:, 1] * v[:, 0]
        turn /= np.linalg.norm(away, axis=1) * np.linalg.norm(v, axis=1) + 1e-12
        rows.append(
            ("mill", sim.step_count * 0.01, agents, float(np.abs(turn).mean()), float(abs(turn.mean())))
        )
    lab.say(
        f"{agents} agents at t = {rows[-1][1]:g}: |sin| of flight and radius {rows[-1][3]:.2f}, net {rows[-1][4]:.2f}"
    )
    return rows, sim.positions, sim.velocities


def draw(lab: Experiment, rows: list[tuple], x: np.ndarray, v: np.ndarray) -> None:
    figure, axes = lab.figure(3)
    for k, agents in enumerate(sorted({row[2] for row in rows if row[0] == "spread"})):
        mine = np.array([row[1:] for row in rows if row[0] == "spread" and row[2] == agents])
        axes[0].errorbar(
            mine[:, 0],
            mine[:, 2],
            mine[:, 3],
            fmt="o-",
            ms=3,
            lw=1,
            color=COLORS[k],
            label=f"{agents} agents",
        )
    axes[0].axvline(1.0, color="0.7", lw=0.8)
    axes[0].set(
        xlabel="C l²", ylabel="median distance from the middle", title="Collapse or spread", yscale="log"
    )
    axes[0].legend(frameon=False)
    mine = np.array([row[1:] for row in rows if row[0] == "ring"])
    axes[1].plot(mine[:, 0], mine[:, 2], "-", lw=1, color=COLORS[0])
    axes[1].axhline(4.1429, color="0.7", lw=0.8)
    axes[1].set(xlabel="time", ylabel="radius", title="A planted ring of 20", ylim=(4.05, 4.25))
    middle = np.median(x, axis=0)
    axes[2].quiver(*(x - middle).T, *v.T, angles="xy", width=0.003, color=COLORS[0])
    axes[2].set(title=f"{len(x)} agents, Sisyphe's values", aspect="equal", xlim=(-6, 6), ylim=(-6, 6))
    lab.save(figure)


def main() -> None:
    lab = Experiment("dorsogna", "Particles that attract and repel each other mill (D'Orsogna et al. 2006).")
    rows = free_speed(lab) + spread(lab) + ring(lab)
    milling, x, v = mills(lab)
    lab.table(("part", "x", "agents", "value", "error_or_exact"), rows + milling)
    draw(lab, rows, x, v)


if __name__ == "__main__":
    main()
