"""A painter is compiled when it is first called, and no other with it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from murmura.core.errors import BackendError
from murmura.lab.films.encode import check_target
from tests.cli.terminal import environment

FIRST_CALL = """
import numpy as np
from murmura.compute.raster import plane, space, world
plane.boxes(64, 64, np.zeros((1, 2), "f4"), np.ones(1, "f4"), np.zeros(1, bool), np.zeros((1, 4), int))
"""


def test_one_call_compiles_one_function(tmp_path: Path):
    kept = environment(NUMBA_CACHE_DIR=str(tmp_path))
    subprocess.run([sys.executable, "-c", FIRST_CALL], env=kept, check=True)
    assert [path.name.partition("-")[0] for path in tmp_path.rglob("*.nbc")] == ["plane.boxes"]


def test_a_film_without_numba_is_refused_before_anything_is_painted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(sys.modules, "numba", None)
    with pytest.raises(BackendError, match="numba is not installed: pip install"):
        check_target(tmp_path / "a.png", (64, 64), 30.0)
