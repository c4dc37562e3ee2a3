"""Predators: the rule that makes a flock flee, and the behaviour of each kind of hunter.

A hunter is a row of named numbers (`row`). Its turn (`life`) runs timers, decides by its state and kind (`hunt`,
`kinds`), and moves (`motion`). A hunter reads its row, the flock's reports of this step, and the world, but never
the flock itself. A new kind of hunter is one file in `kinds/`.
"""

from murmura.rules.predators.hunter import Hunter
from murmura.rules.predators.rule import Predators

__all__ = ["Hunter", "Predators"]
