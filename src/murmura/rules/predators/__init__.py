"""Predators: the rule that makes a flock flee from them, and what goes on in each kind of hunter.

A hunter is a row of named numbers (`row`). Its turn (`life`) runs timers, decides by its state and kind (`hunt`,
`kinds`), and moves (`motion`). A mind knows its row, what the flock told it in this step, and the world, but never
the flock itself. A new kind of hunter is one file in `kinds/`.
"""

from murmura.rules.predators.hunter import Hunter
from murmura.rules.predators.rule import Predators

__all__ = ["Hunter", "Predators"]
