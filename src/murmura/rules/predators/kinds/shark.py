"""The shark circles: ever nearer round the school, then in a spiral round one fish, then after it."""

from __future__ import annotations

from murmura.core.algebra import Number, maximum, minimum, when
from murmura.rules.predators.hunt import (
    begin_hunt,
    catch,
    gain_speed_bonus,
    is_lonely,
    miss,
    pursue,
    search,
    strike,
)
from murmura.rules.predators.kind import Kind, register_kind, weights
from murmura.rules.predators.looks import FISH
from murmura.rules.predators.motion import (
    chase,
    circle,
    gap_to_prey,
    go_round_the_flock,
    start_circle,
    start_round_the_flock,
)
from murmura.rules.predators.row import GONE, HunterRow
from murmura.rules.predators.states import ATTACKING, HUNTING, IDLE, RECOVERING, SCANNING, STALKING, enter
from murmura.rules.predators.turn import Turn

LEAST_CIRCLE, WIDEST_CIRCLE = 180.0, 300.0  # [u] S0-100
ROOM_FOR_EACH = 0.8  # [u] S0-100
SPIRAL_RATE = 0.5  # [1/s] S0-101


def scanning(it: HunterRow, turn: Turn) -> None:
    """S0-100."""
    start_round_the_flock(it, turn)
    ideal = maximum(LEAST_CIRCLE, minimum(WIDEST_CIRCLE, ROOM_FOR_EACH * it.seen))
    it.radius = it.radius + (ideal - it.radius) * turn.world.dt
    go_round_the_flock(it, turn, 0.7, 0.5)

    def begin() -> None:
        start_circle(it, turn, it.prey, gap_to_prey(it, turn))
        begin_hunt(it, STALKING)

    alone = (it.prey_here > GONE) & (it.prey_isolation > it.least_isolation)
    when(alone, begin, lambda: search(it))


def stalking(it: HunterRow, turn: Turn) -> None:
    """S0-101; from below if it has a `stealth_radius`."""
    it.stealth = 1.0

    def spiral() -> None:
        gap = gap_to_prey(it, turn)
        it.radius = maximum(it.stalk_distance, 0.7 * gap)
        circle(it, turn, it.prey, SPIRAL_RATE, it.stalk_speed, it.stalk_force)
        when(gap < it.hunt_distance, lambda: enter(it, HUNTING))

    when(~is_lonely(it) | (it.state_time > it.stalk_time), lambda: miss(it, turn), spiral)


def hunting(it: HunterRow, turn: Turn) -> None:
    """S0-102."""

    def track(gap: Number) -> None:
        gain_speed_bonus(it, it.hunt_clock)
        chase(it, turn, 0.4 * it.bonus, it.bonus, 0.9)

    pursue(it, turn, it.hunt_clock > it.pursuit_time, track)


def attacking(it: HunterRow, turn: Turn) -> None:
    late = (it.state_time > it.attack_time) | (it.hunt_clock > it.hunt_time)
    strike(it, turn, it.catch_distance, late, 0.1, catch, miss)


register_kind(
    Kind(
        name="shark",
        code=4,
        looks=FISH,
        numbers=weights(1.3, 1.0, 0.7, 0.5, 0.9)
        | {
            "max_speed": 16.0, "max_force": 0.7, "burst": 1.5, "max_energy": 100.0, "energy_regen": 6.0,
            "hunting_drain": 8.0, "attack_cost": 18.0, "exhaustion_threshold": 18.0, "recovery_delay": 2.0,
            "panic_radius": 180.0, "attack_distance": 55.0, "catch_distance": 30.0,
            "hunt_distance": 80.0, "hunt_time": 15.0, "pursuit_time": 12.0,
            "attack_time": 5.0, "attack_force": 2.2, "lose_distance": 350.0, "circle_radius": 250.0,
            "circle_rate": 0.4, "scan_time": 20.0, "stalk_time": 15.0, "stalk_distance": 80.0,
            "stalk_speed": 0.85, "stalk_force": 0.6, "least_isolation": 0.35, "drop_isolation": 0.05,
            "bonus_rate": 0.025, "bonus_max": 1.35,
        },
        machine=(
            (SCANNING, STALKING, "the best target's isolation is above least_isolation"),
            (SCANNING, IDLE, "nothing found in scan_time"),
            (STALKING, HUNTING, "within hunt_distance of the target"),
            (STALKING, IDLE, "the target is gone, no longer alone (drop_isolation), or stalk_time is over"),
            (HUNTING, ATTACKING, "within attack_distance"),
            (HUNTING, IDLE, "the target is gone or farther than lose_distance, or pursuit_time is over"),
            (ATTACKING, RECOVERING, "caught"),
            (ATTACKING, IDLE, "the target is gone, or attack_time or hunt_time is over"),
        ),
        actions={SCANNING: scanning, STALKING: stalking, HUNTING: hunting, ATTACKING: attacking},
    )
)  # fmt: skip
