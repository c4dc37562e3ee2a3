"""One turn of a hunter, in the order of S0-70, and the life cycle of all kinds: appearance, hunger, young."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from murmura.core.algebra import floor, maximum, when, where
from murmura.core.rule_arguments import World
from murmura.core.world.randomness import STREAM_HUNTER_MOOD
from murmura.core.world.space import along_axes, wrapped
from murmura.rules.predators.hunt import collapse_if_exhausted, idle, recover, regain_energy, vary_cooldown
from murmura.rules.predators.kind import Kind, traced_kinds
from murmura.rules.predators.motion import move
from murmura.rules.predators.row import ANY_HEADING, GONE, TAKEN, HunterRow
from murmura.rules.predators.states import (
    AMBUSH,
    DIVING,
    HUNTING,
    IDLE,
    RECOVERING,
    STALKING,
    dispatch,
    enter,
)
from murmura.rules.predators.turn import Turn, draw

if TYPE_CHECKING:
    from murmura.rules.predators.rule import Predators

HIDDEN_BY_ALTITUDE = 0.6  # S0-87
SALT_STEPS = 65536.0


def take_turn(p: Predators, it: HunterRow, reports: Any, items: Any, world: World) -> None:
    """Appear, vanish or act."""
    follow_scenario(it)
    when(it.alive != 0.0, lambda: live(p, it, reports, items, world))


def live(p: Predators, it: HunterRow, reports: Any, items: Any, world: World) -> None:
    """S0-70: timers, energy, exhaustion, behaviour, speed limit, move, boundary."""
    turn = Turn(p, world, draw(it, world, STREAM_HUNTER_MOOD))
    receive_reports(it, reports, world)
    notice_other_catches(it, items)
    run_timers(it, world)
    spend_and_regain(it, turn)
    collapse_if_exhausted(it)
    hunts_before = it.catches + it.failed_hunts
    act_by_state(it, turn)
    # Here rather than where hunts end: there are many such places, and one random draw serves them all.
    when(it.catches + it.failed_hunts > hunts_before, lambda: vary_cooldown(it, world))
    move(it, turn)
    frighten(it)
    it.prey_here = GONE
    starves = (p.starve_after > 0.0) & (it.hunger > p.starve_after)
    breeds = (p.breed_after > 0.0) & (it.meals >= p.breed_after)
    when(starves, lambda: vanish(it), lambda: when(breeds, lambda: breed(p, it, items)))


def receive_reports(it: HunterRow, reports: Any, world: World) -> None:
    """Store the flock's reports of this step, and reset the requests of the last turn."""

    def see_flock() -> None:
        center = it.position + reports.offset / reports.seen
        it.center = along_axes(world, {"wrap": wrapped}, center)
        it.flock_velocity = reports.velocity / reports.seen

    it.seen = reports.seen
    when(reports.seen > 0.0, see_flock)
    it.watched = reports.watched
    it.best = reports.best.score
    it.best_id = reports.best.id
    it.reach = 0.0
    it.reach_from = 0.0
    it.least_approach = ANY_HEADING
    it.watch_radius = 0.0
    it.tires = 0.0
    it.caught = -1.0
    it.speed_share = 1.0


def notice_other_catches(it: HunterRow, items: Any) -> None:
    """A bird is caught once: by the first hunter whose turn it is."""

    def compare(other: HunterRow) -> None:
        it.prey_here = where(other.caught == it.target, TAKEN, it.prey_here)

    when(it.prey_here > GONE, lambda: items.each(compare))


def run_timers(it: HunterRow, world: World) -> None:
    """S0-67, S0-68."""
    it.time = it.time + world.dt
    it.state_time = it.state_time + world.dt
    it.hunger = it.hunger + world.dt
    it.cooldown = maximum(0.0, it.cooldown - world.dt)
    it.burst_left = maximum(0.0, it.burst_left - world.dt)
    it.goal_time = maximum(0.0, it.goal_time - world.dt)
    hunts = (it.state >= HUNTING) & (it.state <= DIVING)
    it.hunt_clock = where(hunts, it.hunt_clock + world.dt, it.hunt_clock)


def spend_and_regain(it: HunterRow, turn: Turn) -> None:
    """Energy falls during any kind of hunting and returns after a delay; in ambush the kind itself sets the rate."""
    state, dt = it.state, turn.world.dt

    def spend() -> None:
        drain = where(state == STALKING, it.stalking_drain, it.hunting_drain)
        it.energy = maximum(0.0, it.energy - drain * dt)
        it.rest = 0.0

    def have_rest() -> None:
        it.rest = it.rest + dt
        when((state != AMBUSH) & (it.rest >= it.recovery_delay), lambda: regain_energy(it, turn, 1.0))

    when((state >= STALKING) & (state <= DIVING), spend, have_rest)


def act_by_state(it: HunterRow, turn: Turn) -> None:
    """Act by state and kind."""
    it.salt = floor(turn.mood[1] * SALT_STEPS) / SALT_STEPS
    it.stealth = 0.0

    def hunt() -> None:
        actions = {kind.code: _action(kind, it, turn) for kind in traced_kinds()}
        dispatch(it.kind, actions)

    effects = {IDLE: lambda: idle(it, turn), RECOVERING: lambda: recover(it, turn)}
    dispatch(it.state, effects, hunt)


def _action(kind: Kind, it: HunterRow, turn: Turn) -> Any:
    """What a hunter of a kind does in its present state; a state that its kind does not have ends the hunt."""

    def act() -> None:
        effects = {state: _bound(action, it, turn) for state, action in kind.actions.items()}
        dispatch(it.state, effects, lambda: enter(it, IDLE))
        if kind.afterwards is not None:
            kind.afterwards(it, turn)

    return act


def _bound(action: Any, it: HunterRow, turn: Turn) -> Any:
    return lambda: action(it, turn)


def frighten(it: HunterRow) -> None:
    """How far it is seen: less in hiding (S0-99), less from high above (S0-87)."""
    radius = where(it.stealth > 0.0, it.stealth_radius, it.panic_radius)
    it.fright = radius * (1.0 - HIDDEN_BY_ALTITUDE * it.altitude)


def follow_scenario(it: HunterRow) -> None:
    """Restart a row that the scenario has just filled, emptied or given another kind."""
    now = where(it.listed > 0.0, it.kind, -1.0)

    def begin() -> None:
        it.position = it.start
        appear(it)

    def change() -> None:
        it.kind_before = now
        when(now < 0.0, lambda: vanish(it), begin)

    when(now != it.kind_before, change)


def appear(it: HunterRow) -> None:
    """Start as a rested hunter without history."""
    it.alive = 1.0
    it.energy = it.max_energy
    it.target = -1.0
    it.caught = -1.0
    it.patience = 1.0
    it.time = 0.0
    it.cooldown = 0.0
    it.rest = 0.0
    it.altitude = 0.0
    it.angle = 0.0
    it.goal_time = 0.0
    it.tries = 0.0
    it.prey_here = GONE
    it.hunts = 0.0
    it.catches = 0.0
    it.failed_hunts = 0.0
    it.hunger = 0.0
    it.meals = 0.0
    enter(it, IDLE)


def vanish(it: HunterRow) -> None:
    """End: agents no longer flee from it, and it no longer hunts."""
    it.alive = 0.0
    it.fright = 0.0
    it.reach = 0.0
    it.watch_radius = 0.0
    it.tires = 0.0
    it.target = -1.0
    it.caught = -1.0


def breed(p: Predators, it: HunterRow, items: Any) -> None:
    """Place a young hunter beside its parent, in the first free row of its line, if there is one."""

    def look_at(young: HunterRow) -> None:
        def is_born() -> None:
            it.meals = 0.0
            young.position = it.position
            young.velocity = -it.velocity
            appear(young)
            frighten(young)

        free = (young.listed == 0.0) & (young.alive == 0.0) & (young.line == it.line)
        when(free & (it.meals >= p.breed_after), is_born)

    items.each(look_at)
