"""Tasks that people know: a scenario, observations and a reward each, and a hand-written rule to compare with."""

from murmura.rl.tasks.escape import escape, escape_by_hand
from murmura.rl.tasks.formation import formation, formation_by_hand
from murmura.rl.tasks.shepherd import shepherd, shepherd_by_hand

__all__ = ["escape", "escape_by_hand", "formation", "formation_by_hand", "shepherd", "shepherd_by_hand"]
