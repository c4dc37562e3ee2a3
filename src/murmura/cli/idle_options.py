"""Refuses options that would do nothing, for every command by one decorator."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial, wraps
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_type_hints

from cyclopts import Parameter

from murmura.core.request import Idle, Request, refuse_idle

ONE_THREAD = ("reference", "cuda", "webgpu")
"""Backends that are not told how many threads to use."""
ONLY_CPU = "only the backend cpu takes a number of threads"
NO_THREADS = Idle("threads", lambda given: given.backend in ONE_THREAD, ONLY_CPU)


def refuses_idle(*rules: Idle) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Refuse options of a command that have no effect. Cyclopts passes only what was given."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def checked(*arguments: Any, **options: Any) -> None:
            bound = inspect.signature(command).bind(*arguments, **options)
            given = set(bound.arguments)
            bound.apply_defaults()
            owner: Any = command
            values = dict(bound.arguments)
            for value in bound.arguments.values():
                if isinstance(value, Request):
                    given |= value.given
                    values |= vars(value)
                    owner = type(value)
            refuse_idle(rules, given, SimpleNamespace(**values), partial(flag, owner))
            command(*arguments, **options)

        return checked

    return decorate


def flag(owner: Any, name: str) -> str:
    """How an option of a command, or of its request, is typed."""
    about = getattr(get_type_hints(owner, include_extras=True).get(name), "__metadata__", ())
    named = next((one.name for one in about if isinstance(one, Parameter) and one.name), ())
    return next(iter(named), f"--{name.replace('_', '-')}")


def no_threads_in(folder: Path) -> bool:
    """Whether a run was recorded on a backend, and so continues on one, that takes no number of threads."""
    from murmura.lab.runs.run import open_run

    return open_run(folder).manifest["backend"] in ONE_THREAD


def is_folder(path: Any) -> bool:
    return path is not None and Path(path).is_dir()
