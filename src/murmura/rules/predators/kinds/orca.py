"""The orca herds: it drives a fish away from a dense school, and the longer it works the better it gets."""

from __future__ import annotations

from murmura.core.algebra import Number, when
from murmura.core.world.space import offset
from murmura.rules.predators.hunt import (
    begin_hunt,
    catch,
    gain_speed_bonus,
    is_gone,
    miss,
    pursue,
    search,
    strike,
)
from murmura.rules.predators.kind import Kind, register_kind, weights
from murmura.rules.predators.looks import WHALE
from murmura.rules.predators.motion import (
    chase,
    go_round_the_flock,
    start_round_the_flock,
    steer_toward,
)
from murmura.rules.predators.row import ANY_HEADING, GONE, HunterRow
from murmura.rules.predators.states import ATTACKING, HUNTING, IDLE, RECOVERING, SCANNING, STALKING, enter
from murmura.rules.predators.turn import Turn

CORE = 100.0  # [u] fish within this of the middle make a school dense
DENSE = 25.0  # this many of them: half of 50
LOOK_FIRST = 1.0  # [s]


def scanning(it: HunterRow, turn: Turn) -> None:
    start_round_the_flock(it, turn)
    go_round_the_flock(it, turn, 0.8, 0.6)
    it.watch = it.center
    it.watch_radius = CORE
    it.watch_cosine = ANY_HEADING

    def begin() -> None:
        when(it.watched > DENSE, lambda: begin_hunt(it, STALKING), lambda: begin_hunt(it, HUNTING))

    when((it.prey_here > GONE) & (it.state_time > LOOK_FIRST), begin, lambda: search(it))


def stalking(it: HunterRow, turn: Turn) -> None:
    """Between the school and the target, driving it out."""

    def hunt() -> None:
        it.hunt_clock = it.state_time
        enter(it, HUNTING)

    def drive() -> None:
        gain_speed_bonus(it, it.state_time)
        inwards = offset(turn.world, it.prey, it.center).with_length(it.stalk_distance)
        steer_toward(it, turn, it.prey + inwards, it.stalk_speed, it.stalk_force)
        when((it.prey_isolation > it.least_isolation) | (it.state_time > it.stalk_time), hunt)

    when(is_gone(it), lambda: miss(it, turn), drive)


def hunting(it: HunterRow, turn: Turn) -> None:
    def press(gap: Number) -> None:
        gain_speed_bonus(it, it.hunt_clock)
        chase(it, turn, 0.35 * it.bonus, it.bonus, 1.0)

    pursue(it, turn, it.hunt_clock > it.pursuit_time, press)


def attacking(it: HunterRow, turn: Turn) -> None:
    late = (it.state_time > it.attack_time) | (it.hunt_clock > it.hunt_time)
    strike(it, turn, it.catch_distance * (0.8 + 0.2 * it.bonus), late, 0.1, catch, miss)


register_kind(
    Kind(
        name="orca",
        code=5,
        looks=WHALE,
        numbers=weights(0.6, 0.8, 0.5, 1.0, 0.7)
        | {
            "max_speed": 14.0, "max_force": 0.5, "burst": 1.4, "max_energy": 150.0, "energy_regen": 4.0,
            "hunting_drain": 5.0, "attack_cost": 12.0, "exhaustion_threshold": 25.0, "recovery_delay": 3.0,
            "panic_radius": 250.0, "attack_distance": 70.0, "catch_distance": 30.0,
            "hunt_time": 25.0, "attack_time": 6.0, "attack_force": 2.0, "lose_distance": 400.0,
            "circle_radius": 250.0, "circle_rate": 0.3, "scan_time": 12.0, "stalk_time": 5.0,
            "stalk_distance": 80.0, "least_isolation": 0.4, "bonus_rate": 0.05, "bonus_max": 1.5,
        },
        machine=(
            (SCANNING, STALKING, "the school is dense: it is herded"),
            (SCANNING, HUNTING, "the school is loose"),
            (SCANNING, IDLE, "nothing found in scan_time"),
            (STALKING, HUNTING, "the target's isolation is above least_isolation, or stalk_time is over"),
            (STALKING, IDLE, "the target is gone"),
            (HUNTING, ATTACKING, "within attack_distance"),
            (HUNTING, IDLE, "the target is gone or farther than lose_distance, or pursuit_time is over"),
            (ATTACKING, RECOVERING, "caught"),
            (ATTACKING, IDLE, "the target is gone, or attack_time or hunt_time is over"),
        ),
        actions={SCANNING: scanning, STALKING: stalking, HUNTING: hunting, ATTACKING: attacking},
    )
)  # fmt: skip
