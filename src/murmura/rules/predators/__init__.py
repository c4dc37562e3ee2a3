"""Predators: the rule that makes a flock flee, and the behaviour of each kind of hunter.

A hunter is a row of named numbers (`row`). Its turn (`life`) runs timers, decides by its state and kind (`hunt`,
`kinds`), and moves (`motion`). A hunter reads its row, the flock's reports of this step, and the world, but never
the flock itself. A new kind of hunter is one file in `kinds/`, or a file of yours: everything it needs can be imported
from here.
"""

from murmura.rules.predators.hunt import (
    Action,
    begin_attack,
    begin_hunt,
    catch,
    gain_speed_bonus,
    is_gone,
    is_lonely,
    look_for_prey,
    miss,
    pursue,
    search,
    strike,
    within_reach,
)
from murmura.rules.predators.hunter import Hunter
from murmura.rules.predators.kind import Kind, register_kind, weights
from murmura.rules.predators.motion import (
    chase,
    circle,
    gap_to,
    gap_to_prey,
    go_round_the_flock,
    slow_down,
    start_circle,
    start_round_the_flock,
    steer_toward,
    wander,
)
from murmura.rules.predators.row import GONE, HERE, TAKEN, HunterRow
from murmura.rules.predators.rule import Predators
from murmura.rules.predators.states import (
    AMBUSH,
    ATTACKING,
    CLIMBING,
    DIVING,
    HUNTING,
    IDLE,
    RECOVERING,
    SCANNING,
    STALKING,
    Machine,
    enter,
)
from murmura.rules.predators.turn import Turn

__all__ = [
    "AMBUSH", "ATTACKING", "CLIMBING", "DIVING", "GONE", "HERE", "HUNTING", "IDLE", "RECOVERING", "SCANNING",
    "STALKING", "TAKEN",
    "Action", "Hunter", "HunterRow", "Kind", "Machine", "Predators", "Turn",
    "begin_attack", "begin_hunt", "catch", "chase", "circle", "enter", "gain_speed_bonus", "gap_to", "gap_to_prey",
    "go_round_the_flock", "is_gone", "is_lonely", "look_for_prey", "miss", "pursue", "register_kind", "search",
    "slow_down", "start_circle", "start_round_the_flock", "steer_toward", "strike", "wander", "weights", "within_reach",
]  # fmt: skip
