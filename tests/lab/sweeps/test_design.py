"""Axes and designs: the requested points, reproducible, with independent seeds."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest
from scipy.stats import kstest, qmc

import murmura as mm
from murmura.core.errors import ScenarioError
from murmura.lab.sweeps.axes import listed_axes, read_axes
from murmura.lab.sweeps.design import Design, run_seed

CLASSIC = mm.load_scenario("classic")


def axis(text: str):
    return read_axes([text], CLASSIC)[0]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("rules.alignment.weight=0:2:5", (0.0, 0.5, 1.0, 1.5, 2.0)),
        ("rules.alignment.weight=0:0.3:4", (0.0, 0.1, 0.2, 0.3)),
        ("agents=100:10000:3:log", (100, 1000, 10000)),
        ("agents=10:20:3", (10, 15, 20)),
        ("rules.alignment.weight=1.5:2:1", (1.5,)),
        ("world.boundary=wrap,reflect", ("wrap", "reflect")),
        ("rules.noise.enabled=true,false", (True, False)),
        ("perception.nearest=null,7", (None, 7)),
        (" agents = 5 , 6 ", (5, 6)),
        ("rules.attractors.points=[],[[1.0,2.0,3.0]]", ([], [[1.0, 2.0, 3.0]])),
    ],
)
def test_axes_have_the_values_they_were_given(text: str, values: tuple):
    found = axis(text)
    assert found.grid() == values
    assert [type(v) for v in found.grid()] == [type(v) for v in values]
    assert axis(str(found)) == found


MISTAKES = {
    "agents": r"--vary takes PATH=LOW:HIGH:COUNT.*got 'agents'",
    "agents=": "got 'agents='",
    "=1,2": "got '=1,2'",
    "rules.alignment.wieght=0:1:3": r"did you mean 'rules\.alignment\.weight'",
    "agents=1:2:3:4": "finite numbers, got",
    "agents=a:b:3": "got 'agents=a:b:3'",
    "agents=0:inf:3": "finite numbers",
    "agents=5:1:3": "from a lower to a higher",
    "agents=5:5:3": "from a lower to a higher",
    "agents=1:10:0": "1 to 1,000,000 values, got 0",
    "agents=1:10:2.5": "got 'agents=1:10:2.5'",
    "agents=0:10:3:log": "must begin above 0",
    "agents=1.5:3:2": "takes whole numbers, got the range 1.5:3",
    "agents=1,,2": "empty value",
    "agents=1,2,1": "must differ",
}


@pytest.mark.parametrize("text", MISTAKES)
def test_mistakes_are_named(text: str):
    with pytest.raises(ScenarioError) as error:
        Design((axis(text),))
    assert re.search(MISTAKES[text], str(error.value)), str(error.value)


@pytest.mark.parametrize("kind", ["lhs", "sobol", "saltelli", "morris"])
def test_the_seed_of_a_design_moves_its_points(kind: str):
    if kind in ("saltelli", "morris"):
        pytest.importorskip("SALib")
    axes = (axis("agents=1:300"), axis("perception.radius=20:50"), axis("motion.max_speed=1:9"))
    points = [Design(axes, kind, 8, seed=seed).points for seed in (0, 1, 2, 2**63, 0)]
    np.testing.assert_array_equal(points[0], points[-1])
    for one, other in itertools.combinations(points[:-1], 2):
        assert one.shape == other.shape and not np.array_equal(one, other)


def test_other_mistakes_of_designs_are_named():
    with pytest.raises(ScenarioError, match="varied twice"):
        read_axes(["agents=1,2", "agents=3,4"], CLASSIC)
    with pytest.raises(ScenarioError, match="nothing is varied"):
        read_axes([], CLASSIC)
    with pytest.raises(ScenarioError, match="has fewer than 5"):
        Design((axis("agents=1:3:5"),))
    with pytest.raises(ScenarioError, match="needs a count"):
        Design((axis("agents=1:3"),))
    with pytest.raises(ScenarioError, match=r"'lsh'.*did you mean 'lhs'"):
        Design((axis("agents=1:3"),), "lsh", 3)
    with pytest.raises(ScenarioError, match="needs --samples"):
        Design((axis("agents=1:3"),), "lhs")
    with pytest.raises(ScenarioError, match="power of two"):
        _ = Design((axis("agents=1:3"),), "saltelli", 3).points
    with pytest.raises(ScenarioError, match="at least 1 repeat"):
        Design((axis("agents=1,3"),), repeats=0)


def test_tables_of_values_are_axes_too():
    found = listed_axes({"agents": np.array([3, 5]), "world.boundary": ["wrap"]}, CLASSIC)
    assert [axis.grid() for axis in found] == [(3, 5), ("wrap",)]
    assert type(found[0].grid()[0]) is int
    for table, message in (({}, "nothing"), ({"agents": []}, "list of values"), ({"agents": 3}, "got 3"),
                           ({"agentz": [1]}, "did you mean 'agents'"), ({"agents": "12"}, "got '12'")):  # fmt: skip
        with pytest.raises(ScenarioError, match=message):
            listed_axes(table, CLASSIC)  # type: ignore[arg-type]


def test_a_grid_is_the_product_of_its_axes_in_order():
    axes = read_axes(["rules.alignment.weight=0:2:3", "agents=10,20", "world.boundary=wrap,soft"], CLASSIC)
    design = Design(axes, repeats=3)
    cells = [tuple(design.cell(k).values()) for k in range(design.cell_count)]
    assert cells == list(itertools.product((0.0, 1.0, 2.0), (10, 20), ("wrap", "soft")))
    assert list(design.cell(0)) == [a.path for a in axes]
    assert design.run_count == 36
    assert design.task(35)["values"] == design.cell(11)
    assert Design.from_data(design.data()) == design


def test_a_grid_of_a_million_cells_costs_nothing():
    design = Design(read_axes(["rules.alignment.weight=0:1:1000", "rules.cohesion.weight=0:1:1000"], CLASSIC))
    assert design.cell_count == 10**6
    assert design.cell(999_999) == {"rules.alignment.weight": 1.0, "rules.cohesion.weight": 1.0}


def test_a_latin_hypercube_has_one_point_in_every_slice():
    design = Design(read_axes(["rules.alignment.weight=0:4", "agents=1:1000"], CLASSIC), "lhs", 50, seed=3)
    weights = [design.cell(k)["rules.alignment.weight"] for k in range(50)]
    assert sorted(int(w / 4.0 * 50) for w in weights) == list(range(50))
    assert all(isinstance(design.cell(k)["agents"], int) for k in range(50))
    assert Design.from_data(design.data()).fingerprint == design.fingerprint
    assert Design(design.axes, "lhs", 50, seed=4).fingerprint != design.fingerprint


def test_sobol_points_fill_the_cube_better_than_chance_and_fewer_are_the_first_of_more():
    axes = read_axes(["rules.alignment.weight=0:1", "rules.cohesion.weight=0:1"], CLASSIC)
    points = Design(axes, "sobol", 64, seed=1).points
    chance = [qmc.discrepancy(np.random.default_rng(k).random((64, 2))) for k in range(20)]
    assert qmc.discrepancy(points) < min(chance)
    np.testing.assert_array_equal(Design(axes, "sobol", 50, seed=1).points, points[:50])


def test_shares_of_an_axis_are_equally_likely():
    shares = (np.arange(10_000) + 0.5) / 10_000
    die, words = axis("agents=1:6"), axis("world.boundary=wrap,soft,open")
    decades = axis("rules.alignment.weight=0.01:100:5:log")
    dice = [die.at(u) for u in shares]
    assert max(dice.count(k) for k in range(1, 7)) - min(dice.count(k) for k in range(1, 7)) <= 1
    assert [words.at(u) for u in shares].count("soft") in (3333, 3334)
    logs = np.log10([decades.at(u) for u in shares])
    assert kstest(logs, "uniform", args=(-2.0, 4.0)).statistic < 1e-3
    assert die.at(1.0) == 6 and words.at(1.0) == "open"


def test_every_run_has_a_seed_of_its_own_whatever_the_repeats():
    few, many = (Design((axis("agents=10:60:6"),), repeats=r, seed=9) for r in (2, 5))
    assert {few.task(2 * c + k)["seed"] for c in range(6) for k in range(2)} == {
        many.task(5 * c + k)["seed"] for c in range(6) for k in range(2)
    }
    seeds = [run_seed(s, c, r) for s in range(10) for c in range(100) for r in range(10)]
    assert len(set(seeds)) == 10_000
    assert max(seeds) < 2**53
    assert kstest(np.array(seeds) / 2**53, "uniform").pvalue > 0.01
