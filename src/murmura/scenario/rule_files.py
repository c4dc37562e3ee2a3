"""Loads a user's own rules and measures. Loading a file runs it, so nothing is loaded unless the user names it.

A file is read once, its bytes are compared with the expected hash, if there is one, and exactly these bytes are run.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from murmura.core.errors import MurmuraError, ScenarioError
from murmura.scenario.plain_files import read_plain_file

LARGEST_FILE = 16 * 2**20
_loaded: dict[Path, str] = {}
"""Files that have been run, with the SHA-256 of their content."""


def rule_source(given: str | Path) -> str:
    """What `load_rule_file` takes, as a text that means the same in every folder: a whole path, or a module's name."""
    return str(given) if _is_module(given) else str(Path(given).resolve())


def load_rule_file(given: str | Path, expected: str | None = None) -> str:
    """Run a user's file or import a module, which registers its rules, once per process.

    Args:
        given: The file, or the name of an installed module.
        expected: The SHA-256 it must have; otherwise the file is not run.

    Returns:
        The SHA-256 of what was run.
    """
    path = _file_of(str(given)) if _is_module(given) else Path(given)
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
    if _is_module(given):
        _import(str(given))
    else:
        _run(path, content)
    _loaded[path.resolve()] = found
    return found


def _is_module(given: str | Path) -> bool:
    """Whether this is the name of a module: words and dots, and no file."""
    text = str(given)
    return all(part.isidentifier() for part in text.split(".")) and not text.endswith(".py")


def _file_of(module: str) -> Path:
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        spec = None
    if spec is None or not spec.origin or not spec.origin.endswith(".py"):
        raise ScenarioError(
            f"--rules takes a Python file or an installed module, and there is no module {module!r}"
        )
    return Path(spec.origin)


def _import(module: str) -> None:
    try:
        importlib.import_module(module)
    except MurmuraError:
        raise
    except Exception as error:
        raise ScenarioError(f"{module} could not be imported: {type(error).__name__}: {error}") from error


def _content(path: Path) -> bytes:
    if not path.is_file() or path.suffix != ".py":
        raise ScenarioError(f"--rules takes a Python file that exists, or the name of a module, got {path}")
    try:
        return read_plain_file(path, LARGEST_FILE)
    except (OSError, ValueError) as error:
        raise ScenarioError(f"cannot read the rules {path}: {error}") from None


def _run(path: Path, content: bytes) -> None:
    spec = importlib.util.spec_from_file_location(f"murmura_rules_{path.stem}", path)
    assert spec is not None
    module: ModuleType = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    beside = str(path.resolve().parent)
    if beside not in sys.path:
        sys.path.append(
            beside
        )  # as Python does for a script, but last: a file there hides no installed package
    try:
        exec(compile(content, str(path), "exec"), module.__dict__)
    except MurmuraError:
        raise
    except Exception as error:
        raise ScenarioError(f"{path} could not be run: {type(error).__name__}: {error}") from error
