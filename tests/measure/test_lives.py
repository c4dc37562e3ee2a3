"""Births, deaths, traits, selection and diversity, against plain NumPy and pairs counted one by one."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from murmura.measure import (
    Flock,
    Lives,
    cheap_measures,
    find_measure,
    gene_diversity,
    measure_flock,
    part_heterozygosity,
    selection_differential,
    usual_measures,
)

N = 23


def evolving(n: int = N, seed: int = 4, **more: Any) -> Flock:
    rng = np.random.default_rng(seed)
    columns = {
        "energy": rng.random(n), "gene_speed": rng.random(n), "gene_size": rng.uniform(0.5, 3.0, n),
        "part_eye": rng.integers(0, 4, n), "generation": rng.integers(0, 9, n),
    }  # fmt: skip
    given = {
        "ids": 100 + 2 * rng.permutation(n), "species": rng.integers(0, 2, n), "columns": columns,
        "species_names": ("finch", "owl"),
    } | more  # fmt: skip
    places = rng.random((n, 2))
    return Flock(places, places, width=1.0, height=1.0, wraps=True, radius=0.1, **given)


def test_rates_of_births_and_deaths_by_cause() -> None:
    lives = Lives(30.0, 5, {"predation": 2, "age": 1, "removed": 1})
    found = measure_flock(evolving(lives=lives))
    assert (found["births"], found["deaths"]) == (10.0, 8.0)
    assert (found["deaths_by_predation"], found["deaths_by_age"], found["deaths_by_combat"]) == (
        4.0,
        2.0,
        0.0,
    )
    assert math.isnan(measure_flock(evolving(lives=Lives(0.0)), ["births"])["births"])
    assert math.isnan(measure_flock(evolving(), ["deaths"])["deaths"])


@pytest.mark.parametrize("column", ["energy", "gene_speed", "gene_size", "part_eye", "generation"])
@pytest.mark.parametrize("kind", ["", "@finch", "@owl"])
def test_distributions_of_traits(column: str, kind: str) -> None:
    flock = evolving()
    values = flock.columns[column]
    values = values if not kind else values[flock.species == (kind == "@owl")]
    ranks = np.sort(values)

    def quantile(q: float) -> float:
        place = q * (len(ranks) - 1)
        low = int(place)
        high = min(low + 1, len(ranks) - 1)
        return float(ranks[low] + (place - low) * (ranks[high] - ranks[low]))

    mean = sum(values) / len(values)
    expected = {
        "mean": mean, "sd": math.sqrt(sum((v - mean) ** 2 for v in values) / len(values)),
        "min": ranks[0], "q05": quantile(0.05), "q25": quantile(0.25), "median": quantile(0.5),
        "q75": quantile(0.75), "q95": quantile(0.95), "max": ranks[-1],
    }  # fmt: skip
    names = {word: f"{column}_{word}{kind}" for word in expected}
    found = measure_flock(flock, names.values())
    assert [found[names[word]] for word in expected] == pytest.approx(list(expected.values()))


def test_selection_is_parents_minus_all() -> None:
    ids, trait = [3, 9, 4], [0.2, 0.5, 0.8]
    # 4 is a parent three times, 3 once; 77 does not live at that instant.
    assert selection_differential(ids, trait, [4, 3, 4, 77, 4]) == pytest.approx((3 * 0.8 + 0.2) / 4 - 0.5)
    assert math.isnan(selection_differential(ids, trait, [77])) and math.isnan(
        selection_differential([], [], [1])
    )
    rng = np.random.default_rng(1)
    flock = evolving()
    assert flock.ids is not None
    parents = rng.choice(flock.ids, 40)
    flock = evolving(lives=Lives(60.0, 20, {}, parents))
    owls = {
        int(i): z for i, z, k in zip(flock.ids, flock.columns["gene_speed"], flock.species, strict=True) if k
    }
    expected = np.mean([owls[p] for p in parents.tolist() if p in owls]) - np.mean(list(owls.values()))
    found = measure_flock(flock, ["gene_speed_selection@owl", "gene_speed_selection"])
    assert found["gene_speed_selection@owl"] == pytest.approx(expected)
    assert found["gene_speed_selection"] == pytest.approx(
        selection_differential(flock.ids, flock.columns["gene_speed"], parents)
    )


def test_genetic_diversity_is_the_distance_of_pairs() -> None:
    flock = evolving()
    squares = [
        np.mean([(flock.columns["gene_speed"][i] - flock.columns["gene_speed"][j]) ** 2,
                 ((flock.columns["gene_size"][i] - flock.columns["gene_size"][j]) / 2.5) ** 2])
        for i, j in itertools.combinations(range(N), 2)
        if flock.species[i] == flock.species[j]
    ]  # fmt: skip
    assert gene_diversity(flock) == pytest.approx(math.sqrt(np.mean(squares)))
    twins = evolving(columns={"gene_speed": np.full(N, 0.3)})
    assert gene_diversity(twins) == pytest.approx(0.0, abs=1e-12)
    assert math.isnan(gene_diversity(evolving(1, species=[0]))) and math.isnan(
        gene_diversity(evolving(columns={}))
    )


def test_heterozygosity_is_how_often_two_differ() -> None:
    flock = evolving()
    eyes = flock.columns["part_eye"]
    differ = np.mean([eyes[i] != eyes[j] for i, j in itertools.combinations(range(N), 2)])
    assert part_heterozygosity(flock) == pytest.approx(differ)
    assert math.isnan(part_heterozygosity(evolving(columns={})))


def test_which_measures_are_usual() -> None:
    plain = usual_measures()
    assert "births" not in plain and "gene_diversity" not in plain
    mortal = usual_measures(("energy",), ("one",), mortal=True)
    assert mortal == [*plain, *(n for n in mortal if n.startswith(("births", "deaths"))), "energy_mean"]
    flock = evolving(lives=Lives(1.0))
    found = measure_flock(flock)
    assert list(found) == usual_measures(flock.columns, flock.species_names, mortal=True)
    assert {
        "gene_speed_mean@owl",
        "gene_size_sd",
        "population@finch",
        "generation_max",
        "gene_diversity",
    } <= set(found)
    assert found["population@finch"] + found["population@owl"] == N
    assert cheap_measures(10**6, found) == [
        name for name in found if name in cheap_measures(10**6) or name not in plain
    ]


@pytest.mark.parametrize(
    "name", ["gene_sped_mean", "gene_speed_mean@wolf", "gene_speed_kurtosis", "population@", "@owl"]
)
def test_unknown_traits_are_refused_with_the_nearest(name: str) -> None:
    with pytest.raises(ValueError, match="must be a registered one, got") as caught:
        find_measure(name, ("gene_speed",), ("owl",))
    if name == "gene_sped_mean":
        assert "did you mean 'gene_speed_mean'" in str(caught.value)


def test_a_column_has_a_value_for_each_agent() -> None:
    with pytest.raises(ValueError, match="gene_speed must have a value for each of the 23 agents, got shape"):
        evolving(columns={"gene_speed": [1.0, 2.0]})
    with pytest.raises(ValueError, match="ids must have a value for each of the 23 agents"):
        evolving(ids=[1])
