"""The kernel cache: kernels are reused, rebuilt when damaged, and not cached where that is impossible."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import murmura as mm
from murmura.compute.cpu import build

SCENARIO = mm.Scenario.from_data(
    {
        "agents": 30,
        "world": {"width": 200.0, "height": 200.0},
        "rules": {name: {"enabled": False} for name in ("alignment", "cohesion", "boundary")},
    }
)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("MURMURA_CACHE_DIR", str(folder))
    return folder


REALLY, CODES = build._object_code, dict[str, bytes]()


def code_of(module: Any, *level: int) -> bytes:
    """The compiler's code for a module, which is always the same, so it is compiled once."""
    text = str(module)
    if text not in CODES:
        CODES[text] = REALLY(module, *level)
    return CODES[text]


def run(monkeypatch: pytest.MonkeyPatch) -> tuple[str, list[str], int]:
    """As in a process of its own: the state after a few steps, what was said, and how many kernels were compiled."""
    said: list[str] = []
    with monkeypatch.context() as patch:
        patch.setattr(build, "_kernels", {})
        patch.setattr(build, "_engines", {})
        patch.setattr(build, "_object_code", code_of)
        sim = mm.Simulation(SCENARIO, seed=1, backend="cpu", announce=said.append)
        sim.step(3)
        found = sim.state_hash()
    return found, said, sum("compiling" in line for line in said)


def kept(cache: Path) -> dict[Path, bytes]:
    """What is kept: the kernel of these rules, and code that serves all."""
    return {path: path.read_bytes() for path in (cache / "kernels").iterdir()}


def test_a_kernel_is_compiled_once(cache: Path, monkeypatch: pytest.MonkeyPatch):
    first = run(monkeypatch)
    assert first[2] == 1
    before = kept(cache)
    assert run(monkeypatch) == (first[0], [], 0)
    assert {path.suffix for path in before} == {".kernel"}
    assert kept(cache) == before


def test_a_rule_that_is_switched_on_compiles_one_function(cache: Path, monkeypatch: pytest.MonkeyPatch):
    """Sorting the flock takes the compiler longer than the rules, and does not depend on them."""
    compiled: list[str] = []

    def noted(module: Any, *level: int) -> bytes:
        compiled.extend(function.name for function in module.functions if not function.is_declaration)
        return code_of(module, *level)

    monkeypatch.setattr(build, "_kernels", {})
    monkeypatch.setattr(build, "_engines", {})
    monkeypatch.setattr(build, "_object_code", noted)
    sim = mm.Simulation(SCENARIO, seed=1, backend="cpu")
    assert compiled == ["run", "steer", "finish"]
    sim.retune({"rules.alignment.enabled": True})
    sim.step()
    assert compiled[3:] == ["steer"]


def flip(place: Callable[[int], int]) -> Callable[[bytes], bytes]:
    """Damage that turns one bit of a file over."""

    def damage(data: bytes) -> bytes:
        at = place(len(data))
        return data[:at] + bytes([data[at] ^ 0x10]) + data[at + 1 :]

    return damage


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda data: b"",
    "only a checksum": lambda data: data[:32],
    "cut in the checksum": lambda data: data[:20],
    "cut by a byte": lambda data: data[:-1],
    "cut in half": lambda data: data[: len(data) // 2],
    "a bit of the checksum": flip(lambda n: 5),
    "a bit of the header": flip(lambda n: 40),
    "a bit of the code": flip(lambda n: n // 2),
    "the last bit": flip(lambda n: n - 1),
    "something else": lambda data: b"not a kernel at all" * 100,
    "longer than it was": lambda data: data + b"\0",
}


@pytest.fixture(scope="module")
def whole_kernels(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, bytes]]:
    """The state after a run, and the kernels that it kept, by file name."""
    folder = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MURMURA_CACHE_DIR", str(folder))
        return run(patch)[0], {path.name: data for path, data in kept(folder).items()}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_kernel_is_rebuilt(
    damage: str, whole_kernels: tuple[str, dict[str, bytes]], cache: Path, monkeypatch: pytest.MonkeyPatch
):
    expected, kernels = whole_kernels
    whole = {cache / "kernels" / name: data for name, data in kernels.items()}
    (cache / "kernels").mkdir(parents=True)
    for path, data in whole.items():
        path.write_bytes(DAMAGE[damage](data))
    found, said, compiled = run(monkeypatch)
    assert (found, compiled) == (expected, 1)
    [line] = [line for line in said if "damaged" in line]
    assert any(path.name in line for path in whole)
    # Repaired: the next process finds everything intact and announces nothing.
    assert run(monkeypatch) == (expected, [], 0)
    assert kept(cache).keys() == whole.keys()


def test_a_folder_in_place_of_a_kernel_does_not_stop_a_run(cache: Path, monkeypatch: pytest.MonkeyPatch):
    expected, _, _ = run(monkeypatch)
    whole = kept(cache)
    for path in whole:
        path.unlink()
        path.mkdir()
        (path / "something").write_text("in the way")
    found, said, compiled = run(monkeypatch)
    assert (found, compiled) == (expected, 1)
    assert any("cannot be kept" in line for line in said)
    assert set((cache / "kernels").iterdir()) == whole.keys()


def check_runs_without_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two runs compile twice, agree, and report that nothing is cached, where, and what to do."""
    first, second = run(monkeypatch), run(monkeypatch)
    assert first[0] == second[0]
    assert first[2] == second[2] == 1
    for _, said, _ in (first, second):
        [line] = [line for line in said if "cannot be kept" in line]
        assert "MURMURA_CACHE_DIR" in line
        assert os.environ["MURMURA_CACHE_DIR"] in line


def test_without_a_cache_folder_kernels_are_compiled_every_time(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("MURMURA_CACHE_DIR", str(tmp_path / "file"))
    check_runs_without_cache(monkeypatch)
    assert (tmp_path / "file").read_text() == "not a folder"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_with_a_read_only_cache_kernels_are_compiled_every_time(cache: Path, monkeypatch: pytest.MonkeyPatch):
    (cache / "kernels").mkdir(parents=True)
    (cache / "kernels").chmod(0o500)
    check_runs_without_cache(monkeypatch)


def test_on_a_full_disk_kernels_are_compiled_every_time(cache: Path, monkeypatch: pytest.MonkeyPatch):
    """A kernel that can be written only in part leaves nothing behind."""
    resource = pytest.importorskip("resource")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    monkeypatch.setattr(
        sys, "dont_write_bytecode", True
    )  # modules cut short in the cache would break other processes
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        check_runs_without_cache(monkeypatch)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert list((cache / "kernels").iterdir()) == []
