"""The sea lion twists: it weaves towards the school, predicts turns, feints, and prefers fast prey."""

from __future__ import annotations

from murmura.core.algebra import Number, maximum, minimum, sin, when, where
from murmura.core.world.randomness import STREAM_HUNTER_FEINT
from murmura.core.world.space import offset
from murmura.rules.predators.hunt import begin_hunt, catch, miss, pursue, search, strike
from murmura.rules.predators.kind import Kind, register_kind, weights
from murmura.rules.predators.looks import WHALE
from murmura.rules.predators.motion import steer_toward, wander
from murmura.rules.predators.row import GONE, HunterRow
from murmura.rules.predators.states import ATTACKING, HUNTING, IDLE, RECOVERING, SCANNING
from murmura.rules.predators.turn import Turn, draw

WORTH_IT = 0.5
WEAVE = 0.3  # [rad]
WEAVE_RATE = 2.0  # [1/s]
FEINT_ANGLE = 0.9  # [rad]


def scanning(it: HunterRow, turn: Turn) -> None:
    """Weave towards the school."""

    def weave() -> None:
        way = offset(turn.world, it.position, it.center).rotated(WEAVE * sin(WEAVE_RATE * it.time))
        steer_toward(it, turn, it.position + way, 0.8, it.agility)

    def begin() -> None:
        it.feint = 0.0
        begin_hunt(it, HUNTING)

    when(it.seen > 0.0, weave, lambda: wander(it, turn, 0.8, 1.0))
    when((it.prey_here > GONE) & (it.best > WORTH_IT), begin, lambda: search(it))


def hunting(it: HunterRow, turn: Turn) -> None:
    def twist(gap: Number) -> None:
        feint(it, turn)
        # A lead that grows with the distance, and the turn the prey has begun.
        lead = 0.3 + 0.2 * minimum(1.0, gap / 100.0)
        bend = 0.5 * lead * lead / turn.world.dt
        ahead = it.prey_velocity * lead + (it.prey_velocity - it.prey_velocity_before) * bend
        place = it.prey + ahead * turn.world.pace
        feinted = it.position + offset(turn.world, it.position, place).rotated(FEINT_ANGLE)
        steer_toward(it, turn, where(it.feint > 0.0, feinted, place), 1.2, it.agility)

    pursue(it, turn, it.state_time > it.hunt_time, twist)


def feint(it: HunterRow, turn: Turn) -> None:
    """Begin a feint now and then, while none is going on."""
    u, v = draw(it, turn.world, STREAM_HUNTER_FEINT)
    left = maximum(0.0, it.feint - turn.world.dt)
    begins = (left == 0.0) & (u < it.feint_rate * turn.world.dt)
    it.feint = where(begins, 0.3 + 0.2 * v, left)


def attacking(it: HunterRow, turn: Turn) -> None:
    strike(it, turn, it.catch_distance, it.state_time > it.attack_time, 0.1, catch, miss)


def remember_prey(it: HunterRow, turn: Turn) -> None:
    it.prey_velocity_before = it.prey_velocity


register_kind(
    Kind(
        name="sea_lion",
        code=7,
        looks=WHALE,
        numbers=weights(0.8, 0.6, 0.4, 0.7, 1.4)
        | {
            "max_speed": 17.0, "max_force": 1.1, "burst": 1.7, "max_energy": 85.0, "energy_regen": 7.0,
            "hunting_drain": 10.0, "attack_cost": 15.0, "exhaustion_threshold": 15.0, "recovery_delay": 1.8,
            "panic_radius": 140.0, "attack_distance": 45.0, "catch_distance": 20.0,
            "hunt_time": 10.0, "attack_time": 4.0, "attack_force": 2.5, "lose_distance": 300.0,
            "scan_time": 10.0, "pace_weight": 0.5, "agility": 1.8, "feint_rate": 0.3,
        },
        machine=(
            (SCANNING, HUNTING, "a target scores above 0.5"),
            (SCANNING, IDLE, "nothing found in scan_time"),
            (HUNTING, ATTACKING, "within attack_distance"),
            (HUNTING, IDLE, "the target is gone or farther than lose_distance, or hunt_time is over"),
            (ATTACKING, RECOVERING, "caught"),
            (ATTACKING, IDLE, "the target is gone, or attack_time is over"),
        ),
        actions={SCANNING: scanning, HUNTING: hunting, ATTACKING: attacking},
        afterwards=remember_prey,
    )
)  # fmt: skip
