"""User-facing errors."""

from __future__ import annotations

import pytest

from murmura import MurmuraError
from murmura.core.errors import BackendError, RunError, ScenarioError, UnknownNameError, nearest


@pytest.mark.parametrize(
    ("error", "builtin", "exit_code"),
    [
        (ScenarioError, ValueError, 2),
        (UnknownNameError, KeyError, 2),
        (BackendError, RuntimeError, 2),
        (RunError, RuntimeError, 1),
    ],
)
def test_every_error_is_also_a_familiar_builtin_one(error: type, builtin: type, exit_code: int) -> None:
    assert issubclass(error, MurmuraError)
    assert issubclass(error, builtin)
    assert error.exit_code == exit_code
    assert str(error("no agent has the id 7")) == "no agent has the id 7"  # a KeyError alone would add quotes


def test_nearest_name() -> None:
    known = ["alignment", "cohesion", "separation"]
    assert nearest("aligment", known) == " (did you mean 'alignment'?)"
    assert nearest("wind", known) == ""
    assert nearest("anything", []) == ""
