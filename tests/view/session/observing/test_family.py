"""Messages about births, deaths, periods and relatives, live and of a recording."""

from __future__ import annotations

import time

import numpy as np
import pytest

import murmura as mm
from murmura.lab.runs.branching import BranchableRun
from murmura.lab.runs.recording import record
from murmura.view.playback.recorded import RecordedSource
from murmura.view.session.observing.chronicle import Chronicle
from murmura.view.session.observing.family import ANCESTORS, MOST_YOUNG, family
from murmura.view.wire.frames import EXTRAS, encode, extras_of, stances_of
from tests.lab.births_and_deaths import family as heirs
from tests.view.live import Frame, Page, flock


@pytest.fixture(scope="module")
def lived() -> mm.Simulation:
    simulation = mm.Simulation(heirs(), 1, "reference")
    simulation.step(60)
    return simulation


def test_relations_are_those_of_the_family_tree(lived: mm.Simulation) -> None:
    tree = lived.lineage()
    for agent in lived.ids.tolist():
        told = family(lived, agent)
        assert told is not None
        row = tree.row(agent)
        assert (told["generation"], told["young"]) == (tree.generations[row], tree.young[row])
        assert told["born"] == pytest.approx(tree.born[row] / 60.0)
        young = [i for i in tree.children(agent).tolist() if i in lived.ids]
        assert told["living"] == len(young) and told["children"] == young[::-1][:MOST_YOUNG]
        line = [*tree.maternal_line(agent), -1][:ANCESTORS]
        node, found = {"parents": told["ancestors"]}, []
        while node["parents"]:
            [node] = node["parents"]
            assert node["role"] == "mother" and node["alive"] is (node["id"] in lived.ids)
            assert (node["fate"] is None) is node["alive"]
            found.append(node["id"])
        assert found == [i for i in line if i >= 0]
        assert told["founder"] == ([agent, *tree.maternal_line(agent)])[-1]


def test_a_colony_has_fathers_too() -> None:
    simulation = mm.Simulation("colony", 3, "cpu", 1)
    simulation.step(4000)
    youngest = int(simulation.ids[-1])
    told = family(simulation, youngest)
    assert told is not None and [parent["role"] for parent in told["ancestors"]] == ["mother", "father"]
    born = next(e for e in simulation.events() if e["kind"] == "birth" and e["id"] == youngest)
    assert [parent["id"] for parent in told["ancestors"]] == [born["other"], born["father"]]


def test_where_nobody_dies_there_is_nothing_to_tell() -> None:
    simulation = mm.Simulation(flock(10), 1, "reference")
    chronicle = Chronicle()
    chronicle.update(1, simulation, 100.0, None)
    assert family(simulation, 3) is None and chronicle.report() == {} and not simulation.keeps_lineage
    assert mm.Simulation(heirs(), 1, "reference").keeps_lineage


def test_births_deaths_by_cause_and_times_are_reported() -> None:
    simulation, chronicle = mm.Simulation(heirs(), 1, "reference"), Chronicle()
    now = time.perf_counter()
    chronicle.update(1, simulation, now, 1.0)
    assert chronicle.report() == {}
    simulation.step(60)
    chronicle.update(1, simulation, now + 100.0, 0.1)
    assert simulation.events() == []  # read, so that they do not accumulate without pages
    told, tree = chronicle.report(), simulation.lineage()
    assert told["births"] == len(tree) - 20 and told["deaths"] == (~tree.alive).sum()
    assert sum(told["causes"].values()) == told["deaths"] and set(told["causes"]) == {"starvation", "age"}
    assert {"mass_extinction", "mating_season", "starvation", "boom"} <= {
        each["kind"] for each in told["times"]
    }
    begun = {each["kind"]: each["begin"] for each in told["times"] if each["lasts"]}
    assert begun.pop("predator_dominance") == 0.0  # half of them are owls from the beginning
    assert set(begun.values()) == {simulation.time}
    chronicle.update(2, mm.Simulation(heirs(), 1, "reference"), now + 100.1, None)  # another run
    assert chronicle.report() == {}


def test_a_page_is_notified(page: Page) -> None:
    page.still(heirs())
    page.send("step", count=30)
    status = page.wait("status", lambda told: told["step"] == 30 and "births" in told)
    assert status["births"] > 0 and "times" in status
    assert "gene_speed_mean" in page.wait("status", lambda told: "births" in told["measures"])["measures"]
    agent = int(page._session.simulation.ids[-1])
    page.send("select", id=agent)
    told = page.wait("inspect", lambda told: told["id"] == agent)
    assert told["family"] == family(page._session.simulation, agent)


def test_genes_and_stances_are_columns_where_they_are() -> None:
    assert stances_of(flock()) == [] and stances_of(heirs()) == ["idle", "seeking_food", "fleeing"]
    assert extras_of(flock()) == ["density", "panic", "energy"]
    assert extras_of(heirs()) == ["density", "panic", "energy", "stance", "gene_speed", "gene_size"]


@pytest.mark.parametrize("extra", ["stance", "gene_speed", "gene_size"])
def test_a_frame_holds_a_gene_or_a_stance(lived: mm.Simulation, extra: str) -> None:
    frame = Frame(encode(lived, 1, extra))
    number, column, top = EXTRAS[extra]
    np.testing.assert_allclose(
        frame.extra, lived.column(column), atol=0 if extra == "stance" else top / 254.0
    )
    assert frame.column == number and np.ptp(frame.extra) > 0
    # Another scenario may not have it: then density is shown, and the status says so.
    assert Frame(encode(mm.Simulation(flock(5), 1, "reference"), 1, extra)).column == 0


def test_a_page_may_ask_for_what_is_there(page: Page) -> None:
    page.still(heirs())
    hello = page.newest["hello"]
    assert "gene_speed" in hello["columns"]
    page.send("extra", column="gene_hue")
    refused = page.wait("error")["message"]
    assert "column must be one of density, panic, energy, stance, gene_speed, gene_size" in refused


def test_a_recording_knows_its_relations_at_any_time(tmp_path) -> None:
    simulation = mm.Simulation(heirs(), 1, "reference")
    run = record(simulation, 60, tmp_path / "run", every=15, columns=["gene_speed"])
    played = RecordedSource(BranchableRun(run))
    twin = mm.Simulation(heirs(), 1, "reference")
    for step in (60, 30, 45):
        played.seek(step)
        twin = mm.Simulation(heirs(), 1, "reference")
        twin.step(step)
        for agent in played.flock.ids.tolist()[::7]:
            assert family(played.flock, agent) == family(twin, agent)
        np.testing.assert_array_equal(played.flock.column("gene_speed"), twin.column("gene_speed"))
