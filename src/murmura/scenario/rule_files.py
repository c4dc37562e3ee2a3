"""Files of a user's with rules and measures of their own. Loading one runs it: nothing loads one unasked."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

from murmura.core.errors import MurmuraError, ScenarioError

_loaded: set[Path] = set()


def load_rule_file(path: str | Path) -> None:
    """Run a file of the user's, which registers its rules; once in a process, however often it is asked for."""
    path = Path(path)
    if path.resolve() in _loaded:
        return
    spec = importlib.util.spec_from_file_location(f"murmura_rules_{path.stem}", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise ScenarioError(f"--rules takes a Python file that exists, got {path}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except MurmuraError:
        raise
    except Exception as error:
        raise ScenarioError(f"{path} could not be run: {type(error).__name__}: {error}") from error
    _loaded.add(path.resolve())
