"""The owl waits: it picks a perch near passing birds, sits still unseen, and strikes what comes near."""

from __future__ import annotations

from functools import reduce

from murmura.core.algebra import maximum, minimum, when, where
from murmura.core.vec import from_angle
from murmura.core.world.randomness import STREAM_HUNTER_GOAL
from murmura.core.world.space import inside
from murmura.rules.predators.hunt import begin_attack, begin_hunt, catch, miss, regain_energy, strike
from murmura.rules.predators.kind import Kind, register_kind, weights
from murmura.rules.predators.looks import ROUND_WINGS
from murmura.rules.predators.motion import PI, gap_to, slow_down, steer_toward, wander
from murmura.rules.predators.row import HunterRow
from murmura.rules.predators.states import AMBUSH, ATTACKING, IDLE, RECOVERING, SCANNING, enter
from murmura.rules.predators.turn import Turn, draw

PERCHES = 8.0
NEAR_PERCH, FAR_PERCH = 150.0, 250.0  # [u] from the middle of the flock
TRAFFIC = 200.0  # [u] how far from a perch birds that fly towards it count
EDGE_BONUS = 0.5
AT_PERCH = 15.0  # [u]


def scanning(it: HunterRow, turn: Turn) -> None:
    """Look at one possible perch in each step, then fly to the best of them."""
    chooses = it.tries <= PERCHES

    def search() -> None:
        wander(it, turn, 1.0, 1.0)
        it.tries = 0.0

    def choose_or_fly() -> None:
        when(chooses, lambda: weigh_perch(it, turn), lambda: fly_to_perch(it, turn))

    when((it.seen == 0.0) & chooses, search, choose_or_fly)


def fly_to_perch(it: HunterRow, turn: Turn) -> None:
    steer_toward(it, turn, it.goal, 1.0, 1.0)
    there = (gap_to(it, turn, it.goal) < AT_PERCH) | (it.state_time > it.stalk_time)
    when(there, lambda: enter(it, AMBUSH))


def weigh_perch(it: HunterRow, turn: Turn) -> None:
    """Judge the perch that was watched in this step, and watch another one in the next."""
    first = it.tries == 0.0
    to_edge = reduce(minimum, it.watch.map(lambda x, size: minimum(x, size - x), turn.world.size))
    score = it.watched + where(to_edge < turn.p.edge_margin, EDGE_BONUS, 0.0)
    better = ~first & (score > it.goal_score)
    it.goal = where(better, it.watch, it.goal)
    it.goal_score = where(first, -1.0, where(better, score, it.goal_score))
    it.tries = it.tries + 1.0
    it.goal_time = 1.0
    when(it.tries > PERCHES, lambda: enter(it, SCANNING), lambda: watch_perch(it, turn))


def watch_perch(it: HunterRow, turn: Turn) -> None:
    """In the next step, count the birds that fly towards a random perch near the flock."""
    u, v = draw(it, turn.world, STREAM_HUNTER_GOAL)
    away = from_angle(2.0 * PI * u, NEAR_PERCH + (FAR_PERCH - NEAR_PERCH) * v, len(it.center))
    it.watch = inside(turn.world, it.center + away)
    it.watch_radius = TRAFFIC
    it.watch_cosine = 0.5


def ambush(it: HunterRow, turn: Turn) -> None:
    """S0-95 to S0-97."""
    it.stealth = 1.0
    slow_down(it, turn, 0.05)
    regain_energy(it, turn, 0.5)

    def attack() -> None:
        it.target = it.best_id
        it.stealth = 0.0
        begin_hunt(it, ATTACKING)
        begin_attack(it)

    def move_on() -> None:
        it.patience = it.patience * 0.9
        it.tries = 0.0
        enter(it, SCANNING)

    def wait() -> None:
        it.reach = it.strike_range

    late = it.state_time > it.ambush_time * it.patience
    ready = (it.state_time >= it.wait_time) & (it.best_id >= 0.0)
    when(ready, attack, lambda: when(late, move_on, wait))


def attacking(it: HunterRow, turn: Turn) -> None:
    """S0-98."""
    late = it.state_time > it.attack_time
    strike(it, turn, it.catch_distance, late, 0.15, catch_and_trust, miss_and_doubt)


def catch_and_trust(it: HunterRow, turn: Turn) -> None:
    it.patience = minimum(1.5, it.patience + 0.2)
    catch(it, turn)


def miss_and_doubt(it: HunterRow, turn: Turn) -> None:
    it.patience = maximum(0.2, it.patience * 0.8)
    miss(it, turn)


register_kind(
    Kind(
        name="owl",
        code=3,
        looks=ROUND_WINGS,
        numbers=weights(0.3, 0.2, 0.5, -0.5, 2.0)
        | {
            "max_speed": 8.0, "max_force": 0.4, "burst": 3.5, "max_energy": 90.0, "energy_regen": 10.0,
            "hunting_drain": 18.0, "attack_cost": 25.0, "exhaustion_threshold": 15.0, "recovery_delay": 1.0,
            "panic_radius": 80.0, "stealth_radius": 40.0, "attack_distance": 40.0, "catch_distance": 30.0,
            "hunt_time": 3.0, "attack_time": 1.5, "attack_force": 3.5, "stalk_time": 20.0, "wait_time": 1.5,
            "ambush_time": 12.0, "strike_range": 70.0, "approach_weight": 1.0,
        },
        machine=(
            (SCANNING, AMBUSH, "at the best of eight perches, or stalk_time is over"),
            (AMBUSH, ATTACKING, "after wait_time, prey within strike_range"),
            (AMBUSH, SCANNING, "ambush_time times patience is over"),
            (ATTACKING, RECOVERING, "caught"),
            (ATTACKING, IDLE, "the target is gone, or attack_time is over"),
        ),
        actions={SCANNING: scanning, AMBUSH: ambush, ATTACKING: attacking},
    )
)  # fmt: skip
