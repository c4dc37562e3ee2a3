"""How readers report damage: they name the file and the position in it, and read the rest."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NoReturn

from murmura.core.errors import RunError

MOST_NAMED = 20
"""Greatest number of damages per file that are reported; further ones are only counted."""


class DamageWarning(UserWarning):
    """Part of a file is damaged; the rest of it was read."""


@dataclass(frozen=True)
class Damage:
    """What is wrong with a file, and where in it.

    Attributes:
        file: The file.
        what: What is wrong.
        line: The line, counted from 1, if the file has lines.
        frame: The frame, counted from 0, if the file has frames.
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
        """As plain data; fields that do not apply are absent."""
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
    """Raise, for code that would overwrite the damage."""
    raise DamageError(damage)


def warn_of_damage(damage: Damage) -> None:
    """Warn and let the reader continue."""
    warnings.warn(f"{damage}. The rest was read", DamageWarning, stacklevel=3)
