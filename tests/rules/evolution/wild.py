"""A deterministic world of prey and predators, for tests of single encounters."""

from __future__ import annotations

from typing import Any

import numpy as np

import murmura as mm

PREY, PREDATOR = 0, 1
DT = 0.1
QUIET = {
    "rules.genome.spread": 0.0, "rules.ageing.founders": 0.0, "rules.noise.gain": 0.0, "rules.energy.decay": 0.0,
    "rules.feeding.count": 1, "rules.feeding.reach": 1.0, "world.width": 1000.0, "world.height": 1000.0,
    "rules.remains.places": 8,  # the reference loops over all agents for each of them
}  # fmt: skip


def wild_scenario(values: dict[str, Any] | None = None, **species: dict[str, float]) -> mm.Scenario:
    """The world of `arms-race` without noise, hunger and food; `prey=` and `predator=` are values of a species."""
    data = mm.load_scenario("arms-race").model_dump(mode="json")
    for kind in data["species"]:
        for path in (
            "rules.energy.decay",
            "rules.behavior.hunts_below",
        ):  # equal hunger for all, and predators always hunt
            kind["values"].pop(path, None)
        kind["values"] |= {f"rules.{path}": value for path, value in species.get(kind["name"], {}).items()}
    return mm.Scenario.from_data(data).with_values(QUIET | (values or {}))


def wild(
    places: Any,
    kinds: Any,
    values: dict[str, Any] | None = None,
    *,
    velocities: Any = None,
    columns: dict[str, Any] | None = None,
    backend: str = "reference",
    **species: dict[str, float],
) -> mm.Simulation:
    """Animals of these kinds at these places, by default at rest, with given columns."""
    still = np.zeros((len(places), 2)) if velocities is None else velocities
    sim = mm.Simulation(
        wild_scenario(values, **species),
        0,
        backend,
        positions=places,
        velocities=still,
        species=np.asarray(kinds),
    )
    return with_columns(sim, columns or {})


def with_columns(sim: mm.Simulation, columns: dict[str, Any]) -> mm.Simulation:
    state = sim.state.copy()
    for name, values in columns.items():
        state[name][:] = values
    sim.load_state(state)
    return sim


def stances(sim: mm.Simulation) -> list[str]:
    from murmura.rules.evolution.stances import Stance

    return [Stance(int(code)).name.lower() for code in sim.column("stance")]


def deaths(sim: mm.Simulation) -> list[tuple[int, str, int | None]]:
    return [(e["id"], e["cause"], e["other"]) for e in sim.events() if e["kind"] == "death"]
