"""Counts of a population against given columns, and the event feed."""

from __future__ import annotations

import numpy as np

import murmura as mm
from murmura.core.state import FeedingState, Gender, MatingState
from murmura.view.session.observing.event_feed import MOST_KEPT, MOST_SENT, EventFeed
from murmura.view.session.observing.population import copied_columns, count_population, counted_columns
from tests.lab.births_and_deaths import family
from tests.view.live import flock


def test_a_plain_flock_needs_no_column_and_has_no_counts():
    sim = mm.Simulation(flock(8), 3, "reference")
    assert counted_columns(sim.scenario) == ()
    assert count_population(sim.scenario, copied_columns(sim)) == {}


def test_kinds_stances_and_who_is_busy_are_counted():
    scenario = mm.load_scenario("ecosystem")
    columns = {
        "species_id": np.array([0, 0, 2, 4, 4, 4]),
        "stance": np.array([0, 2, 2, 3, 3, 5]),
        "gender": np.array([Gender.MALE, Gender.FEMALE] * 3),
        "feeding_state": np.array([FeedingState.FEEDING, *[FeedingState.NONE] * 5]),
    }
    told = count_population(scenario, columns)
    assert told["species"] == {"explorer": 2, "social": 0, "independent": 1, "cautious": 0, "predator": 3}
    assert told["stances"] == {
        "idle": 1, "flocking": 0, "fleeing": 2, "hunting": 2, "seeking_food": 0, "mating": 1,
    }  # fmt: skip
    assert (told["hunters"], told["prey"], told["males"], told["females"], told["feeding"]) == (3, 3, 3, 3, 1)


def test_two_make_a_pair_and_two_a_fight():
    scenario = mm.load_scenario("courtship")
    states = [MatingState.COURTING, MatingState.COURTING, MatingState.MATING, MatingState.MATING]
    states += [MatingState.FIGHTING] * 3
    told = count_population(scenario, {"mating_state": np.array(states)})
    assert told == {"pairs": 2, "fights": 2}


def test_a_simulation_gives_copies():
    sim = mm.Simulation(family(), 3, "reference")
    columns = copied_columns(sim)
    assert "stance" in columns and columns["stance"].base is not sim.state["stance"]


def test_the_feed_numbers_what_happens_and_begins_again_with_another_flock():
    feed = EventFeed()
    feed.add(1, [{"kind": "birth", "id": k} for k in range(MOST_KEPT + 50)])
    assert feed.totals == {"birth": MOST_KEPT + 50}
    told = feed.since(0)
    assert len(told) == MOST_SENT and told[-1] == {
        "number": feed.newest,
        "kind": "birth",
        "id": MOST_KEPT + 49,
    }
    assert feed.since(feed.newest) == []
    feed.add(2, [{"kind": "death", "id": 7}])
    assert feed.totals == {"death": 1} and [event["id"] for event in feed.since(0)] == [7]


def test_the_feed_may_grow_while_somebody_reads_it():
    """A server reads in its thread while the session adds in its own."""
    feed = EventFeed()

    class First(int):
        """A number that calls a function whenever it is compared."""

        def __lt__(self, other: int) -> bool:
            feed.add(1, [{"kind": "meal"}])
            return int(self) < other

    feed.add(1, [{"kind": "birth"}, {"kind": "death"}])
    assert [event["kind"] for event in feed.since(First(0))] == ["birth", "death"]
    assert [event["number"] for event in feed.since(2)] == [3, 4]
