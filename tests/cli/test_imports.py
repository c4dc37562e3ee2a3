"""Importing the package and `--help` load no heavy modules (U2)."""

from __future__ import annotations

import json
from pathlib import Path

from .terminal import python_says

HEAVY = {
    "scipy",
    "matplotlib",
    "numba",
    "llvmlite",
    "starlette",
    "h11",
    "websockets",
    "cupy",
    "pandas",
    "gsd",
    "polars",
    "pyarrow",
    "xarray",
    "zarr",
    "distributed",
    "SALib",
    "optuna",
}
LOADED = "import json, sys; print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"


def loaded_by(code: str, cwd: Path) -> set[str]:
    done = python_says("-c", f"{code}\n{LOADED}", cwd=cwd)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_importing_the_package_loads_nothing_heavy(tmp_path: Path):
    loaded = loaded_by("import murmura", tmp_path)
    assert "murmura" in loaded
    assert not loaded & HEAVY


def test_help_loads_nothing_heavy(tmp_path: Path):
    code = "from murmura.cli import main\ntry:\n    main(['--help'])\nexcept SystemExit:\n    pass"
    loaded = loaded_by(code, tmp_path)
    assert "cyclopts" in loaded
    assert not loaded & HEAVY


def test_names_are_found_when_they_are_used(tmp_path: Path):
    """The check above can fail: a simulation does load a compiler."""
    loaded = loaded_by("import murmura; murmura.Simulation('classic', backend='cpu')", tmp_path)
    assert "llvmlite" in loaded
    assert "numba" not in loaded, "which takes half a second to import, and only films need it"


def test_importing_costs_at_most_twice_what_numpy_costs(tmp_path: Path):
    def seconds(module: str) -> float:
        code = f"import time; t = time.process_time(); import {module}; print(time.process_time() - t)"
        return min(float(python_says("-c", code, cwd=tmp_path).stdout) for _ in range(3))

    assert seconds("murmura") <= 2.0 * seconds("numpy")
