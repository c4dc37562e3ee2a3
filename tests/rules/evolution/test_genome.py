"""Genes and body parts: each has a measurable effect and a cost."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from murmura.rules.evolution.genome import Genome
from murmura.rules.evolution.phenotype import GENES, PARTS

from .wild import DT, PREDATOR, PREY, wild, with_columns

MAX_SPEED, MAX_FORCE, MAX_VISION = 10.0, 0.5, 220.0


def alone(**columns: Any) -> Any:
    """One prey animal in the middle of nowhere, flying to the right."""
    return wild(
        [[500, 500]], [PREY], {"rules.genome.efficiency_slows": 0.0}, velocities=[[3, 0]], columns=columns
    )


# S3-29, S3-40
def test_founders_vary_a_little_around_their_species() -> None:
    sim = wild(np.full((400, 2), 500.0), [PREY] * 300 + [PREDATOR] * 100, {"rules.genome.spread": 0.1})
    speed, size = sim.column("gene_speed"), sim.column("gene_size")
    assert speed.min() >= 0.3 and speed.max() <= 0.5 and speed.std() == pytest.approx(0.2 / 12**0.5, rel=0.1)
    assert size[:300].mean() == pytest.approx(1.0, abs=0.02) and size[300:].mean() == pytest.approx(
        1.3, abs=0.04
    )
    assert size[:300].max() - size[:300].min() > 0.4, "the range of size is 2.5: a tenth each way"
    assert (sim.column("part_spike")[300:] == 3).all() and (sim.column("part_spike")[:300] == 0).all()
    for name in [f"gene_{gene}" for gene in GENES] + [f"part_{part}" for part in PARTS]:
        assert sim.column(name).dtype == np.float32


# S3-30, S3-39
@pytest.mark.parametrize(("gene", "tails"), [(0.4, 0), (0.4, 2), (0.9, 1)])
def test_top_speed(gene: float, tails: int) -> None:
    sim = alone(gene_speed=gene, part_tail=tails, velocity_x=50.0)
    sim.step()
    assert sim.velocities[0, 0] == pytest.approx(MAX_SPEED * gene * (1 + 0.05 * tails), rel=1e-5)


# S3-31, S3-39: a prey animal that flees turns as hard as it can
@pytest.mark.parametrize(("gene", "fins"), [(0.2, 0), (0.6, 3)])
def test_force(gene: float, fins: int) -> None:
    sim = wild([[500, 500], [560, 500]], [PREY, PREDATOR], velocities=[[3, 0], [0, 0]])
    with_columns(sim, {"gene_force": gene, "part_fin": fins})
    sim.step()
    assert np.hypot(*sim.forces[0]) == pytest.approx(MAX_FORCE * gene * (1 + 0.05 * fins), rel=1e-5)


# S3-32, S3-39
@pytest.mark.parametrize(
    ("gene", "eyes", "antennae", "expected"),
    [(0.3, 0, 0, 66.0), (0.3, 2, 1, 89.1), (0.05, 0, 0, 50.0), (0.9, 2, 0, 150.0)],
)
def test_vision_decides_whom_it_sees(gene: float, eyes: int, antennae: int, expected: float) -> None:
    places = [[300, 500]] + [[300 + 2 * k + 41, 500] for k in range(60)]
    sim = wild(places, [PREY] * 61, columns={"gene_vision": gene, "part_eye": eyes, "part_antenna": antennae})
    seen = sim.neighbors(0)
    assert len(seen) == sum(2 * k + 41 <= expected + 1e-4 for k in range(60))


def flock_forces(sociability: float, rule: str) -> float:
    places = [[500, 500], [515, 505], [520, 500]]
    velocities = [[0, 0], [2, 3], [2, 3]]
    sim = wild(
        places, [PREY] * 3, velocities=velocities, columns={"gene_sociability": sociability, "age": 0.0}
    )
    return float(np.hypot(*sim.explain(0)["rules"][rule]["force"]))


# S3-33, S3-34, S3-35
@pytest.mark.parametrize(
    ("rule", "lonely", "social"), [("separation", 1.5, 1.0), ("alignment", 1.0, 2.5), ("cohesion", 1.0, 3.0)]
)
def test_sociability_weighs_the_flocking_rules(rule: str, lonely: float, social: float) -> None:
    unit = MAX_FORCE * 0.3  # each force is as strong as the force gene allows
    # Cohesion also yields to a crowd of two: 1 - 2/10, and 1 - 2/50.
    crowd = {0.0: 1 - 2 / 10, 1.0: 1 - 2 / 50} if rule == "cohesion" else {0.0: 1.0, 1.0: 1.0}
    assert flock_forces(0.0, rule) == pytest.approx(lonely * unit * crowd[0.0], rel=1e-4)
    assert flock_forces(1.0, rule) == pytest.approx(social * unit * crowd[1.0], rel=1e-4)


# S3-36
@pytest.mark.parametrize(("gene", "tolerance"), [(0.0, 10), (1.0, 50)])
def test_crowd_tolerance(gene: float, tolerance: int) -> None:
    for count, drawn in ((tolerance - 2, True), (tolerance, False)):
        places = [[500, 500]] + [[530 + 0.1 * k, 500] for k in range(count)]
        sim = wild(places, [PREY] * (count + 1), columns={"gene_sociability": gene})
        assert (np.hypot(*sim.explain(0)["rules"]["cohesion"]["force"]) > 1e-3) == drawn


def hunger(values: dict[str, float] | None = None, **columns: float) -> float:
    """Energy that two seconds at full speed cost."""
    sim = wild(
        [[500, 500]],
        [PREY],
        {"rules.energy.decay": 0.01, "rules.genome.efficiency_slows": 0.2} | (values or {}),
        velocities=[[9, 0]],
        columns=columns,
    )
    sim.step(20)
    return 1.0 - float(sim.column("energy")[0])


# S3-25, S3-45, S3-46: every advantage has a cost
@pytest.mark.parametrize(
    "column",
    ["gene_speed", "gene_force", "gene_vision", "gene_longevity", *(f"part_{part}" for part in PARTS)],
)
def test_what_helps_costs_energy(column: str) -> None:
    low, high = (0.3, 0.6) if column.startswith("gene") else (0, 2)
    assert hunger(**{column: high}) > 1.01 * hunger(**{column: low})


# S3-45: efficient animals survive scarcity but are slow
def test_efficiency_saves_and_slows() -> None:
    assert hunger(gene_efficiency=1.0) < 0.7 * hunger(gene_efficiency=0.0)
    speeds = []
    for gene in (0.0, 1.0):
        sim = wild([[500, 500]], [PREY], velocities=[[50, 0]], columns={"gene_efficiency": gene})
        sim.step()
        speeds.append(float(sim.velocities[0, 0]))
    assert speeds[1] == pytest.approx(0.8 * speeds[0], rel=1e-4)


# S3-45: size needs more food for the same share of energy
def test_large_animals_gain_less_from_the_same_meal() -> None:
    gains = []
    for size in (1.0, 2.0):
        sim = wild(
            [[500, 500]],
            [PREY],
            {
                "rules.feeding.sources": [{"x": 500.0, "y": 500.0}],
                "rules.feeding.count": 0,
                "rules.feeding.reach": 50.0,
            },
            columns={"gene_size": size, "energy": 0.4, "feeding_state": 3, "target_food_id": 0, "stance": 4},
        )
        sim.step(6)
        gains.append(float(sim.column("energy")[0]) - 0.4)
    assert gains[0] > 0.05 and gains[1] == pytest.approx(gains[0] / 2, rel=1e-3)


def test_ten_seconds_are_counted_in_steps_of_a_tenth() -> None:
    sim = alone()
    assert sim.scenario.motion.time_step == pytest.approx(DT)


def test_descriptions_say_which_numbers_act_on_founders_only() -> None:
    """A slider that does not act on living animals must not look as if it did."""
    for name in (*GENES, *PARTS):
        text = Genome.model_fields[name].description or ""
        assert "living animals keep what they were born with" in text, name
