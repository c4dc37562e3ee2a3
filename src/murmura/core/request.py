"""What a task is asked for: options that would have no effect are refused, and files that it would overwrite.

A command and a library call state the same table: options, the condition under which nothing reads them, and why.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, fields
from functools import wraps
from pathlib import Path
from typing import Any, ClassVar, ParamSpec, Self, TypeVar, cast

from murmura.core.errors import ScenarioError

Arguments = ParamSpec("Arguments")
Asked = TypeVar("Asked", bound="Request")
Made = TypeVar("Made")


def option(default: Any, text: str, flag: str | None = None, typed: Any = None) -> Any:
    """A field of a request, which the library and a command share.

    Args:
        default: Its value if it is not given.
        text: One sentence of help.
        flag: How the command spells it, if not by its name.
        typed: The type of what is typed in a command, if the library takes more.
    """
    return field(default=default, metadata={"help": text, "flag": flag, "typed": typed})


def argument(default: Any, text: str) -> Any:
    """A field of a request that is no option of a command."""
    return field(default=default, metadata={"text": text})


def names_in(given: str | Sequence[str] | None) -> list[str]:
    """Names, of which each text may hold several, separated by commas."""
    texts = [given] if isinstance(given, str) else given or ()
    return [name.strip() for text in texts for name in text.split(",") if name.strip()]


class Request:
    """The base of a dataclass of options: knows which of them were given, whatever their values."""

    given: frozenset[str]
    idle: ClassVar[tuple[Idle, ...]] = ()
    """Options that have no effect under some condition."""

    def __new__(cls, *arguments: Any, **options: Any) -> Self:
        self = super().__new__(cls)
        names = [one.name for one in fields(cls) if not one.kw_only]  # type: ignore[arg-type]  # what derives from this is a dataclass
        object.__setattr__(self, "given", frozenset([*names[: len(arguments)], *options]))
        return self

    def refuse_idle(self) -> None:
        """Raise if an option was given that has no effect."""
        refuse_idle(self.idle, self.given, self)


def takes(
    kind: Callable[Arguments, Asked],
) -> Callable[[Callable[[Asked], Made]], Callable[Arguments, Made]]:
    """Let a function of a request take the fields of that request: as its arguments, with their help and their checks.

    The function's docstring ends with the arguments that must be given; those with a default follow.
    """

    def decorate(act: Callable[[Asked], Made]) -> Callable[Arguments, Made]:
        @wraps(act)
        def call(*arguments: Arguments.args, **options: Arguments.kwargs) -> Made:
            request = kind(*arguments, **options)
            request.refuse_idle()
            return act(request)

        _, *parameters = inspect.signature(kind.__init__).parameters.values()
        returned = act.__annotations__["return"]
        call.__annotations__ = {one.name: one.annotation for one in parameters} | {"return": returned}
        call.__signature__ = inspect.Signature(parameters, return_annotation=returned)  # type: ignore[attr-defined]
        texts = {
            one.name: one.metadata.get("help", one.metadata.get("text")) for one in fields(cast("Any", kind))
        }
        lines = [f"        {one.name}: {texts[one.name]}\n" for one in parameters if texts[one.name]]
        call.__doc__ = f"{(act.__doc__ or '').rstrip()}\n{''.join(lines)}"
        return call

    return decorate


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
