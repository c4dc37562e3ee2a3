"""Writes docs/life.md from the code's tables and fields: `python docs/make_life.py`. A test keeps it up to date."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from pathlib import Path

from murmura.core.rule import Rule
from murmura.rules.life import feeding, mating
from murmura.rules.life.body import Energy, Starvation
from murmura.rules.life.breeding import Breeding
from murmura.rules.life.feeding import Feeding
from murmura.rules.life.mating import Mating
from murmura.rules.life.stages import Change

TARGET = Path(__file__).with_name("life.md")

HEAD = """# Life: energy, food, courtship, offspring

`docs/make_life.py` writes this page from tables in the code; edit those. Everything here is an ordinary rule and off by
default. All agents read the state at time t and write that at t + 1, and every random number is a function of seed,
step and id: a run is reproducible bit for bit, on any number of threads.

| rule | what it does | needs |
|---|---|---|
| `rules.energy` | energy falls with time and speed; tired agents are slow (S0-24, S0-30) | |
| `rules.starvation` | agents without energy for some time die | `energy` |
| `rules.feeding` | food sources, and the four stages of a hungry agent (S0-59 … S0-66, S2-57) | `energy`, food |
| `rules.mating` | courtship, fights and matings in seven stages (S2-11 … S2-15) | `mating_cooldown` |
| `rules.mating_cooldown` | the time between two matings (S0-31) | |
| `rules.breeding` | a mating produces one offspring | `mating` |

Scenarios: `feeding-grounds` (hungry birds find food and recover), `courtship` (two species, fights over females),
`colony` (a population that grows and is bounded by its food). `sim.events()` lists meals, matings, fights, births and
deaths, each with step, ids, position and cause; `sim.explain(id)["doing"]` describes in a sentence what an agent is
doing; `sim.state.items["feeding"]` is the table of sources.
"""
FEEDING = """## Food

A source is listed under `rules.feeding.sources` or drawn from the seed (`rules.feeding.count`). It has `amount` food.
After all agents have moved, it counts its feeders, admits the nearest waiting agent within `landing_radius` while there
are fewer than `capacity`, and reserves min(`consumption` · dt, food left / feeders) for each feeder, who turns it into
energy in the next step (`energy_restore` / `consumption` for each unit of food). So a source never has more feeders
than its capacity, and energy never comes from food that does not exist. An empty source sends its feeders away and is
full again after `respawn_time`: `elsewhere`, in the `same_place`, or `never`.

If more agents wait than there is room for, `eagerness` times the free places fly in at a time, and others after
`turn_time`. Near food, other clamped forces fade to `approach_flocking` and `gather_flocking` (to nothing for feeders),
the separation radius shrinks, and the wind is weaker (`shelter`; feeders feel none). Hungry agents without a source
(energy < `drawn_below`) are attracted by the nearest source with room.

All this is `manner = "stages"`, the default. With `manner = "passing"` (document 003, S3-10, S3-16) there are no stages:
below `hungry_below` an agent steers to the nearest source within `reach` by steer(d̂) at full speed, without arrival, and
nothing else steers it; every agent within `landing_radius` eats in flight, hungry or not. If there are more than
`capacity`, they share what `capacity` feeders would eat.
"""
STYLES = """With d the vector to the food, d its length, R = `gather_radius`, s = top speed, f = `motion.max_force`:

| stage | force | |
|---|---|---|
| none, hungry | `attraction` · f · (1 − d/`reach`) · (1 + `hunger_gain` · (1 − energy)) d̂ | |
| approaching | limit(`approach_speed` · s · min(1, d/`arrival_radius`) d̂ − v, f); nothing within `ignore_within` | S0-59 |
| gathering, `gather` | limit((d − R) · min(1, \\|d − R\\|/R) d̂ + `gather_speed` · s · (0.8 + 0.04 (id mod 10)) t̂ − v, `gather_force` · f), t̂ = (−d̂_y, d̂_x) | S0-60, S0-61, S0-62, S0-63, S0-64 |
| gathering, `swarm` | f · (`swarm_pull` d̂ + `swarm_noise` n̂), n̂ turning with Perlin noise; within `swarm_core` · R pushed outwards | S0-64 |
| gathering, `hover` | limit(± min(1, \\|d − R\\|/R) · `hover_speed` · s d̂ − v, `hover_force` · f) − `hover_damping` v | S0-64 |
| gathering, going in | as approaching | |
| feeding | within `sit_radius` −`sit_damping` v, else limit(`feed_speed` · s d̂ − v, `feed_force` · f) − `feed_damping` v | S0-65, S0-66 |

These forces are unclamped: they are added to the clamped sum of forces, and its limit does not apply to them. Random
sources may be inside obstacles: if there are obstacles, list sources explicitly.
"""
MATING = """## Courtship

Only agents of the same species and of different sex court. A male names a seeking female as his target; she accepts a
suitor by naming him, or refuses him (`rival_id` is then his id for `court_time`). Two suitors of one female that name
each other as rivals fight. At the start of a fight each shows a score (`display`),

    aggression + energy + `luck` · u − `home_advantage` · (distance to her)/`fight_radius`

and at the end both compare the same two numbers, so exactly one wins (the lower id if they are equal). A pair starts to
mate in the step in which each sees that both are ready, and a mating counts only if each sees the other mating until
the end. Agents that seek, court, mate or fight see in all directions. An agreement holds even if one of the two panics
in the same step; an agent that loses sight of the other starts again. The event of a mating names the female and the
male, that of a fight the winner and the loser.

In `approaching` a male flies to her with `attraction` of the force; a courting pair closes up at `court_speed`; a mating
pair is pulled together by `pair_force` and brakes; rivals push each other away by `fight_strength` · f · min(1,
`fight_push`/d²). These forces are unclamped as well. In these stages clamped forces are multiplied by `flocking`.

Courtship and food exclude each other: hungry agents stop seeking, and courting agents do not leave for food. Ids are
carried in single precision, which is exact up to 2²⁴; larger ids are refused.
"""
BREEDING = """## Offspring

At the end of a mating the female bears one offspring at her own position, with a random direction. It gets the share `gift`
of her energy, so no energy is created. Sex and temper are drawn by its id, as at the start (S2-3, S2-15). It may seek a
mate after `maturity`. There are no births while `most` agents live. Energy comes from food alone, so food limits the
population long before that. Always: population = agents at the start + births − deaths.
"""


def diagram(changes: tuple[Change, ...]) -> str:
    """A state diagram that GitHub draws."""
    lines = ["```mermaid", "stateDiagram-v2", "    [*] --> none"]
    lines += [f"    {c.before.name.lower()} --> {c.after.name.lower()}" for c in changes]
    return "\n".join([*lines, "```", ""])


def machine(stages: Mapping[IntEnum, str], changes: tuple[Change, ...]) -> str:
    """The stages and the arrows of a state machine as tables."""
    lines = ["| code | stage | what the agent does |", "|---|---|---|"]
    lines += [f"| {int(state)} | {state.name.lower()} | {text} |" for state, text in stages.items()]
    lines += ["", "| from | to | when |", "|---|---|---|"]
    lines += [f"| {c.before.name.lower()} | {c.after.name.lower()} | {c.when} |" for c in changes]
    return "\n".join([*lines, ""])


HOUR = """## An hour with everything

`sky-and-sea` has everything at once: food, courtship, offspring, starvation, day and night, a home range, wind, and hawk,
falcon, eagle and owl. An hour of simulated time takes two to three minutes on two cores:

```
murmura run sky-and-sea --steps 216000 --every 600 --out hour
murmura plot hour --kind life --out sky-and-sea.png --width 7 --dpi 100
```

![An hour of sky-and-sea: population, mean energy, and events per minute](images/sky-and-sea.png)

The first 900 birds are sated and breed at once. There is too little food for all of them, and after a crash about 500 remain,
with about 130 births and as many deaths a minute, 600 meals, 150 fights and seven captures. Three of three seeds show
this (250 to 730 birds after the first ten minutes). The population never reaches the scenario's cap of 3,000.
"""


def numbers(name: str, rule: type[Rule]) -> str:
    """A rule's fields with unit, default and sentence."""
    lines = [f"| `rules.{name}.…` | default | unit | |", "|---|---|---|---|"]
    for field, info in rule.model_fields.items():
        if field == "enabled":
            continue
        extra = info.json_schema_extra
        unit = extra.get("unit", "") if isinstance(extra, dict) else ""
        shown = "none" if info.default == () else info.default
        lines.append(f"| `{field}` | {shown} | {unit} | {info.description} |")
    return "\n".join([*lines, ""])


def page() -> str:
    """The whole page."""
    return "\n".join(
        [
            HEAD, "## Energy\n", numbers("energy", Energy), numbers("starvation", Starvation),
            FEEDING, diagram(feeding.CHANGES), machine(feeding.STAGES, feeding.CHANGES), STYLES, numbers("feeding", Feeding),
            MATING, diagram(mating.CHANGES), machine(mating.STAGES, mating.CHANGES), numbers("mating", Mating),
            BREEDING, numbers("breeding", Breeding), HOUR,
        ]
    )  # fmt: skip


if __name__ == "__main__":
    TARGET.write_text(page(), encoding="utf-8")
    print(f"wrote {TARGET.name}")
