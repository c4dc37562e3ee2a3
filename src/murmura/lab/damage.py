"""How readers report damage: they name the file and the place, and read the rest."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NoReturn

from murmura.core.errors import RunError

MOST_NAMED = 20
"""Damaged places of one file beyond this number are only counted."""


class DamageWarning(UserWarning):
    """Part of a file is damaged; the rest of it was read."""


@dataclass(frozen=True)
class Damage:
    """What is wrong with a file, and where in it.

    Attributes:
        file: The file.
        what: What is wrong.
        line: In which line, counted from 1, where it has lines.
        frame: In which frame, counted from 0, where it has frames.
    """

    file: Path
    what: str
    line: int | None = None
    frame: int | None = None

    def __str__(self) -> str:
        place = "" if self.line is None else f"line {self.line}: "
        place += "" if self.frame is None else f"frame {self.frame}: "
        return f"{self.file} is damaged: {place}{self.what}"

    def data(self) -> dict[str, Any]:
        """As plain data, without what does not apply."""
        return {key: value for key, value in asdict(self).items() if value is not None} | {
            "file": str(self.file)
        }


class DamageError(RunError):
    """The requested data is damaged."""

    def __init__(self, damage: Damage) -> None:
        super().__init__(str(damage))
        self.damage = damage


OnDamage = Callable[[Damage], None]
"""Called with each damage."""


def refuse(damage: Damage) -> NoReturn:
    """Raise: for code that would write over the damage."""
    raise DamageError(damage)


def warn_of_damage(damage: Damage) -> None:
    """Warn, and let the reader continue."""
    warnings.warn(f"{damage}. The rest is read", DamageWarning, stacklevel=3)
