"""Immigrants: which, when, where and with what; population limits; and family trees."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.core.errors import ScenarioError
from murmura.lab.exports.lineage import newick, table
from murmura.lab.runs.recording import record
from murmura.rules.evolution.phenotype import GENES, PARTS
from tests.parity.scenes import scenario_of

ALWAYS = 600.0  # [1/min] one in every step of a tenth of a second


def world(agents: int = 60, **values: Any) -> mm.Scenario:
    """The scene in which parity is tested, and its kernel: prey and predators between walls, newcomers of both."""
    changed = {f"rules.{name.replace('__', '.')}": value for name, value in values.items()}
    return scenario_of("scored").with_values({"agents": agents, **changed})


def arrivals(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [e for e in events if e["kind"] == "arrival"]


# Issue 6: immigration as an option
def test_a_newcomer_is_a_founder_without_parents(backend: str) -> None:
    scenario = world(30, immigration__rate=ALWAYS)
    sim = mm.Simulation(scenario, seed=5, backend=backend)
    sim.step()
    told = arrivals(sim.events())
    assert [(e["id"], e["species"], e["other"], e["amount"]) for e in told] == [
        (30, 0, None, 0.0),
        (31, 1, None, 0.0),
    ]
    new = sim.ids >= 30
    for column, value in {
        "mother_id": -1,
        "father_id": -1,
        "generation": 0,
        "energy": 1.0,
        "health": 1.0,
    }.items():
        assert sim.column(column)[new].tolist() == [value] * 2, column
    assert sim.column("species")[new].tolist() == [0, 1]
    # The genes that the same ids would have had as founders of their species.
    founders = mm.Simulation(
        scenario, seed=5, backend="reference", positions=np.full((2, 2), 50.0), ids=np.array([30, 31]),
        species=np.array([0, 1]),
    )  # fmt: skip
    for column in (*(f"gene_{g}" for g in GENES), *(f"part_{p}" for p in PARTS), "age"):
        assert sim.column(column)[new] == pytest.approx(founders.column(column), abs=1e-6), column
    vx, vy = sim.velocities[new].T
    assert np.hypot(vx, vy) == pytest.approx(0.5 * 10.0 * sim.column("gene_speed")[new], rel=1e-5)
    assert sim.column("heading")[new] == pytest.approx(np.arctan2(vy, vx), abs=1e-5)


def places_of(boundary: str) -> np.ndarray:
    values = {"world.boundary": boundary, "rules.reproduction.most": 400}
    backend = "cpu" if boundary == "reflect" else "reference"  # no kernel of its own for this
    sim = mm.Simulation(world(2, immigration__rate=ALWAYS).with_values(values), seed=1, backend=backend)
    found = []
    for _ in range(45):
        sim.step()
        found += [(e["x"], e["y"]) for e in arrivals(sim.events())]
    return np.array(found) / [600.0, 450.0]


@pytest.mark.parametrize("boundary", ["reflect", "wrap"])
def test_they_come_through_the_walls_or_anywhere(boundary: str) -> None:
    places = places_of(boundary)
    assert len(places) > 45 and (places >= 0.0).all() and (places <= 1.0).all()
    rim = ((places == 0.0) | (places == 1.0)).any(axis=1)
    if boundary == "wrap":
        assert not rim.any()
        assert (np.histogram2d(*places.T, bins=3, range=[[0, 1], [0, 1]])[0] > 0).all()
        return
    assert rim.all()
    sides = [places[:, 0] == 0.0, places[:, 0] == 1.0, places[:, 1] == 0.0, places[:, 1] == 1.0]
    counts = np.array([side.sum() for side in sides])
    assert (counts > 5).all() and counts[2:].sum() > counts[:2].sum(), "long sides have more"


def test_so_many_come_in_a_minute() -> None:
    """The number in 40 minutes is Poisson's: within four standard deviations of the mean."""
    data = world(0, immigration__rate=15.0, ageing__span=0.0).model_dump(mode="json")
    for kind in data["species"]:
        kind["values"]["rules.ageing.least"] = 0.05  # so that there is always room
    sim = mm.Simulation(mm.Scenario.from_data(data), seed=2, backend="cpu", threads=1)
    came = np.zeros(2)
    for _ in range(40):
        sim.step(600)
        came += np.bincount([e["species"] for e in arrivals(sim.events())], minlength=2)
    assert (abs(came - 600.0) < 4.0 * 600.0**0.5).all(), came


def test_a_species_that_died_out_comes_back_and_then_nobody_comes() -> None:
    data = world(40, immigration__rate=60.0).model_dump(mode="json")
    data["species"][0]["values"]["rules.immigration.rate"] = 0.0
    data["species"][1]["values"]["rules.immigration.below"] = 3.0
    sim = mm.Simulation(mm.Scenario.from_data(data), seed=3, backend="cpu", threads=1)
    sim.remove_agents(sim.ids[sim.column("species") == 1])
    most = 0
    for _ in range(300):
        before = int((sim.column("species") == 1).sum())
        sim.step()
        told = arrivals(sim.events())
        assert {e["species"] for e in told} <= {1}
        assert before < 3 or not told
        most = max(most, before)
    assert most >= 3


def test_caps_hold_though_young_and_newcomers_want_the_same_place() -> None:
    data = world(60, immigration__rate=ALWAYS, reproduction__most=90, reproduction__asexual=1.0).model_dump(
        mode="json"
    )
    for kind, cap in zip(data["species"], (70.0, 12.0), strict=True):
        kind["values"] |= {
            "rules.reproduction.most_of_kind": cap, "rules.reproduction.cooldown": 1.0,
            "rules.reproduction.energy_threshold": 0.1, "rules.ageing.least": 20.0,
        }  # fmt: skip
    sim = mm.Simulation(mm.Scenario.from_data(data), seed=6, backend="cpu", threads=1)
    kinds: set[str] = set()
    full = np.zeros(2)
    for _ in range(400):
        sim.step()
        counts = np.bincount(sim.column("species"), minlength=2)
        assert (counts <= [70, 12]).all() and counts.sum() <= 90
        full += counts == [70, 12]
        kinds |= {e["kind"] for e in sim.events()}
    assert (full > 5).all(), "the caps were never met"
    assert kinds >= {"birth", "arrival", "death"}


def test_threads_and_pieces_never_change_a_bit() -> None:
    found = set()
    for threads, pieces in ((1, 1), (2, 50), (3, 7)):
        sim = mm.Simulation(world(60, immigration__rate=90.0), seed=9, backend="cpu", threads=threads)
        for _ in range(pieces):
            sim.step(350 // pieces)
        told = sim.events()
        assert len(arrivals(told)) > 20
        found.add((sim.state_hash(), str(told)))
    assert len(found) == 1


def test_a_world_may_begin_empty() -> None:
    sim = mm.Simulation(world(0, immigration__rate=60.0), seed=4, backend="cpu", threads=1)
    sim.step(200)
    assert sim.agent_count > 10


def test_family_trees_know_newcomers_and_the_books_balance(tmp_path: Path) -> None:
    scenario = world(60, immigration__rate=60.0, ageing__least=20.0)
    sim = mm.Simulation(scenario, seed=7, backend="cpu", threads=1)
    run = record(sim, 900, tmp_path / "run", every=90)
    events, tree = list(run.events()), mm.lineage(run)
    told = {kind: [e for e in events if e["kind"] == kind] for kind in ("birth", "arrival", "death")}
    assert all(len(rows) > 10 for rows in told.values())
    for frame in run.frames:
        counts = {kind: sum(e["step"] <= frame.step for e in rows) for kind, rows in told.items()}
        assert frame.agent_count == 60 + counts["birth"] + counts["arrival"] - counts["death"]
        assert tree.births([frame.step])[0] == counts["birth"]
        assert tree.arrivals([frame.step])[0] == counts["arrival"]
        assert tree.population([frame.step])[0] == frame.agent_count
    for e in told["arrival"]:
        row = tree.row(e["id"])
        assert (tree.mothers[row], tree.fathers[row], tree.generations[row]) == (-1, -1, 0)
        assert (tree.species[row], tree.born[row]) == (e["species"], e["step"]) and tree.founders[row]
    live = mm.lineage(sim)
    for name in ("ids", "species", "mothers", "fathers", "born", "died", "generations"):
        assert np.array_equal(getattr(live, name), getattr(tree, name)), name
    frame = run.frames[-1]
    assert np.array_equal(tree.species[tree.alive], frame.species), "children of newcomers have their species"
    # A tree for each one without a mother, a newcomer's as long as the time until it came.
    lines = newick(tree).splitlines()
    assert len(lines) == tree.founders.sum() == 60 + len(told["arrival"])
    lone = next(e for e in told["arrival"] if not len(tree.children(e["id"])))
    kind = tree.species_names[lone["species"]]
    assert f"{lone['id']}:{lone['step'] * 0.1:.6g}[&&NHX:S={kind}];" in lines
    rows = table(tree)
    assert (
        rows["mother"].null_count()
        == rows["father"].null_count()
        - rows.filter(rows["mother"].is_not_null() & rows["father"].is_null()).height
        == 60 + len(told["arrival"])
    )
    measured = sim.measure()["births"]
    assert measured == pytest.approx(sum(e["step"] > 300 for e in told["birth"])), "newcomers are no births"


def test_the_figure_tells_arrivals_from_births(tmp_path: Path) -> None:
    from matplotlib.figure import Figure

    from murmura.lab.figures.lineage import _draw_rates

    sim = mm.Simulation(world(60, immigration__rate=60.0), seed=7, backend="cpu", threads=1)
    sim.step(600)
    tree = sim.lineage()
    panel = Figure().subplots()
    _draw_rates(panel, tree, [])
    drawn = {bars.get_label(): sum(bar.get_height() for bar in bars) for bars in panel.containers}
    minutes = 1.0 / len(panel.containers[0])
    assert drawn["births"] * minutes == pytest.approx(tree.births([600])[0])
    assert drawn["arrivals"] * minutes == pytest.approx(tree.arrivals([600])[0]) and drawn["arrivals"] > 0


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"rules.genome.enabled": False}, ["rules.immigration", "rules.genome.enabled = true"]),
        (
            {"rules.reproduction.enabled": False},
            ["rules.immigration", "caps", "rules.reproduction.enabled = true"],
        ),
        ({"obstacles": [{"x": 90.0, "y": 80.0, "radius": 25.0}]}, ["rules.immigration", "obstacle"]),
        ({"rules.immigration.rate": -1.0}, ["rules.immigration.rate", "-1"]),
    ],
)
def test_invalid_options_are_refused(values: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(ScenarioError) as error:
        world().with_values(values)
    for word in words:
        assert word in str(error.value)
