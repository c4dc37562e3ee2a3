"""The eagle pursues: it locks on one bird and wears it down, faster with every second of the chase."""

from __future__ import annotations

from murmura.core.algebra import minimum, when, where
from murmura.rules.predators.hunt import (
    begin_attack,
    begin_hunt,
    catch,
    gain_speed_bonus,
    is_gone,
    miss,
    search,
    within_reach,
)
from murmura.rules.predators.kind import Kind, register_kind, weights
from murmura.rules.predators.looks import BROAD_WINGS
from murmura.rules.predators.motion import chase, gap_to_prey, go_round_the_flock, start_round_the_flock
from murmura.rules.predators.row import GONE, HunterRow
from murmura.rules.predators.states import ATTACKING, HUNTING, IDLE, RECOVERING, SCANNING, enter
from murmura.rules.predators.turn import Turn

LOOK_FIRST = 1.0  # [s]


def scanning(it: HunterRow, turn: Turn) -> None:
    start_round_the_flock(it, turn)
    go_round_the_flock(it, turn, 0.8, 0.6)
    found = (it.prey_here > GONE) & (it.state_time > LOOK_FIRST)
    when(found, lambda: begin_hunt(it, HUNTING), lambda: search(it))


def hunting(it: HunterRow, turn: Turn) -> None:
    """S0-93."""

    def pursue() -> None:
        press_on(it)
        chase(it, turn, 0.3 + 0.2 * it.bonus, it.bonus, 0.8)
        when(gap_to_prey(it, turn) < 2.0 * it.attack_distance, lambda: begin_attack(it))

    def give_up_or_pursue() -> None:
        when(it.hunt_clock > it.pursuit_time, lambda: miss(it, turn), pursue)

    when(is_gone(it), lambda: lose(it, turn), give_up_or_pursue)


def attacking(it: HunterRow, turn: Turn) -> None:
    def attack() -> None:
        press_on(it)
        chase(it, turn, 0.2, 1.2 * it.bonus, it.attack_force)
        when(gap_to_prey(it, turn) > 3.0 * it.attack_distance, lambda: enter(it, HUNTING))

    def give_up_or_attack() -> None:
        when(it.hunt_clock > it.hunt_time, lambda: miss(it, turn), attack)

    def lose_or_go_on() -> None:
        when(is_gone(it), lambda: lose(it, turn), give_up_or_attack)

    reach = it.catch_distance * (1.0 + it.exhaustion)
    when(within_reach(it, turn, reach), lambda: catch(it, turn), lose_or_go_on)


def press_on(it: HunterRow) -> None:
    """S0-90 to S0-92: the longer the chase, the faster the eagle and the more tired its prey."""
    gain_speed_bonus(it, it.hunt_clock)
    it.exhaustion = minimum(it.tiring_max, it.tiring * it.hunt_clock)
    it.tires = where(it.exhaustion < it.tiring_max, it.tiring, it.tires)


def lose(it: HunterRow, turn: Turn) -> None:
    """S0-89: the locked target is gone; it looks for another one."""
    miss(it, turn)
    it.hunt_clock = 0.0
    enter(it, SCANNING)


register_kind(
    Kind(
        name="eagle",
        code=2,
        looks=BROAD_WINGS,
        numbers=weights(0.4, 0.3, 1.2, 0.8, 0.6)
        | {
            "max_speed": 18.0, "max_force": 0.6, "burst": 1.4, "max_energy": 120.0, "energy_regen": 5.0,
            "hunting_drain": 6.0, "attack_cost": 15.0, "exhaustion_threshold": 20.0, "recovery_delay": 2.5,
            "panic_radius": 200.0, "attack_distance": 60.0, "catch_distance": 30.0,
            "hunt_time": 20.0, "pursuit_time": 15.0, "attack_force": 2.0, "circle_radius": 250.0,
            "circle_rate": 0.3, "pace_weight": -0.6, "bonus_rate": 0.02, "bonus_max": 1.4, "tiring": 0.015,
            "tiring_max": 0.3,
        },
        machine=(
            (SCANNING, HUNTING, "a target in sight for a second: locked"),
            (SCANNING, IDLE, "nothing found in scan_time"),
            (HUNTING, ATTACKING, "within twice attack_distance"),
            (HUNTING, SCANNING, "the target is gone"),
            (HUNTING, IDLE, "pursuit_time is over"),
            (ATTACKING, RECOVERING, "caught"),
            (ATTACKING, HUNTING, "farther than three times attack_distance"),
            (ATTACKING, SCANNING, "the target is gone"),
            (ATTACKING, IDLE, "hunt_time is over"),
        ),
        actions={SCANNING: scanning, HUNTING: hunting, ATTACKING: attacking},
    )
)  # fmt: skip
