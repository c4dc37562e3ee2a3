"""The falcon stoops: it climbs above its prey and falls on it at three and a half times its cruising speed."""

from __future__ import annotations

from murmura.core.algebra import maximum, minimum, when
from murmura.core.world.space import offset
from murmura.rules.predators.hunt import begin_attack, begin_hunt, catch, is_gone, look_for_prey, miss, strike
from murmura.rules.predators.kind import Kind, register_kind, weights
from murmura.rules.predators.looks import POINTED_WINGS
from murmura.rules.predators.motion import (
    chase,
    gap_to_prey,
    go_round_the_flock,
    height_above,
    lifted,
    start_round_the_flock,
    steer_toward,
)
from murmura.rules.predators.row import GONE, HunterRow
from murmura.rules.predators.states import CLIMBING, DIVING, IDLE, RECOVERING, SCANNING
from murmura.rules.predators.turn import Turn

WORTH_IT = 0.5
NEAREST_DIVE, FARTHEST_DIVE = 100.0, 350.0  # [u] S0-83
SINKING = 2.0  # [1/s] S0-84
START_OF_DIVE = 1.5  # times its top speed
WAITING = 0.5  # in space: maximum radius of its circle above a flock, as a share of the farthest dive
NEARLY = 0.05  # in space: how far below the desired height is high enough, as a share of the depth
AFTER_DIVE = 0.3  # what is left of its velocity


def scanning(it: HunterRow, turn: Turn) -> None:
    """Wait on high above the flock."""
    change = it.climb_rate * turn.world.dt
    it.altitude = maximum(minimum(it.scan_altitude, it.altitude + change), it.altitude - change)
    high = it.altitude >= it.scan_altitude
    if len(turn.world.size) == 3:
        wanted = height_above(turn, it.center.z, it.scan_altitude)
        high = it.position.z >= wanted - NEARLY * turn.world.depth
    start_round_the_flock(it, turn)
    if len(turn.world.size) == 3:
        it.radius = minimum(it.radius, WAITING * FARTHEST_DIVE)
    go_round_the_flock(it, turn, 0.8, 0.6)

    def look_on() -> None:
        look_for_prey(it)
        it.reach_from = NEAREST_DIVE

    found = (it.prey_here > GONE) & (it.best > WORTH_IT) & high
    when(found, lambda: begin_hunt(it, CLIMBING), look_on)


def climbing(it: HunterRow, turn: Turn) -> None:
    """S0-81 to S0-83."""

    def dive() -> None:
        way = offset(turn.world, it.position, it.prey)
        it.velocity = way.with_length(it.max_speed * turn.p.speed_factor * START_OF_DIVE)
        begin_attack(it, DIVING)

    def climb() -> None:
        it.altitude = minimum(it.max_altitude, it.altitude + it.climb_rate * turn.world.dt)
        gap = gap_to_prey(it, turn)
        high = it.altitude >= it.dive_altitude
        if len(turn.world.size) == 3:
            ahead = it.prey + it.prey_velocity * (1.5 * turn.world.pace)
            steer_toward(it, turn, lifted(turn, ahead, it.altitude), 0.5, 0.4)
            wanted = height_above(turn, it.prey.z, it.dive_altitude)
            high = it.position.z >= wanted - NEARLY * turn.world.depth
        else:
            chase(it, turn, 1.5, 0.5, 0.4)
        high = high & (it.energy > it.attack_cost)
        when(high & (gap > NEAREST_DIVE) & (gap < FARTHEST_DIVE), dive)

    when(is_gone(it) | (it.state_time > it.stalk_time), lambda: miss(it, turn), climb)


def diving(it: HunterRow, turn: Turn) -> None:
    """S0-84 to S0-86; it ends with a hit, the loss of the target or a time limit, not on the ground (decision 12)."""
    dt = turn.world.dt
    it.altitude = maximum(0.0, it.altitude - SINKING * dt)
    it.energy = maximum(0.0, it.energy - 2.0 * it.hunting_drain * dt)
    late = it.state_time > it.attack_time
    strike(it, turn, it.catch_distance, late, 0.3, catch_and_pull_out, miss_and_pull_out)


def catch_and_pull_out(it: HunterRow, turn: Turn) -> None:
    catch(it, turn)
    it.velocity = it.velocity * AFTER_DIVE


def miss_and_pull_out(it: HunterRow, turn: Turn) -> None:
    miss(it, turn)
    it.velocity = it.velocity * AFTER_DIVE


register_kind(
    Kind(
        name="falcon",
        code=1,
        looks=POINTED_WINGS,
        numbers=weights(0.6, 0.5, 0.4, 0.2, 1.8)
        | {
            "max_speed": 18.0, "max_force": 0.7, "burst": 3.5, "max_energy": 60.0, "energy_regen": 6.0,
            "hunting_drain": 10.0, "attack_cost": 30.0, "exhaustion_threshold": 10.0, "recovery_delay": 3.0,
            "panic_radius": 180.0, "attack_distance": 55.0, "catch_distance": 28.0,
            "hunt_time": 10.0, "attack_time": 2.5, "attack_force": 3.0, "lose_distance": 400.0,
            "circle_radius": 250.0, "circle_rate": 0.3, "stalk_time": 6.0, "climb_rate": 0.15,
            "max_altitude": 1.0, "scan_altitude": 0.4, "dive_altitude": 0.6,
        },
        machine=(
            (SCANNING, CLIMBING, "at scan_altitude, and a target scores above 0.5"),
            (CLIMBING, DIVING, "at dive_altitude, energy above attack_cost, the target between 100 and 350 away"),
            (CLIMBING, IDLE, "the target is gone, or stalk_time is over"),
            (DIVING, RECOVERING, "caught"),
            (DIVING, IDLE, "the target is gone, or attack_time is over"),
        ),
        actions={SCANNING: scanning, CLIMBING: climbing, DIVING: diving},
    )
)  # fmt: skip
