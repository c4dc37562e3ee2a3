"""The errors a user can see. Each message says what was expected, what was found and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class MurmuraError(Exception):
    """Base of all errors that the user can fix. The command line shows them without a traceback."""

    exit_code = 2


class ScenarioError(MurmuraError, ValueError):
    """A scenario, a value in it, or a start state is invalid."""


class UnknownNameError(MurmuraError, KeyError):
    """Unknown name of a scenario, column or rule, or unknown agent id."""

    def __str__(self) -> str:
        return str(self.args[0])


class BackendError(MurmuraError, RuntimeError):
    """A backend is missing, or cannot run what was requested."""


class RunError(MurmuraError, RuntimeError):
    """A run went wrong after it had started."""

    exit_code = 1


def nearest(word: str, known: Iterable[str], likeness: float = 0.6) -> str:
    """Return ' (did you mean ...?)' for the most similar known name, or nothing."""
    matches = difflib.get_close_matches(str(word), list(known), n=1, cutoff=likeness)
    return f" (did you mean {matches[0]!r}?)" if matches else ""
