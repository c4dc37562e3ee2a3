"""Our kinds of hunters."""

from murmura.core.algebra import when
from murmura.rules.predators import (
    ATTACKING,
    GONE,
    IDLE,
    RECOVERING,
    SCANNING,
    HunterRow,
    Kind,
    Turn,
    begin_attack,
    catch,
    go_round_the_flock,
    miss,
    register_kind,
    search,
    start_round_the_flock,
    strike,
    weights,
)


def scanning(it: HunterRow, turn: Turn) -> None:
    """Circle the flock, and attack the first bird in view."""
    start_round_the_flock(it, turn)
    go_round_the_flock(it, turn, 0.8, 0.6)
    when(it.prey_here > GONE, lambda: begin_attack(it), lambda: search(it))


def attacking(it: HunterRow, turn: Turn) -> None:
    strike(it, turn, it.catch_distance, it.state_time > it.attack_time, 0.2, catch, miss)


register_kind(
    Kind(
        name="kite",
        numbers=weights(1.0, 0.5, 0.2, 0.2, 1.2)
        | {"max_speed": 19.0, "attack_time": 3.0, "hunt_energy": 40.0},
        machine=(
            (SCANNING, ATTACKING, "a target is in view"),
            (SCANNING, IDLE, "nothing found in scan_time"),
            (ATTACKING, RECOVERING, "caught"),
            (ATTACKING, IDLE, "the target is gone, or attack_time is over"),
        ),
        actions={SCANNING: scanning, ATTACKING: attacking},
    )
)
