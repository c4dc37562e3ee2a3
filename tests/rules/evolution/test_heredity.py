"""Reproduction: who may breed, inheritance, mutation, and the population limit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from murmura.core.errors import ScenarioError
from murmura.core.tracing.record import Record
from murmura.core.world.randomness import STREAM_GENES, STREAM_MUTATION, uniform_from
from murmura.rules.evolution.heredity import gene_of, hue_of, part_chances, part_of, size_of
from murmura.rules.evolution.phenotype import GENES, PARTS

from .wild import PREDATOR, PREY, deaths, wild

SOON = {"rules.behavior.build_up": 0.0, "rules.reproduction.alone_after": 0.0}
PLAIN = SOON | {
    "rules.reproduction.mutation_rate": 0.0,
    "rules.reproduction.hue_mutation_rate": 0.0,
    "rules.reproduction.part_mutation_rate": 0.0,
}


def close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(np.asarray(found, float), expected, atol=1e-6)


DONE = 4  # steps until a pair side by side has young: ready, named, agreed, born


def pair(
    values: dict[str, Any] | None = None,
    count: int = 1,
    steps: int = DONE,
    backend: str = "reference",
    **columns: Any,
) -> Any:
    """Pairs side by side, far from each other, grown up and full of energy."""
    places = [
        [60.0 + 95.0 * (k % 10) + 6.0 * (j % 2), 40.0 + 95.0 * (k // 10)]
        for k in range(count)
        for j in range(2)
    ]
    values = PLAIN | {"rules.behavior.mate_radius": 40.0} | (values or {})
    sim = wild(places, [PREY] * (2 * count), values, columns={"age": 50.0} | columns, backend=backend)
    sim.step(steps)
    return sim


def births(sim: Any) -> list[tuple[int, int, int | None]]:
    return [(e["id"], e["other"], e["father"]) for e in sim.events() if e["kind"] == "birth"]


def test_two_have_one_young_and_pay_for_it() -> None:
    sim = pair()
    assert births(sim) == [(2, 0, 1)]
    assert sim.column("mother_id").tolist() == [-1, -1, 0] and sim.column("father_id").tolist() == [-1, -1, 1]
    assert sim.column("generation").tolist() == [0, 0, 1]
    energies = sim.column("energy")
    assert energies[:2] == pytest.approx([0.6 - 0.05, 0.95], rel=1e-5)
    assert energies[2] == pytest.approx(0.4, rel=1e-5), "what its mother gave: no energy is created"
    assert sim.column("age")[2] == 0.0 and sim.column("health")[2] == 1.0
    assert sim.column("mating_cooldown")[:2] == pytest.approx([15.0, 15.0], abs=0.2)
    sim.step(100)
    assert births(sim) == []


# Young cost half of the maximum energy, in absolute terms: parents are left with half, whatever they had
@pytest.mark.parametrize("young", [1.0, 2.0])
def test_parents_are_left_with_half_their_energy(young: float, backend: str) -> None:
    values = {"rules.reproduction.keeps": 0.5, "rules.reproduction.young": young}
    sim = pair(values, backend=backend, energy=[0.9, 0.7], gene_size=[1.0, 2.0])
    assert len(births(sim)) == young
    energies = sim.column("energy").astype(float)
    assert energies[:2] == pytest.approx([0.5, 0.5], rel=1e-5)
    given = (0.9 - 0.5) * 1.0 + (0.7 - 0.5) * 2.0
    assert (energies[2:] * sim.column("gene_size")[2:]).sum() == pytest.approx(given, rel=1e-4), (
        "no energy is created"
    )


def test_parents_must_have_more_than_they_keep() -> None:
    with pytest.raises(ScenarioError, match=r"keeps must be at most energy_threshold \(0\.6\).* got 0\.8"):
        wild([[500, 500]], [PREY], {"rules.reproduction.keeps": 0.8})


def test_both_may_have_young() -> None:
    sim = pair({"rules.reproduction.young": 2.0})
    assert births(sim) == [(2, 0, 1), (3, 1, 0)]


def test_one_alone_may_have_young_too() -> None:
    sim = wild([[500, 500]], [PREY], PLAIN | {"rules.reproduction.asexual": 1.0}, columns={"age": 50.0})
    sim.step(3)
    assert births(sim) == [(1, 0, None)]
    assert sim.column("father_id").tolist() == [-1, -1] and sim.column("mother_id").tolist() == [-1, 0]
    for gene in GENES:
        assert sim.column(f"gene_{gene}")[1] == pytest.approx(sim.column(f"gene_{gene}")[0], abs=1e-6)


def test_without_a_partner_an_animal_waits_and_then_has_young_alone() -> None:
    sim = wild([[500, 500]], [PREY], PLAIN | {"rules.reproduction.alone_after": 2.0}, columns={"age": 50.0})
    sim.step(15)
    assert births(sim) == []
    sim.step(10)
    assert births(sim) == [(1, 0, None)]


def lone_mother(backend: str) -> Any:
    """The second of two is about to have young without a father; agent 0 has other genes."""
    few = {"agents": 2, "rules.reproduction.asexual": 1.0, "rules.reproduction.most": 8}
    return wild(
        [[100, 100], [500, 500]], [PREY] * 2, PLAIN | few,
        columns={"age": [0.0, 50.0], "gene_speed": [0.9, 0.3]}, backend=backend,
    )  # fmt: skip


# Trap 10: father 0 is an agent, and no father is not agent 0; on the device: tests/cuda/parity/test_lifecycle.py
def test_a_missing_father_is_not_agent_0(backend: str) -> None:
    sim = lone_mother(backend)
    sim.step(3)
    assert births(sim) == [(2, 1, None)]
    assert sim.column("gene_speed")[2] == pytest.approx(0.3)


def test_genes_are_the_mean_of_both_parents() -> None:
    columns = {f"gene_{gene}": [0.2, 0.6] for gene in GENES} | {
        "gene_size": [1.0, 2.0],
        "gene_hue": [0.9, 0.3],
    }
    sim = pair(**columns)
    for gene in GENES:
        expected = {"size": 1.5, "hue": 0.1}.get(gene, 0.4)
        assert sim.column(f"gene_{gene}")[2] == pytest.approx(expected, abs=1e-5), gene


def test_genes_may_come_from_either_parent() -> None:
    sim = pair(
        {"rules.reproduction.crossover": "choice"}, 60, gene_speed=[0.2, 0.6] * 60, gene_fear=[0.1, 0.7] * 60
    )
    speed, fear = sim.column("gene_speed")[120:], sim.column("gene_fear")[120:]
    assert len(speed) == 60
    assert set(np.round(speed.astype(float), 4)) == {0.2, 0.6} and 15 < (speed < 0.4).sum() < 45
    assert 10 < ((speed < 0.4) == (fear < 0.4)).sum() < 50, "genes are drawn one by one"


def test_body_parts_are_halved() -> None:
    sim = pair(None, 60, part_spike=[4, 2] * 60, part_fin=[1, 0] * 60, part_shell=[2, 2] * 60)
    spikes, fins, shells = (sim.column(f"part_{part}")[120:] for part in ("spike", "fin", "shell"))
    assert (spikes == 3).all() and (shells == 2).all()
    assert set(fins) == {0, 1} and 15 < fins.sum() < 45, "an odd one at random"


def test_mutation_rate_and_size() -> None:
    values = {"rules.reproduction.mutation_rate": 0.5, "rules.reproduction.mutation_size": 0.2}
    sim = pair(values, 100, gene_speed=0.5, gene_size=1.5, gene_force=0.5)
    for gene, middle, span in (("speed", 0.5, 0.2), ("force", 0.5, 0.2), ("size", 1.5, 0.5)):
        change = np.abs(sim.column(f"gene_{gene}")[200:] - middle)
        moved = change > 1e-5
        assert 35 < moved.sum() < 65 and change.max() <= span + 1e-5 and change.max() > 0.7 * span
    assert np.corrcoef(sim.column("gene_speed")[200:], sim.column("gene_force")[200:])[0, 1] < 0.4


def test_genes_stay_in_their_range() -> None:
    values = {"rules.reproduction.mutation_rate": 1.0, "rules.reproduction.mutation_size": 1.0}
    sim = pair(values, 60)
    for gene in GENES:
        found = sim.column(f"gene_{gene}")[120:]
        low, high = (0.5, 3.0) if gene == "size" else (0.0, 1.0)
        assert found.min() >= low and found.max() <= high
        assert found.std() > 0.1 * (high - low) or gene == "hue", "colour has a rate of its own"


def test_parts_mutate_one_at_a_time() -> None:
    sim = pair({"rules.reproduction.part_mutation_rate": 1.0}, 100, **{f"part_{part}": 2 for part in PARTS})
    changes = np.array([sim.column(f"part_{part}")[200:] - 2 for part in PARTS])
    assert (np.abs(changes).sum(axis=0) <= 1).all()
    assert 45 < np.abs(changes).sum() < 75, "three in ten add, three in ten remove"
    assert (np.abs(changes).sum(axis=1) > 2).all() and changes.min() == -1 and changes.max() == 1


@pytest.mark.parametrize("choice", [False, True])
def test_arrays_of_newborns_inherit_what_each_inherits_alone(choice: bool) -> None:
    """Heredity has no branches: it is traced for all targets, and takes arrays as well as numbers."""
    p = Record("p", {
        "crossover": "choice" if choice else "blend", "mutation_rate": 0.5,
        "mutation_size": 0.3, "hue_mutation_rate": 0.5,
        "part_mutation_rate": 0.8, "most_parts": 5.0,
    })  # fmt: skip
    world = Record("world", {"seed_low": 7, "seed_high": 0})
    ids, rng = np.arange(40), np.random.default_rng(3)
    mothers, fathers = rng.uniform(0.5, 1.0, (2, 40))

    def young(child: Any, mother: Any, father: Any) -> list[Any]:
        genes = [inherit(p, mother, father, 3, child, world) for inherit in (gene_of, size_of, hue_of)]
        return [*genes, part_of(p, 4.0 * mother, 4.0 * father, 2.0, part_chances(child, world))]

    together = np.array(young(ids, mothers, fathers))
    alone = np.array([young(*one) for one in zip(ids, mothers, fathers, strict=True)], float).T
    np.testing.assert_array_equal(together, alone)
    assert (together.std(axis=1) > 0.0).all()


# S3-47: the formulas of docs/evolution.md, written again
@pytest.mark.parametrize("choice", [False, True])
def test_inheritance_is_the_formula_on_the_page(choice: bool) -> None:
    p = Record("p", {
        "crossover": "choice" if choice else "blend", "mutation_rate": 0.5,
        "mutation_size": 0.3, "hue_mutation_rate": 0.4,
        "part_mutation_rate": 0.8, "most_parts": 5.0,
    })  # fmt: skip
    world = Record("world", {"seed_low": 7, "seed_high": 0})
    ids, rng = np.arange(3000), np.random.default_rng(4)
    m, f = rng.uniform(0.0, 1.0, (2, 3000))
    (first, _), (u, v) = (
        uniform_from(7, 0, k, ids, s + 3) for k, s in ((1, STREAM_GENES), (2, STREAM_MUTATION))
    )
    c = np.where(u < 0.5, (2.0 * v - 1.0) * 0.3, 0.0)
    x = np.where(first < 0.5, m, f) if choice else (m + f) / 2.0
    close(gene_of(p, m, f, 3, ids, world), np.clip(x + c, 0.0, 1.0))
    close(size_of(p, 0.5 + 2.5 * m, 0.5 + 2.5 * f, 3, ids, world), 0.5 + 2.5 * np.clip(x + c, 0.0, 1.0))
    turn = np.where(u < 0.4, (2.0 * v - 1.0) * 0.3, 0.0)
    halfway = np.angle(np.exp(2j * np.pi * m) + np.exp(2j * np.pi * f)) / (
        2.0 * np.pi
    )  # the mean of two directions
    wrong = np.abs(np.asarray(hue_of(p, m, f, 3, ids, world)) - (halfway + turn)) % 1.0
    assert np.minimum(wrong, 1.0 - wrong).max() < 1e-6
    mother, father = rng.integers(0, 6, (2, 3000))
    parts = np.array([part_of(p, mother, father, float(k), part_chances(ids, world)) for k in range(7)])
    exact = (mother + father) / 2.0
    assert parts.min() >= 0.0 and parts.max() <= 5.0
    assert np.abs(parts - exact).max() <= 1.5 and (np.abs(parts - exact) > 0.5).sum(axis=0).max() <= 1
    odd = (mother + father) % 2 == 1
    assert np.mean(parts[:, odd] - exact[odd]) == pytest.approx(0.0, abs=0.03)
    assert np.mean((np.abs(parts - exact) > 0.5).any(axis=0)) > 0.2


# Maturity and its cost
@pytest.mark.parametrize(
    ("age", "slowness", "grown"), [(8.0, 0.0, True), (8.0, 1.0, False), (25.0, 1.0, True)]
)
def test_maturity(age: float, slowness: float, grown: bool) -> None:
    assert (len(births(pair(age=age, gene_maturity=slowness))) == 1) == grown


def test_the_hungry_have_no_young() -> None:
    assert births(pair(energy=0.5)) == []


# Decision 20: old age kills
@pytest.mark.parametrize(("longevity", "life"), [(0.0, 100.0), (0.5, 200.0)])
def test_longevity(longevity: float, life: float) -> None:
    sim = wild([[500, 500]], [PREY], columns={"age": life - 0.45, "gene_longevity": longevity})
    sim.step(5)
    assert deaths(sim) == []
    sim.step(3)
    assert deaths(sim) == [(0, "age", None)]


@pytest.mark.parametrize("cap", [103.0, 100.0])
def test_the_cap_of_a_species_holds_exactly(cap: float) -> None:
    sim = pair({"rules.reproduction.energy_threshold": 0.0, "rules.reproduction.cooldown": 0.3}, 50, steps=0)
    sim.retune(
        {"species.0.values": sim.scenario.species[0].values | {"rules.reproduction.most_of_kind": cap}}
    )
    most = 0
    for _ in range(60):
        sim.step()
        most = max(most, sim.agent_count)
    assert most == cap


def test_the_cap_of_all_holds() -> None:
    sim = pair({"agents": 10, "rules.reproduction.most": 12}, 5, steps=8)
    assert sim.agent_count == 12


def test_lights_are_found_from_farther_away() -> None:
    places = [[500, 500], [530, 500], [464, 500]]
    dark, bright = (
        wild(places, [PREY] * 3, PLAIN, columns={"age": 50.0, "part_glow": [0, 0, light]}) for light in (0, 3)
    )
    for sim in (dark, bright):
        sim.step(2)
    assert (dark.column("target_mate_id")[0], bright.column("target_mate_id")[0]) == (1, 2)


def test_partners_are_of_the_same_species() -> None:
    sim = wild([[500, 500], [506, 500]], [PREY, PREDATOR], PLAIN, columns={"age": 50.0})
    sim.step(6)
    assert births(sim) == []
