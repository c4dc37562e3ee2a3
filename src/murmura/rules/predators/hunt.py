"""How hunts begin and end: behaviour that all kinds of hunters share."""

from __future__ import annotations

from collections.abc import Callable

from murmura.core.algebra import Condition, Number, maximum, minimum, when, where
from murmura.core.rule_arguments import World
from murmura.core.world.randomness import STREAM_HUNTER_REST
from murmura.rules.predators.motion import chase, gap_to_prey, slow_down, wander
from murmura.rules.predators.row import GONE, HERE, HunterRow
from murmura.rules.predators.states import ATTACKING, DIVING, IDLE, RECOVERING, SCANNING, enter
from murmura.rules.predators.turn import Turn, draw

Action = Callable[[HunterRow, Turn], None]
"""What a hunter does in one state."""
EVERYWHERE = 1e9  # [u] farther than any bird


def idle(it: HunterRow, turn: Turn) -> None:
    """Wander until it is in the mood to hunt."""
    it.target = -1.0
    wander(it, turn, 0.5, 0.4)
    ready = (it.cooldown == 0.0) & (it.energy >= it.hunt_energy)
    eager = turn.mood[0] < turn.p.eagerness * turn.p.aggression * turn.world.dt

    def begin_to_search() -> None:
        it.goal_time = 0.0
        it.tries = 0.0
        enter(it, SCANNING)

    when(ready & eager, begin_to_search)


def recover(it: HunterRow, turn: Turn) -> None:
    """Drift until it has regained enough energy."""
    it.target = -1.0
    slow_down(it, turn, 0.02)
    when(it.energy >= turn.p.rest_until * it.max_energy, lambda: enter(it, IDLE))


def regain_energy(it: HunterRow, turn: Turn, share: Number) -> None:
    """Regain a step's energy, or a share of it."""
    it.energy = minimum(it.max_energy, it.energy + it.energy_regen * share * turn.world.dt)


def look_for_prey(it: HunterRow) -> None:
    """Look for prey; the best one reports to the hunter in the next step."""
    it.reach = where(it.target_distance > 0.0, it.target_distance, EVERYWHERE)
    it.target = it.best_id


def search(it: HunterRow) -> None:
    """Look for prey, but no longer than `scan_time`."""
    when(it.state_time > it.scan_time, lambda: enter(it, IDLE), lambda: look_for_prey(it))


def begin_hunt(it: HunterRow, state: int) -> None:
    """Commit to the bird in view."""
    it.hunts = it.hunts + 1.0
    it.hunt_clock = 0.0
    it.bonus = 1.0
    it.exhaustion = 0.0
    it.burst_left = 0.0
    enter(it, state)


def begin_attack(it: HunterRow, state: int = ATTACKING) -> None:
    """S0-114: what an attack costs is paid once, when it begins, hit or miss."""
    it.energy = maximum(0.0, it.energy - it.attack_cost)
    enter(it, state)


def gain_speed_bonus(it: HunterRow, time: Number) -> None:
    """S0-91, S0-102: the longer it works, the faster it is."""
    it.bonus = minimum(it.bonus_max, 1.0 + it.bonus_rate * time)


def is_gone(it: HunterRow) -> Condition:
    """Whether the target no longer reports: it died, or another hunter has it."""
    return it.prey_here == GONE


def is_lonely(it: HunterRow) -> Condition:
    """Whether the target is there, and not yet back in the flock."""
    return (it.prey_here > GONE) & (it.prey_isolation >= it.drop_isolation)


def within_reach(it: HunterRow, turn: Turn, reach: Number) -> Condition:
    """Whether the target is near enough to be caught, and nobody else has just caught it."""
    return (it.prey_here == HERE) & (gap_to_prey(it, turn) <= reach)


def pursue(it: HunterRow, turn: Turn, late: Condition, go: Callable[[Number], None]) -> None:
    """Give up prey that is gone, too far away or takes too long; else `go` after it, and attack from nearby."""
    gap = gap_to_prey(it, turn)

    def go_on() -> None:
        go(gap)
        when(gap < it.attack_distance, lambda: begin_attack(it))

    lost = is_gone(it) | (gap > it.lose_distance) | late
    when(lost, lambda: miss(it, turn), go_on)


def strike(
    it: HunterRow, turn: Turn, reach: Number, late: Condition, lead: Number, catch: Action, miss: Action
) -> None:
    """Catch prey within reach, give up prey that is gone or takes too long, else burst after it."""

    def go_on() -> None:
        chase(it, turn, lead, it.burst, it.attack_force)

    def miss_or_go_on() -> None:
        when(is_gone(it) | late, lambda: miss(it, turn), go_on)

    when(within_reach(it, turn, reach), lambda: catch(it, turn), miss_or_go_on)


def catch(it: HunterRow, turn: Turn) -> None:
    """The target is caught."""
    it.caught = it.target
    it.catches = it.catches + 1.0
    it.meals = it.meals + 1.0
    it.hunger = 0.0
    it.cooldown = it.catch_cooldown
    it.target = -1.0
    enter(it, RECOVERING)


def miss(it: HunterRow, turn: Turn) -> None:
    """A hunt has failed."""
    it.failed_hunts = it.failed_hunts + 1.0
    it.cooldown = it.miss_cooldown
    it.target = -1.0
    enter(it, IDLE)


def vary_cooldown(it: HunterRow, world: World) -> None:
    """Vary the rest after a catch or a miss by up to a quarter of its mean: 3 to 5 s for 4, 1.5 to 2.5 s for 2."""
    u, _ = draw(it, world, STREAM_HUNTER_REST)
    it.cooldown = it.cooldown * (0.75 + 0.5 * u)


def collapse_if_exhausted(it: HunterRow) -> None:
    """S0-69. A stoop continues: weight, not strength, carries it, and decision 12 says how it ends."""

    def collapse() -> None:
        it.failed_hunts = it.failed_hunts + 1.0
        it.target = -1.0
        enter(it, RECOVERING)

    at_it = (it.state != IDLE) & (it.state != RECOVERING) & (it.state != DIVING)
    when(at_it & (it.energy <= it.exhaustion_threshold), collapse)
