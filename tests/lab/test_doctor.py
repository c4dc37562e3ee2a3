"""`doctor`'s description of the machine, against other sources."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import re
import tomllib
from pathlib import Path

import pytest

import murmura as mm
from murmura.compute import kernel_cache
from murmura.core.extras import install_command
from murmura.lab import doctor


def test_facts_are_true():
    facts = doctor.examine()
    assert facts["murmura"] == mm.__version__
    assert facts["python"] == platform.python_version()
    assert facts["platform"] == platform.platform()
    assert facts["cores"] == len(os.sched_getaffinity(0))
    assert facts["packages"]["numpy"] == importlib.metadata.version("numpy")
    assert set(facts["packages"]) >= {"numpy", "llvmlite", "scipy", "pydantic"}
    json.dumps(facts, allow_nan=False)


def test_every_backend_it_names_works():
    for backend in doctor.examine()["backends"]:
        simulation = mm.Simulation("classic", backend=backend)
        assert simulation.backend == backend


def test_vector_instructions_are_those_of_the_processor():
    flags = Path("/proc/cpuinfo")
    if not flags.exists() or platform.machine() != "x86_64":
        pytest.skip("knows the processor's flags from Linux on x86-64 only")
    words = flags.read_text().split()
    assert doctor.examine()["vector_instructions"] == [n for n in ("avx512f", "avx2", "fma") if n in words]


def test_the_cache_is_where_the_user_wants_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MURMURA_CACHE_DIR", str(tmp_path / "cache"))
    facts = doctor.examine()
    assert (facts["kernel_cache"], facts["kernels_kept"]) == (str(tmp_path / "cache"), 0)
    kernel_cache.keep("one", b"code", announce=None)
    facts = doctor.examine()
    assert (facts["kernels_kept"], facts["kernel_cache_writable"]) == (1, True)


def test_what_is_missing_comes_with_the_line_that_installs_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(doctor, "EXTRAS", {"analysis": ("no_such_package",), "core": ("numpy",)})
    assert doctor.examine()["missing_extras"] == {"analysis": install_command("analysis")}


def test_it_looks_for_every_package_of_every_extra():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    declared = {
        extra: sorted(re.split(r"[\[><=]", line)[0].replace("-", "_") for line in lines)
        for extra, lines in project["project"]["optional-dependencies"].items()
        if not extra.startswith("cuda")
    }
    assert {extra: sorted(packages) for extra, packages in doctor.EXTRAS.items()} == declared
