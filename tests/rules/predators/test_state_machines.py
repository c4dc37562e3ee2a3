"""The tables of the state machines against the code of the hunters and the documentation."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import textwrap
from pathlib import Path
from typing import Any

import pytest

from murmura.rules.predators import hunt
from murmura.rules.predators.kind import KINDS, kind_names
from murmura.rules.predators.states import ATTACKING, IDLE, RECOVERING, SHARED_MACHINE, STATE_NAMES

ROOT = Path(__file__).parents[3]


def entered(function: Any, seen: set[Any] | None = None) -> set[int]:
    """Every state that a function may enter, itself or through functions it calls or passes on."""
    seen = set() if seen is None else seen
    seen.add(function)
    found = set()
    for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(function)))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id == "begin_attack" and len(node.args) == 1:
                found.add(ATTACKING)
            elif node.func.id in ("enter", "begin_hunt", "begin_attack"):
                state = node.args[1]
                if isinstance(state, ast.Name) and state.id in function.__globals__:
                    found.add(function.__globals__[state.id])
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            named = function.__globals__.get(node.id)
            if inspect.isfunction(named) and named not in seen and "predators" in named.__module__:
                found |= entered(named, seen)
    return found


# S0-73
@pytest.mark.parametrize("kind", kind_names())
def test_the_table_of_a_kind_matches_its_code(kind: str):
    machine, actions = KINDS[kind].machine, KINDS[kind].actions
    assert len({(a, b) for a, b, _ in machine}) == len(machine)
    assert set(actions) == {before for before, _, _ in machine}
    for state, action in actions.items():
        said = {after for before, after, _ in machine if before == state}
        assert entered(action) - {state} == said, STATE_NAMES[state]


def test_the_shared_machine():
    for before, function in ((IDLE, hunt.idle), (RECOVERING, hunt.recover)):
        assert entered(function) == {after for state, after, _ in SHARED_MACHINE if state == before}
    assert entered(hunt.collapse_if_exhausted) == {RECOVERING}


@pytest.mark.parametrize("kind", kind_names())
def test_every_state_can_be_reached_and_left(kind: str):
    moves = {(a, b) for a, b, _ in (*SHARED_MACHINE, *KINDS[kind].machine)}
    for states in ({b for _, b in moves}, {a for a, _ in moves}):
        assert states == {state for move in moves for state in move}


def test_the_page_is_up_to_date():
    spec = importlib.util.spec_from_file_location("make_machines", ROOT / "docs" / "make_machines.py")
    assert spec is not None and spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    assert script.PAGE.read_text(encoding="utf-8") == script.page(), "run python docs/make_machines.py"
