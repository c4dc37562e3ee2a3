"""The state columns: document 002's table, births, deaths, and messages for missing columns."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from murmura import Scenario, Simulation
from murmura.core.errors import ScenarioError, UnknownNameError
from murmura.core.state import DTYPE, LARGEST_ID, NO_AGENT, FeedingState, Gender, MatingState, State

FLOATS = [
    "position_x",
    "position_y",
    "velocity_x",
    "velocity_y",
    "acceleration_x",
    "acceleration_y",
    "heading",
    "panic_level",
    "local_density",
    "energy",
    "aggression_level",
    "feeding_timer",
    "mating_timer",
    "mating_cooldown",
]
INTEGERS = ["id", "species_id", "gender", "feeding_state", "mating_state", "target_food_id", "target_mate_id"]


def test_columns_are_those_of_document_002() -> None:
    # S2-22, S2-23, S2-24, S2-25, S2-26
    assert list(DTYPE.names) == FLOATS + INTEGERS
    assert all(DTYPE[name] == np.float32 for name in FLOATS)
    assert all(DTYPE[name] == np.int32 for name in INTEGERS)
    state = State(7)
    assert {name: column.dtype for name, column in state.columns.items()} == {
        n: DTYPE[n] for n in DTYPE.names
    }
    assert {column.shape for column in state.columns.values()} == {(7,)}


def test_an_agent_takes_84_bytes() -> None:
    # S2-27 with decision 6: the list adds up to 14 float32 and 7 int32
    assert len(FLOATS) * 4 + len(INTEGERS) * 4 == DTYPE.itemsize == 84
    assert sum(column.nbytes for column in State(10_000).columns.values()) == 840_000


def test_codes() -> None:
    # S2-28, S2-29, S2-30, S2-8, S2-11
    assert {s.name.lower(): s.value for s in FeedingState} == {
        "none": 0,
        "approaching": 1,
        "gathering": 2,
        "feeding": 3,
    }
    assert {s.name.lower(): s.value for s in MatingState} == {
        "none": 0, "seeking": 1, "approaching": 2, "courting": 3, "mating": 4, "fighting": 5, "cooldown": 6,
    }  # fmt: skip
    assert {s.name.lower(): s.value for s in Gender} == {"female": 0, "male": 1}


def test_a_new_agent() -> None:
    # S2-1, S2-2, S2-4…S2-14, S2-16
    state = State(3)
    assert state.ids.tolist() == [0, 1, 2]
    zero = {*FLOATS, *INTEGERS} - {"id", "energy", "target_food_id", "target_mate_id"}
    for name in zero:
        assert not state[name].any(), name
    assert state["energy"].tolist() == [1.0] * 3
    assert state["target_food_id"].tolist() == state["target_mate_id"].tolist() == [NO_AGENT] * 3 == [-1] * 3


def test_species_0_is_called_default() -> None:
    # S2-2
    assert Scenario().species_names() == ("default",)
    sim = Simulation(Scenario(agents=3), backend="reference")
    assert sim.column("species_id").tolist() == [0, 0, 0]
    assert sim.explain(0)["state"]["species"] == "default"


@pytest.fixture(scope="module")
def flock() -> Simulation:
    return Simulation(Scenario(agents=4000), seed=12, backend="reference")


def test_half_of_a_flock_are_males(flock: Simulation) -> None:
    # S2-3
    gender = flock.column("gender")
    assert set(gender) == {Gender.FEMALE, Gender.MALE}
    assert stats.binomtest(int(gender.sum()), 4000, 0.5).pvalue > 1e-3


def test_only_males_are_aggressive(flock: Simulation) -> None:
    # S2-15
    gender, aggression = flock.column("gender"), flock.column("aggression_level")
    assert not aggression[gender == Gender.FEMALE].any()
    males = aggression[gender == Gender.MALE]
    assert males.min() >= 0.5
    assert males.max() <= 1.0
    assert stats.kstest((males - 0.5) * 2.0, "uniform").pvalue > 1e-3


def test_a_flock_starts_at_speed_5_in_all_directions(flock: Simulation) -> None:
    # S2-17, S0-17, S2-4, S2-16
    np.testing.assert_allclose(np.hypot(*flock.velocities.T), 5.0, rtol=1e-6)
    heading = flock.column("heading")
    np.testing.assert_allclose(heading, np.arctan2(*flock.velocities.T[::-1]), atol=1e-6)
    assert stats.kstest(heading / (2.0 * np.pi) + 0.5, "uniform").pvalue > 1e-3
    assert not flock.forces.any()


def test_a_flock_starts_calm_rested_and_single(flock: Simulation) -> None:
    # S2-5, S2-6, S2-7, S2-8…S2-14
    assert not flock.column("panic_level").any()
    assert not flock.column("local_density").any()
    assert (flock.column("energy") == 1.0).all()
    assert (flock.column("feeding_state") == FeedingState.NONE).all()
    assert (flock.column("mating_state") == MatingState.NONE).all()
    assert (flock.column("target_food_id") == -1).all()
    assert (flock.column("target_mate_id") == -1).all()


def test_births_get_new_ids_and_defaults() -> None:
    # S2-1, S2-22
    state = State(3)
    born = state.add({"position_x": [5.0, 6.0], "panic": [0.5, 0.25]})
    assert born.tolist() == [3, 4]
    assert born.dtype == np.int32
    assert state.ids.tolist() == [0, 1, 2, 3, 4]
    assert state["position_x"].tolist() == [0.0, 0.0, 0.0, 5.0, 6.0]
    assert state["panic_level"].tolist() == [0.0, 0.0, 0.0, 0.5, 0.25]
    assert state["energy"].tolist() == [1.0] * 5
    assert state["target_mate_id"].tolist() == [-1] * 5
    assert {name: column.dtype for name, column in state.columns.items()} == {
        n: DTYPE[n] for n in DTYPE.names
    }


def test_one_birth_may_be_given_as_plain_numbers() -> None:
    state = State(1)
    assert state.add({"position_x": 5.0, "energy": 0.5}).tolist() == [1]
    assert state["position_x"].tolist() == [0.0, 5.0]
    assert state["energy"].tolist() == [1.0, 0.5]


def test_deaths_leave_ids_and_order_alone() -> None:
    # S2-1
    state = State(6)
    state["position_x"][:] = np.arange(6) * 10.0
    state.remove([4, 1])
    assert state.ids.tolist() == [0, 2, 3, 5]
    assert state["position_x"].tolist() == [0.0, 20.0, 30.0, 50.0]
    assert state.rows_of([5, 0, 3]).tolist() == [3, 0, 2]
    assert {len(column) for column in state.columns.values()} == {4}


def test_the_newest_id_is_not_given_again_after_its_death() -> None:
    # S2-1
    state = State(2)
    state.remove(state.add({"energy": [1.0]}))
    state.remove([0, 1])
    assert len(state) == 0
    assert state.add({"energy": [1.0, 1.0]}).tolist() == [3, 4]


def test_no_births_and_no_deaths() -> None:
    state = State(2)
    assert state.add({}).tolist() == []
    state.remove([])
    state.remove(np.array([], np.int32))
    assert state.ids.tolist() == [0, 1]


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 5)), max_size=30))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_any_history_of_births_and_deaths(history: list[tuple[bool, int]]) -> None:
    # S2-1: an agent keeps its id and its values; no id is used twice; rows stay in ascending id
    state, alive, ever = State(3), {0: 0.0, 1: 0.0, 2: 0.0}, {0, 1, 2}
    for birth, count in history:
        if birth:
            weights = [len(ever) + 0.5 * k for k in range(count)]
            born = state.add({"energy": weights}).tolist()
            assert not ever & set(born)
            ever |= set(born)
            alive |= dict(zip(born, weights, strict=True))
        else:
            for victim in sorted(alive)[:count]:
                state.remove(victim)
                del alive[victim]
        assert state.ids.tolist() == sorted(alive)
        assert [e for i, e in zip(state.ids.tolist(), state["energy"].tolist(), strict=True) if i > 2] == [
            alive[i] for i in sorted(alive) if i > 2
        ]


def test_a_copy_is_a_copy() -> None:
    state = State(2)
    twin = state.copy()
    twin["energy"][:] = 0.0
    twin.add({"energy": [1.0]})
    assert state["energy"].tolist() == [1.0, 1.0]
    assert state.next_id == 2
    assert twin.next_id == 3


def test_digest_sees_every_column_the_step_and_the_next_id() -> None:
    base = State(3)
    digests = {base.digest(0), base.digest(1)}
    for name in DTYPE.names:
        twin = base.copy()
        twin.columns[name][1] += 1
        digests.add(twin.digest(0))
    later = base.copy()
    later.next_id += 1
    digests.add(later.digest(0))
    assert len(digests) == 2 + len(DTYPE.names) + 1
    assert base.copy().digest(0) == base.digest(0)


def test_short_names() -> None:
    state = State(2)
    for short, full in {
        "panic": "panic_level",
        "species": "species_id",
        "aggression": "aggression_level",
    }.items():
        assert state[short] is state[full]
    assert state["neighbors"] is state["local_density"]


def test_an_unknown_column_is_reported_with_its_nearest() -> None:
    with pytest.raises(
        UnknownNameError, match=r"no column is called 'postion_x' \(did you mean 'position_x'\?\); columns: "
    ):
        State(1)["postion_x"]
    with pytest.raises(UnknownNameError, match=r"no column is called 'zzz'; columns: position_x, .*panic"):
        State(1).add({"zzz": [1.0]})


@pytest.mark.parametrize("wanted", [3, -1, [0, 99], 2**40])
def test_an_unknown_id_is_reported_with_those_alive(wanted: int) -> None:
    state = State(4)
    state.remove(3)
    missing = wanted[-1] if isinstance(wanted, list) else wanted
    with pytest.raises(
        UnknownNameError, match=f"no agent has the id {missing}; alive: 3 agents with ids from 0 to 2"
    ):
        state.rows_of(wanted)
    with pytest.raises(UnknownNameError, match="no agent has the id"):
        state.remove(wanted)
    assert len(state) == 3


def test_an_id_in_an_empty_world() -> None:
    with pytest.raises(UnknownNameError, match="no agent has the id 0; alive: nobody"):
        State(0).rows_of(0)


@pytest.mark.parametrize("wanted", [1.5, "0", True])
def test_an_id_is_a_whole_number(wanted: object) -> None:
    with pytest.raises(UnknownNameError, match="an agent's id is a whole number, got "):
        State(3).rows_of(wanted)


def test_invalid_births_change_nothing() -> None:
    state = State(2)
    before = state.digest(0)
    with pytest.raises(ScenarioError, match="leave 'id' out"):
        state.add({"id": [7]})
    with pytest.raises(ScenarioError, match=r"the same length, got \{'energy': 2, 'heading': 3\}"):
        state.add({"energy": [1, 1], "heading": [0, 0, 0]})
    with pytest.raises(ValueError, match="could not convert"):
        state.add({"energy": ["plenty"]})
    state.next_id = LARGEST_ID
    with pytest.raises(ScenarioError, match="ids are exhausted: at most 2,147,483,646 agents"):
        state.add({"energy": [1.0]})
    state.next_id = 2
    assert state.digest(0) == before
