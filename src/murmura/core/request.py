"""What a task is asked for: options that would have no effect are refused, and files that it would overwrite.

A command and a library call state the same table: options, the condition under which nothing reads them, and why.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, ClassVar, Self

from murmura.core.errors import ScenarioError


def option(default: Any, text: str, flag: str | None = None, typed: Any = None) -> Any:
    """A field of a request, which the library and a command share.

    Args:
        default: Its value if it is not given.
        text: One sentence of help.
        flag: How the command spells it, if not by its name.
        typed: The type of what is typed in a command, if the library takes more.
    """
    return field(default=default, metadata={"help": text, "flag": flag, "typed": typed})


class Request:
    """The base of a dataclass of options: knows which of them were given, whatever their values."""

    given: frozenset[str]
    idle: ClassVar[tuple[Idle, ...]] = ()
    """Options that have no effect under some condition."""

    def __new__(cls, *arguments: Any, **options: Any) -> Self:
        self = super().__new__(cls)
        names = [one.name for one in fields(cls)]  # type: ignore[arg-type]  # what derives from this is a dataclass
        object.__setattr__(self, "given", frozenset([*names[: len(arguments)], *options]))
        return self

    def refuse_idle(self) -> None:
        """Raise if an option was given that has no effect."""
        refuse_idle(self.idle, self.given, self)


@dataclass(frozen=True)
class Idle:
    """Options that have no effect under a condition.

    Attributes:
        options: Their names, separated by spaces.
        when: The condition, on the values of all options.
        why: The reason, and what to do instead.
    """

    options: str
    when: Callable[[Any], bool]
    why: str


def refuse_idle(
    rules: Sequence[Idle], given: Collection[str], values: Any, spelled: Callable[[str], str] = str
) -> None:
    """Raise if an option was given that has no effect: silence would look like success.

    Args:
        rules: The table of the task; the first row that applies is reported.
        given: The names of the options that were given, whatever their values.
        values: The values of all options, as attributes.
        spelled: How the reader writes the name of an option.
    """
    for rule in rules:
        names = [spelled(name) for name in rule.options.split() if name in given]
        if names and rule.when(values):
            listed = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
            raise ScenarioError(f"{listed} {'have' if names[1:] else 'has'} no effect here: {rule.why}")


def check_free(*targets: Path, force: bool) -> None:
    """Raise if writing would overwrite a file: the same rule for every picture, film, page and table."""
    there = next((path for path in targets if path.exists()), None)
    if there is not None and not force:
        raise ScenarioError(f"{there} already exists: choose another name, or overwrite it with --force")
