"""Births and deaths balance to the last agent, whatever the world, and every child's parents lived at its birth."""

from __future__ import annotations

from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

import murmura as mm
from tests.parity.scenes import scenario_of
from tests.sizes import size

small_worlds = st.fixed_dictionaries(
    {
        "agents": st.integers(2, 120),
        "world.width": st.floats(320.0, 1200.0),
        "world.height": st.floats(320.0, 1200.0),
        "rules.feeding.count": st.integers(1, 12),
        "rules.energy.decay": st.floats(0.001, 0.03),
        "rules.combat.damage": st.floats(0.0, 200.0),
        "rules.reproduction.cooldown": st.floats(0.0, 10.0),
        "rules.reproduction.energy_threshold": st.floats(0.0, 0.6),
        "rules.reproduction.least_age": st.floats(0.0, 5.0),
        "rules.reproduction.alone_after": st.floats(0.0, 5.0),
        "rules.reproduction.most": st.integers(120, 260),
        "rules.ageing.least": st.floats(5.0, 60.0),
        "rules.immigration.rate": st.floats(0.0, 120.0),
        "rules.immigration.below": st.sampled_from([0.0, 5.0, 60.0]),
    }
)
ARRIVALS: list[int] = []


def life_of(sim: mm.Simulation, steps: int) -> list[dict[str, Any]]:
    events = []
    for _ in range(4):
        sim.step(steps // 4)
        events += sim.events()
    return events


CROWDED_BORDER = {
    "agents": 40, "world.width": 600.0, "world.height": 500.0, "rules.feeding.count": 4, "rules.energy.decay": 0.01,
    "rules.combat.damage": 50.0, "rules.reproduction.cooldown": 3.0, "rules.reproduction.energy_threshold": 0.3,
    "rules.reproduction.least_age": 1.0, "rules.reproduction.alone_after": 2.0, "rules.reproduction.most": 200,
    "rules.ageing.least": 20.0, "rules.immigration.rate": 120.0, "rules.immigration.below": 60.0,
}  # fmt: skip


@settings(max_examples=size(4, 15), deadline=None, derandomize=True)
@example(values=CROWDED_BORDER, seed=1, wild=False)
@given(values=small_worlds, seed=st.integers(0, 2**40), wild=st.booleans())
def check_balance(values: dict[str, Any], seed: int, wild: bool) -> None:
    """For the ecosystem, and for a walled world with immigrants."""
    if wild:  # it has no immigrants, and naming a value of a rule would switch it on
        scenario = mm.load_scenario("ecosystem")
        values = {path: value for path, value in values.items() if not path.startswith("rules.immigration")}
    else:
        scenario = scenario_of("scored")
    sim = mm.Simulation(scenario.with_values(values), seed=seed, backend="cpu", threads=2)
    begun = sim.agent_count
    founders = set(sim.ids.tolist())
    events = life_of(sim, 400)
    births = {e["id"]: e for e in events if e["kind"] == "birth"}
    deaths = {e["id"]: e for e in events if e["kind"] == "death"}
    arrivals = {e["id"]: e for e in events if e["kind"] == "arrival"}
    ARRIVALS.append(len(arrivals))
    assert len(births) == sum(e["kind"] == "birth" for e in events), "an id is used once"
    assert not births.keys() & arrivals.keys() and not (wild and arrivals)
    assert len(deaths) == sum(e["kind"] == "death" for e in events), "an agent dies once"
    assert sim.agent_count == begun + len(births) + len(arrivals) - len(deaths)
    assert set(sim.ids.tolist()) == (founders | set(births) | set(arrivals)) - set(deaths)
    assert sim.agent_count <= values["rules.reproduction.most"]
    ends = {agent: e["step"] for agent, e in deaths.items()}
    for child, birth in births.items():
        for parent in (birth["other"], birth["father"]):
            if parent is not None:
                begins = (births | arrivals)[parent]["step"] if parent not in founders else 0
                assert begins < birth["step"] <= ends.get(parent, birth["step"]), (child, parent)
        assert birth["other"] != birth["father"]
    assert {e["cause"] for e in deaths.values()} <= {"predation", "starvation", "age", "combat"}
    mothers = dict(zip(sim.ids.tolist(), sim.column("mother_id").tolist(), strict=True))
    fathers = dict(zip(sim.ids.tolist(), sim.column("father_id").tolist(), strict=True))
    for agent in sim.ids.tolist():
        told = births.get(agent)
        assert mothers[agent] == (told["other"] if told else -1)
        assert fathers[agent] == (told["father"] if told and told["father"] is not None else -1)


def test_births_and_deaths_balance() -> None:
    check_balance()
    assert max(ARRIVALS) > 5, "nobody came"


def test_a_whole_life_is_the_same_on_any_number_of_threads() -> None:
    scenario = mm.load_scenario("ecosystem").with_values({"world.width": 900.0, "world.height": 900.0})
    found = set()
    for threads in (1, 2, 3):
        sim = mm.Simulation(scenario, seed=4, backend="cpu", threads=threads)
        told = life_of(sim, 400)
        assert {e["kind"] for e in told} >= {"birth", "death", "mating", "meal"}
        found.add((sim.state_hash(), str(told)))
    assert len(found) == 1


def test_caps_of_species_are_never_exceeded() -> None:
    scenario = mm.load_scenario("ecosystem").with_values(
        {"world.width": 700.0, "world.height": 700.0, "agents": 300, "rules.feeding.count": 20}
    )
    caps = [kind.values["rules.reproduction.most_of_kind"] / 5.0 for kind in scenario.species]
    data = scenario.model_dump(mode="json")
    for kind, cap in zip(data["species"], caps, strict=True):
        kind["values"]["rules.reproduction.most_of_kind"] = cap
    sim = mm.Simulation(mm.Scenario.from_data(data), seed=2, backend="cpu")
    reached = 0
    for _ in range(120):
        before = [int((sim.column("species") == k).sum()) for k in range(5)]
        sim.step(3)
        now = [int((sim.column("species") == k).sum()) for k in range(5)]
        # A species that begins above its cap only shrinks; the others never exceed theirs.
        assert all(n <= max(cap, b) for n, cap, b in zip(now, caps, before, strict=True))
        reached += any(n == cap for n, cap in zip(now, caps, strict=True))
    assert reached > 3
