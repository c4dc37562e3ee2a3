"""Refuses options that would do nothing, for every command by one decorator."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import partial, wraps
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_type_hints

from cyclopts import Parameter

from murmura.core.request import Idle, Request, refuse_idle
from murmura.lab.sweeps.request import ONE_THREAD


def refuses_idle(*rules: Idle) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Refuse options of a command that have no effect. Cyclopts passes only what was given."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def checked(*arguments: Any, **options: Any) -> None:
            bound = inspect.signature(command).bind(*arguments, **options)
            given = set(bound.arguments)
            bound.apply_defaults()
            values = dict(bound.arguments)
            requests = [value for value in bound.arguments.values() if isinstance(value, Request)]
            for request in requests:
                given |= request.given
                values |= vars(request)
            owners = [command, *map(type, requests)]
            refuse_idle(rules, given, SimpleNamespace(**values), partial(flag, owners))
            command(*arguments, **options)

        return checked

    return decorate


def flag(owners: Sequence[Any], name: str) -> str:
    """How an option of a command, or of one of its requests, is typed."""
    hints = [get_type_hints(owner, include_extras=True).get(name) for owner in owners]
    about = [one for hint in hints for one in getattr(hint, "__metadata__", ()) if isinstance(one, Parameter)]
    return next((next(iter(one.name)) for one in about if one.name), f"--{name.replace('_', '-')}")


def no_threads_in(folder: Path) -> bool:
    """Whether a run was recorded on a backend, and so continues on one, that takes no number of threads."""
    from murmura.lab.runs.run import open_run

    return open_run(folder).manifest["backend"] in ONE_THREAD


def is_folder(path: Any) -> bool:
    return path is not None and Path(path).is_dir()
