"""The hawk hunts at the edge: it circles the flock, stalks a straggler from outside, and bursts upon it."""

from __future__ import annotations

from murmura.core.algebra import Number, when, where
from murmura.core.world.space import offset
from murmura.rules.predators.hunt import (
    begin_hunt,
    catch,
    is_lonely,
    miss,
    pursue,
    search,
    strike,
)
from murmura.rules.predators.kind import Kind, register_kind, weights
from murmura.rules.predators.looks import BROAD_WINGS
from murmura.rules.predators.motion import (
    chase,
    gap_to_prey,
    go_round_the_flock,
    start_round_the_flock,
    steer_toward,
)
from murmura.rules.predators.row import GONE, HunterRow
from murmura.rules.predators.states import ATTACKING, HUNTING, IDLE, RECOVERING, SCANNING, STALKING, enter
from murmura.rules.predators.turn import Turn

LEAD = 0.5  # [s] S0-76
BURST_WITHIN = 120.0  # [u] S0-77
BURST_TIME = 1.5  # [s] S0-77
IN_PLACE = 50.0  # [u]
RECOIL = -0.3


def scanning(it: HunterRow, turn: Turn) -> None:
    """S0-74, S0-75."""
    start_round_the_flock(it, turn)
    go_round_the_flock(it, turn, 0.8, 0.6)
    alone = (it.prey_here > GONE) & (it.prey_isolation > it.least_isolation)
    when(alone, lambda: begin_hunt(it, STALKING), lambda: search(it))


def stalking(it: HunterRow, turn: Turn) -> None:
    """To a place outside the flock, beyond the target; under cover if it has a `stealth_radius`."""
    it.stealth = 1.0

    def approach() -> None:
        outwards = offset(turn.world, it.center, it.prey).with_length(it.stalk_distance)
        place = it.prey + outwards
        steer_toward(it, turn, place, it.stalk_speed, it.stalk_force)
        in_place = offset(turn.world, it.position, place).square < IN_PLACE * IN_PLACE
        when(in_place | (gap_to_prey(it, turn) < it.hunt_distance), lambda: enter(it, HUNTING))

    when(~is_lonely(it) | (it.state_time > it.stalk_time), lambda: miss(it, turn), approach)


def hunting(it: HunterRow, turn: Turn) -> None:
    """S0-76 to S0-78, S0-80."""

    def burst_upon(gap: Number) -> None:
        fresh = (it.burst_left == 0.0) & (it.energy > 1.5 * it.attack_cost)
        it.burst_left = where((gap < BURST_WITHIN) & fresh, BURST_TIME, it.burst_left)
        bursts = it.burst_left > 0.0
        chase(it, turn, LEAD, where(bursts, 1.4, 1.1), where(bursts, 1.8, 1.0))

    pursue(it, turn, it.state_time > it.hunt_time, burst_upon)


def attacking(it: HunterRow, turn: Turn) -> None:
    late = it.state_time > it.attack_time
    strike(it, turn, it.catch_distance, late, 0.1, catch_and_recoil, miss)


def catch_and_recoil(it: HunterRow, turn: Turn) -> None:
    catch(it, turn)
    it.velocity = it.velocity * RECOIL


register_kind(
    Kind(
        name="hawk",
        code=0,
        looks=BROAD_WINGS,
        numbers=weights(1.5, 1.2, 0.8, 0.3, 1.0)
        | {
            "max_speed": 22.0, "max_force": 1.2, "burst": 1.8, "max_energy": 80.0, "energy_regen": 8.0,
            "hunting_drain": 12.0, "attack_cost": 20.0, "exhaustion_threshold": 15.0, "recovery_delay": 2.0,
            "panic_radius": 120.0, "attack_distance": 45.0, "catch_distance": 20.0,
            "hunt_distance": 60.0, "hunt_time": 6.0, "attack_time": 2.0,
            "attack_force": 2.5, "lose_distance": 300.0, "circle_radius": 200.0, "circle_rate": 0.5,
            "scan_time": 8.0, "stalk_time": 8.0, "stalk_distance": 80.0, "least_isolation": 0.4,
            "drop_isolation": 0.05,
        },
        machine=(
            (SCANNING, STALKING, "the best target's isolation is above least_isolation"),
            (SCANNING, IDLE, "nothing found in scan_time"),
            (STALKING, HUNTING, "in place outside the flock, or within hunt_distance of the target"),
            (STALKING, IDLE, "the target is gone, no longer alone (drop_isolation), or stalk_time is over"),
            (HUNTING, ATTACKING, "within attack_distance"),
            (HUNTING, IDLE, "the target is gone or farther than lose_distance, or hunt_time is over"),
            (ATTACKING, RECOVERING, "caught"),
            (ATTACKING, IDLE, "the target is gone, or attack_time is over"),
        ),
        actions={SCANNING: scanning, STALKING: stalking, HUNTING: hunting, ATTACKING: attacking},
    )
)  # fmt: skip
