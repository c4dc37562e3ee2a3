"""The family tree of a simulation, against events, states and a simple implementation."""

from __future__ import annotations

import numpy as np
import pytest

import murmura as mm
from murmura.core.errors import UnknownNameError
from murmura.core.events import Cause
from murmura.engine.lineage import ALIVE, Lineage, Register
from tests.lab.births_and_deaths import family


@pytest.fixture(scope="module")
def lived() -> tuple[mm.Simulation, list[dict]]:
    simulation = mm.Simulation(family(), 1, "reference")
    simulation.step(90)
    return simulation, simulation.events()


def naive(founders: dict[int, int], events: list[dict]) -> dict[int, dict]:
    """One dictionary per agent, filled in from the events."""
    people = {i: {"kind": k, "mother": None, "father": None, "born": 0, "died": None, "cause": None,
                  "generation": 0, "young": 0} for i, k in founders.items()}  # fmt: skip
    for event in sorted(events, key=lambda e: (e["step"], e["kind"], e["id"])):
        if event["kind"] == "birth":
            parents = [people[p] for p in (event["other"], event["father"]) if p is not None]
            for parent in parents:
                parent["young"] += 1
            people[event["id"]] = {
                "kind": parents[0]["kind"], "mother": event["other"], "father": event["father"],
                "born": event["step"], "died": None, "cause": None, "young": 0,
                "generation": 1 + max(parent["generation"] for parent in parents),
            }  # fmt: skip
        elif event["kind"] == "death":
            people[event["id"]] |= {"died": event["step"], "cause": event["cause"]}
    return people


def told(tree: Lineage) -> dict[int, dict]:
    def some(value: int) -> int | None:
        return None if value < 0 else int(value)

    return {
        int(tree.ids[k]): {
            "kind": int(tree.species[k]), "mother": some(tree.mothers[k]), "father": some(tree.fathers[k]),
            "born": int(tree.born[k]), "died": some(tree.died[k]), "cause": tree.cause_name(k),
            "generation": int(tree.generations[k]), "young": int(tree.young[k]),
        }
        for k in range(len(tree))
    }  # fmt: skip


def test_the_lineage_agrees_with_the_events(lived) -> None:
    simulation, events = lived
    tree = simulation.lineage()
    start = mm.Simulation(family(), 1, "reference").state
    expected = naive(dict(zip(start.ids.tolist(), start["species"].tolist(), strict=True)), events)
    assert told(tree) == expected
    assert tree.generations.max() >= 3 and {"age", "starvation"} <= {e["cause"] for e in events}


def test_the_living_are_those_of_the_state(lived) -> None:
    simulation, _ = lived
    tree = simulation.lineage()
    np.testing.assert_array_equal(tree.ids[tree.alive], simulation.ids)
    np.testing.assert_array_equal(tree.generations[tree.alive], simulation.column("generation"))
    np.testing.assert_array_equal(tree.species[tree.alive], simulation.column("species"))


@pytest.mark.parametrize("pieces", [[1] * 60, [60], [7, 20, 33]])
def test_the_lineage_does_not_depend_on_batches(pieces: list[int]) -> None:
    # In one piece, children and grandchildren arrive in one batch of events.
    simulation = mm.Simulation(family(), 1, "reference")
    for piece in pieces:
        simulation.step(piece)
    whole = mm.Simulation(family(), 1, "reference")
    whole.step(60)
    assert told(simulation.lineage()) == told(whole.lineage())


def test_both_parents_and_both_backends() -> None:
    # In a colony the young have a mother and a father, and count for both.
    simulation = mm.Simulation("colony", 3, "cpu", 1)
    founders = dict(zip(simulation.ids.tolist(), simulation.column("species").tolist(), strict=True))
    simulation.step(4000)
    tree = simulation.lineage()
    assert told(tree) == naive(founders, simulation.events())
    assert (tree.fathers[~tree.founders] >= 0).all() and (~tree.founders).sum() > 20
    some = int(tree.ids[np.argmax(tree.young)])
    assert len(tree.children(some)) == tree.young.max() > 1


def test_lines_and_pruning(lived) -> None:
    tree = lived[0].lineage()
    people = told(tree)

    def line(i: int) -> list[int]:
        mother = people[i]["mother"]
        return [] if mother is None else [mother, *line(mother)]

    for i in people:
        assert tree.maternal_line(i) == line(i)
    members = {i: [j for j in people if i == j or i in line(j)] for i in people}
    np.testing.assert_array_equal(
        tree.line_totals(np.ones(len(tree))), [len(members[i]) for i in tree.ids.tolist()]
    )
    kept = tree.pruned(living=True)
    expected = [i for i in people if any(people[j]["died"] is None for j in members[i])]
    assert kept.ids.tolist() == expected and 0 < len(expected) < len(tree)
    large = tree.pruned(least=6)
    assert large.ids.tolist() == [i for i in people if len(members[(line(i) or [i])[-1]]) >= 6]
    assert 0 < len(large) < len(tree)
    for part in (kept, large):  # the mother of every kept agent is kept too
        assert ((part.mothers < 0) | (part.mother_rows >= 0)).all()
    assert len(tree.pruned(living=True, least=10**6)) == 0


def test_counts_at_any_step(lived) -> None:
    simulation, _ = lived
    tree, again = simulation.lineage(), mm.Simulation(family(), 1, "reference")
    for step in range(0, 91, 15):
        again.step(step - again.step_count)
        kinds = again.column("species")
        assert tree.population([step])[0] == again.agent_count
        for kind in (0, 1):
            assert tree.population([step], kind)[0] == (kinds == kind).sum()
    causes = sum(tree.deaths([90], cause=int(cause))[0] for cause in Cause)
    assert tree.deaths([90])[0] == causes == (~tree.alive).sum()
    assert tree.births([90])[0] == len(tree) - 20 == tree.births([90], 0)[0] + tree.births([90], 1)[0]


def test_agents_added_and_removed_by_hand() -> None:
    simulation = mm.Simulation(mm.load_scenario("classic").with_values({"agents": 5}), 1, "reference")
    simulation.step(2)
    simulation.remove_agents([1, 3])
    simulation.step(1)
    born = simulation.add_agents([[10, 10]], [[1, 0]])
    tree = simulation.lineage()
    assert tree.ids.tolist() == [0, 1, 2, 3, 4, 5] and born.tolist() == [5]
    assert tree.died.tolist() == [ALIVE, 2, ALIVE, 2, ALIVE, ALIVE]
    assert tree.cause_name(1) == "removed" and tree.cause_name(0) is None
    assert tree.born.tolist() == [0, 0, 0, 0, 0, 3]
    assert tree.population([0, 2, 3]).tolist() == [5, 3, 4]
    assert "3 of them" not in repr(tree) and "4 of them alive at step 3" in repr(tree)
    with pytest.raises(UnknownNameError, match="no agent with the id 77 has lived"):
        tree.row(77)


def test_a_restored_flock_continues_with_its_generations(tmp_path) -> None:
    simulation = mm.Simulation(family(), 1, "reference")
    simulation.step(40)
    simulation.save(tmp_path / "there.npz")
    restored = mm.Simulation.restore(tmp_path / "there.npz", "reference")
    fresh = restored.lineage()
    assert fresh.first == 40 and fresh.founders.all()
    np.testing.assert_array_equal(fresh.generations, simulation.column("generation"))
    restored.restore_lineage(simulation.lineage())
    for each in (simulation, restored):
        each.step(20)
    assert told(restored.lineage()) == told(simulation.lineage())
    assert restored.measure() == pytest.approx(simulation.measure(), nan_ok=True)


def test_an_earlier_flock_may_return_and_another_starts_over() -> None:
    register = Register(np.array([2, 5]), np.array([0, 0]), 0)
    register.add_unknown(np.array([2]), np.array([0]), 4)
    register.add_unknown(np.array([2, 5]), np.array([0, 0]), 5)
    assert register["died"].tolist() == [ALIVE, ALIVE]
    register.add_unknown(np.array([1, 2, 3]), np.array([0, 1, 0]), 9)  # 1 and 3 cannot have been born after 5
    tree = register.lineage(("a", "b"), 9, 0.5)
    assert tree.ids.tolist() == [1, 2, 3] and tree.first == 9 and tree.species.tolist() == [0, 1, 0]
