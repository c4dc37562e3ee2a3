"""The osprey hovers: it searches in circles, stands in the air over a fish until it is sure, and plunges."""

from __future__ import annotations

from murmura.core.algebra import when
from murmura.rules.predators.hunt import begin_attack, begin_hunt, catch, is_gone, miss, search, strike
from murmura.rules.predators.kind import Kind, register_kind, weights
from murmura.rules.predators.looks import BROAD_WINGS
from murmura.rules.predators.motion import (
    gap_to_prey,
    go_round_the_flock,
    start_round_the_flock,
    steer_toward,
)
from murmura.rules.predators.row import GONE, HunterRow
from murmura.rules.predators.states import ATTACKING, IDLE, RECOVERING, SCANNING, STALKING
from murmura.rules.predators.turn import Turn


def scanning(it: HunterRow, turn: Turn) -> None:
    """Circle the school until a fish is in view."""
    start_round_the_flock(it, turn)
    go_round_the_flock(it, turn, 0.7, 0.5)
    when(it.prey_here > GONE, lambda: begin_hunt(it, STALKING), lambda: search(it))


def stalking(it: HunterRow, turn: Turn) -> None:
    """Hover: stay over the fish, unseen from below, for `wait_time`."""
    it.stealth = 1.0

    def hover() -> None:
        steer_toward(it, turn, it.prey, it.stalk_speed, it.stalk_force)
        sure = (gap_to_prey(it, turn) < it.attack_distance) & (it.state_time > it.wait_time)
        when(sure, lambda: begin_attack(it))

    when(is_gone(it) | (it.state_time > it.stalk_time), lambda: miss(it, turn), hover)


def attacking(it: HunterRow, turn: Turn) -> None:
    """The plunge."""
    strike(it, turn, it.catch_distance, it.state_time > it.attack_time, 0.2, catch, miss)


register_kind(
    Kind(
        name="osprey",
        code=8,
        looks=BROAD_WINGS,
        numbers=weights(0.4, 0.2, 0.2, 0.2, 1.5)
        | {
            "max_speed": 17.0, "max_force": 1.0, "burst": 2.2, "max_energy": 90.0, "energy_regen": 7.0,
            "hunting_drain": 9.0, "attack_cost": 18.0, "exhaustion_threshold": 12.0, "recovery_delay": 2.0,
            "panic_radius": 90.0, "stealth_radius": 25.0, "attack_distance": 50.0, "catch_distance": 18.0,
            "target_distance": 160.0, "attack_time": 1.5, "attack_force": 2.6, "circle_radius": 180.0,
            "circle_rate": 0.4, "scan_time": 10.0, "stalk_time": 9.0, "stalk_speed": 0.6, "stalk_force": 1.0,
            "wait_time": 1.0,
        },
        machine=(
            (SCANNING, STALKING, "a target is in view"),
            (SCANNING, IDLE, "nothing found in scan_time"),
            (STALKING, ATTACKING, "over the target for wait_time, within attack_distance"),
            (STALKING, IDLE, "the target is gone, or stalk_time is over"),
            (ATTACKING, RECOVERING, "caught"),
            (ATTACKING, IDLE, "the target is gone, or attack_time is over"),
        ),
        actions={SCANNING: scanning, STALKING: stalking, ATTACKING: attacking},
    )
)  # fmt: skip
