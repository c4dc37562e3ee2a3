"""The barracuda lies in wait ahead of the school and shoots at what swims towards it."""

from __future__ import annotations

from murmura.core.algebra import maximum, when
from murmura.core.world.randomness import STREAM_HUNTER_GOAL
from murmura.rules.predators.hunt import begin_attack, begin_hunt, catch, miss, regain_energy, strike
from murmura.rules.predators.kind import Kind, register_kind, weights
from murmura.rules.predators.looks import FISH
from murmura.rules.predators.motion import gap_to, gap_to_prey, slow_down, steer_toward, wander
from murmura.rules.predators.row import GONE, HunterRow
from murmura.rules.predators.states import AMBUSH, ATTACKING, IDLE, RECOVERING, SCANNING, enter
from murmura.rules.predators.turn import Turn, draw

NEAR_WAIT, FAR_WAIT = 150.0, 250.0  # [u] ahead of the school
APPROACHING = 0.2  # least cosine
IN_PLACE = 20.0  # [u]


def scanning(it: HunterRow, turn: Turn) -> None:
    """Find a place ahead of the school, and swim there."""
    lost = (it.tries == 0.0) & (it.seen == 0.0)
    when(lost, lambda: wander(it, turn, 1.0, 1.0), lambda: swim_ahead(it, turn))


def swim_ahead(it: HunterRow, turn: Turn) -> None:
    when(it.tries == 0.0, lambda: choose_place(it, turn))
    it.goal_time = 1.0
    steer_toward(it, turn, it.goal, 1.0, 1.0)

    def lie_in_wait() -> None:
        it.target = -1.0
        enter(it, AMBUSH)

    when((gap_to(it, turn, it.goal) < IN_PLACE) | (it.state_time > it.stalk_time), lie_in_wait)


def choose_place(it: HunterRow, turn: Turn) -> None:
    u, _ = draw(it, turn.world, STREAM_HUNTER_GOAL)
    ahead = NEAR_WAIT + (FAR_WAIT - NEAR_WAIT) * u
    it.goal = it.center + it.flock_velocity.with_length(ahead)
    it.tries = 1.0
    enter(it, SCANNING)


def ambush(it: HunterRow, turn: Turn) -> None:
    """Lie still, unseen."""
    it.stealth = 1.0
    slow_down(it, turn, 0.05)
    regain_energy(it, turn, 0.5)

    def attack() -> None:
        it.stealth = 0.0
        begin_hunt(it, ATTACKING)
        begin_attack(it)

    def move_on() -> None:
        it.tries = 0.0
        enter(it, SCANNING)

    def wait() -> None:
        it.reach = it.strike_range
        it.least_approach = APPROACHING
        it.target = it.best_id

    near = (it.prey_here > GONE) & (gap_to_prey(it, turn) < it.attack_distance)
    late = it.state_time > it.ambush_time
    when(near & (it.state_time >= it.wait_time), attack, lambda: when(late, move_on, wait))


def attacking(it: HunterRow, turn: Turn) -> None:
    """A burst, which doubles the energy spent."""
    it.energy = maximum(0.0, it.energy - it.hunting_drain * turn.world.dt)
    strike(it, turn, it.catch_distance, it.state_time > it.attack_time, 0.15, catch, miss)


register_kind(
    Kind(
        name="barracuda",
        code=6,
        looks=FISH,
        numbers=weights(1.8, 0.5, 1.0, 0.2, 1.5)
        | {
            "max_speed": 12.0, "max_force": 1.2, "burst": 2.2, "max_energy": 70.0, "energy_regen": 10.0,
            "hunting_drain": 15.0, "attack_cost": 25.0, "exhaustion_threshold": 12.0, "recovery_delay": 1.5,
            "panic_radius": 100.0, "stealth_radius": 30.0, "attack_distance": 40.0, "catch_distance": 18.0,
            "hunt_time": 5.0, "attack_time": 1.2, "attack_force": 3.0, "stalk_time": 12.0, "wait_time": 1.0,
            "ambush_time": 10.0, "strike_range": 120.0, "approach_weight": 1.0,
        },
        machine=(
            (SCANNING, AMBUSH, "150 to 250 ahead of the school, or stalk_time is over"),
            (AMBUSH, ATTACKING, "after wait_time, prey that swims towards it comes within attack_distance"),
            (AMBUSH, SCANNING, "ambush_time is over"),
            (ATTACKING, RECOVERING, "caught"),
            (ATTACKING, IDLE, "the target is gone, or attack_time is over"),
        ),
        actions={SCANNING: scanning, AMBUSH: ambush, ATTACKING: attacking},
    )
)  # fmt: skip
