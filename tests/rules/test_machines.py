"""The tables of the state machines against the code of the minds and against the page that draws them."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import textwrap
from pathlib import Path
from typing import Any

import pytest

from murmura.rules.hunting import body
from murmura.rules.hunting.minds import MACHINES
from murmura.rules.hunting.states import IDLE, RECOVERING, SHARED_MACHINE, STATE_NAMES

ROOT = Path(__file__).parents[2]


def entered(function: Any, seen: set[Any] | None = None) -> set[int]:
    """Every state that a function may enter, itself or through what it calls."""
    seen = set() if seen is None else seen
    seen.add(function)
    found = set()
    for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(function)))):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
            continue
        if node.func.id in ("enter", "begin_hunt"):
            state = node.args[1]
            if isinstance(state, ast.Name) and state.id in function.__globals__:
                found.add(function.__globals__[state.id])
        called = function.__globals__.get(node.func.id)
        if inspect.isfunction(called) and called not in seen and "hunting" in called.__module__:
            found |= entered(called, seen)
    return found


# S0-73
@pytest.mark.parametrize("kind", MACHINES)
def test_the_table_of_a_mind_says_what_its_code_does(kind: str):
    module = importlib.import_module(f"murmura.rules.hunting.{kind}")
    states = {before for before, _, _ in MACHINES[kind]}
    assert len({(a, b) for a, b, _ in MACHINES[kind]}) == len(MACHINES[kind])
    for state in states:
        function = getattr(module, f"{kind}_{STATE_NAMES[state]}")
        said = {after for before, after, _ in MACHINES[kind] if before == state}
        assert entered(function) - {state} == said, STATE_NAMES[state]
    functions = {
        name for name in vars(module) if name.startswith(f"{kind}_") and name.split("_")[-1] in STATE_NAMES
    }
    assert functions == {f"{kind}_{STATE_NAMES[state]}" for state in states}


def test_the_shared_machine():
    for before, function in ((IDLE, body.idle), (RECOVERING, body.recover)):
        assert entered(function) == {after for state, after, _ in SHARED_MACHINE if state == before}
    assert entered(body.collapse_if_exhausted) == {RECOVERING}


@pytest.mark.parametrize("kind", MACHINES)
def test_every_state_can_be_reached_and_left(kind: str):
    moves = {(a, b) for a, b, _ in (*SHARED_MACHINE, *MACHINES[kind])}
    for states in ({b for _, b in moves}, {a for a, _ in moves}):
        assert states == {state for move in moves for state in move}


def test_the_page_is_up_to_date():
    spec = importlib.util.spec_from_file_location("make_machines", ROOT / "docs" / "make_machines.py")
    assert spec is not None and spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    assert script.PAGE.read_text(encoding="utf-8") == script.page(), "run python docs/make_machines.py"
