"""Loads a user's own rules and measures. Loading a file runs it, so nothing is loaded unless the user names it.

A file is read once, its bytes are compared with the expected hash, if there is one, and exactly these bytes are run.
"""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from murmura.core.errors import MurmuraError, ScenarioError

LARGEST_FILE = 16 * 2**20
_loaded: dict[Path, str] = {}
"""Files that have been run, with the SHA-256 of their content."""


def load_rule_file(path: str | Path, expected: str | None = None) -> str:
    """Run a user's file, which registers its rules, once per process.

    Args:
        path: The file.
        expected: The SHA-256 it must have; otherwise the file is not run.

    Returns:
        The SHA-256 of what was run.
    """
    path = Path(path)
    content = _content(path)
    found = hashlib.sha256(content).hexdigest()
    if expected is not None and found != expected:
        raise ScenarioError(
            f"{path} is not the file that was used before: its SHA-256 is {found[:12]}..., expected "
            f"{expected[:12]}.... It was not run; restore the old file, or start again in another folder"
        )
    if path.resolve() in _loaded:
        if _loaded[path.resolve()] != found:
            raise ScenarioError(
                f"{path} was changed after this process had run it: restart Python to use the new version"
            )
        return found
    _run(path, content)
    _loaded[path.resolve()] = found
    return found


def _content(path: Path) -> bytes:
    if not path.is_file() or path.suffix != ".py":
        raise ScenarioError(f"--rules takes a Python file that exists, got {path}")
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise ScenarioError(f"cannot read the rules {path}: {error}") from None
    if len(content) > LARGEST_FILE:
        raise ScenarioError(f"{path}: a file of rules has at most {LARGEST_FILE // 2**20} MB")
    return content


def _run(path: Path, content: bytes) -> None:
    spec = importlib.util.spec_from_file_location(f"murmura_rules_{path.stem}", path)
    assert spec is not None
    module: ModuleType = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        exec(compile(content, str(path), "exec"), module.__dict__)
    except MurmuraError:
        raise
    except Exception as error:
        raise ScenarioError(f"{path} could not be run: {type(error).__name__}: {error}") from error
