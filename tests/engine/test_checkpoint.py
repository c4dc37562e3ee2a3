"""Checkpoints: a restored run has the same bits, and a damaged or foreign file is refused, never partly loaded."""

from __future__ import annotations

import io
import json
import os
import pickle
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.core.errors import RunError
from murmura.core.state import DTYPE
from murmura.engine.checkpoint import seal
from tests.sizes import size

Parts = dict[str, Any]


def begin(name: str, backend: str = "cpu", agents: int = 50, threads: int | None = None) -> mm.Simulation:
    scenario = mm.load_scenario(name).with_values({"agents": agents})
    return mm.Simulation(scenario, seed=2**40 + 3, backend=backend, threads=threads)


@pytest.fixture
def good(tmp_path: Path) -> Path:
    """A checkpoint of three agents after two steps."""
    simulation = begin("classic", "reference", agents=3)
    simulation.step(2)
    simulation.save(tmp_path / "good.npz")
    return tmp_path / "good.npz"


@pytest.mark.parametrize("name", ["classic", "starlings", "mixed"])
def test_a_restored_run_continues_with_the_same_bits(name: str, backend: str, tmp_path: Path) -> None:
    straight, halved = begin(name, backend), begin(name, backend)
    straight.step(8)
    halved.step(4)
    halved.save(tmp_path / "half.npz")
    restored = mm.Simulation.restore(tmp_path / "half.npz", backend=backend)
    assert restored.state_hash() == halved.state_hash()
    assert (restored.seed, restored.step_count, restored.time) == (halved.seed, 4, halved.time)
    assert restored.scenario == halved.scenario
    assert restored.agent_count == 50
    restored.step(4)
    assert restored.state_hash() == straight.state_hash()
    halved.step(4)  # saving disturbs nothing
    assert halved.state_hash() == straight.state_hash()


def test_another_number_of_threads_continues_with_the_same_bits(tmp_path: Path) -> None:
    straight, halved = begin("classic", agents=300), begin("classic", agents=300)
    straight.step(20)
    halved.step(10)
    halved.save(tmp_path / "half.npz")
    for threads in (1, 2, 3):
        restored = mm.Simulation.restore(tmp_path / "half.npz", threads=threads)
        restored.step(10)
        assert restored.state_hash() == straight.state_hash()


def test_births_deaths_and_retuning_survive(tmp_path: Path) -> None:
    def live(simulation: mm.Simulation) -> None:
        simulation.remove_agents([2, 3])
        simulation.add_agents([[50.0, 50.0]], [[1.0, 0.0]], {"energy": [0.25]})
        simulation.remove_agents([50])
        simulation.retune({"rules.alignment.weight": 2.5})

    simulation = begin("classic")
    live(simulation)
    simulation.save(tmp_path / "a.npz")
    restored = mm.Simulation.restore(tmp_path / "a.npz")
    assert restored.scenario.rules.alignment.weight == 2.5
    assert restored.ids.tolist() == simulation.ids.tolist()
    assert restored.add_agents([[9.0, 9.0]], [[1.0, 0.0]]).tolist() == [51]  # 50 was already used
    simulation.add_agents([[9.0, 9.0]], [[1.0, 0.0]])
    for run in (simulation, restored):
        run.step(3)
    assert simulation.state_hash() == restored.state_hash()


def test_an_empty_world_is_saved_too(tmp_path: Path) -> None:
    simulation = begin("classic", agents=0)
    simulation.step(5)
    simulation.save(tmp_path / "empty.npz")
    assert mm.Simulation.restore(tmp_path / "empty.npz").state_hash() == simulation.state_hash()


def test_saving_replaces_the_old_file_and_leaves_no_other(tmp_path: Path) -> None:
    simulation = begin("classic", "reference", agents=5)
    simulation.save(tmp_path / "a.npz")
    first = (tmp_path / "a.npz").read_bytes()
    simulation.step()
    simulation.save(str(tmp_path / "a.npz"))
    assert (tmp_path / "a.npz").read_bytes() != first
    assert [path.name for path in tmp_path.iterdir()] == ["a.npz"]


def test_an_unwritable_path_is_reported(tmp_path: Path) -> None:
    simulation = begin("classic", "reference", agents=5)
    with pytest.raises(RunError, match="cannot write the checkpoint") as error:
        simulation.save(tmp_path / "missing" / "a.npz")
    assert "missing" in str(error.value)
    (tmp_path / "folder").mkdir()
    with pytest.raises(RunError, match="a checkpoint is a file, got the folder"):
        simulation.save(tmp_path / "folder")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_numpy_opens_it_and_would_write_the_same_bytes(tmp_path: Path) -> None:
    simulation = begin("feeding-grounds", agents=20)
    simulation.step(3)
    simulation.save(tmp_path / "ours.npz")
    with np.load(tmp_path / "ours.npz") as parts:
        assert len(parts["items.feeding"].shape) == 2
        theirs = io.BytesIO()
        np.savez(theirs, **parts)
    assert (tmp_path / "ours.npz").read_bytes() == theirs.getvalue()


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"there is no checkpoint .*none\.npz"):
        mm.Simulation.restore(tmp_path / "none.npz")
    with pytest.raises(RunError, match="a checkpoint is a file, got the folder"):
        mm.Simulation.restore(tmp_path)


def same(path: Path, expected: mm.Simulation) -> bool:
    """Whether a file is refused (with its name), or holds exactly what was saved."""
    try:
        found = mm.Simulation.restore(path, backend="reference")
    except RunError as error:
        return path.name in str(error)
    return (found.state_hash(), found.seed, found.scenario) == (
        expected.state_hash(),
        expected.seed,
        expected.scenario,
    )


def test_a_file_cut_short_anywhere_is_refused(good: Path) -> None:
    content = good.read_bytes()
    torn = good.with_name("torn.npz")
    for length in [*range(0, 200, 7), *range(200, len(content), 97), *range(len(content) - 60, len(content))]:
        torn.write_bytes(content[:length])
        with pytest.raises(RunError, match=r"torn\.npz is damaged"):
            mm.Simulation.restore(torn)


def test_a_flipped_bit_anywhere_is_refused_or_harmless(good: Path) -> None:
    expected = mm.Simulation.restore(good, backend="reference")
    content = bytearray(good.read_bytes())
    flipped = good.with_name("flipped.npz")
    directory = content.rindex(b"PK\x01\x02") - 21 * 60  # the directory of parts: everything depends on it
    places = [*range(0, directory, size(29, 11)), *range(directory, len(content), size(3, 1))]
    for place in places:
        bit = 1 << (place % 8)
        content[place] ^= bit
        flipped.write_bytes(content)
        assert same(flipped, expected), f"bit {place % 8} of byte {place}"
        content[place] ^= bit


def test_every_bit_of_a_directory_entry(good: Path) -> None:
    # How it is packed, encrypted or checked: each bit sends the reader down another path.
    expected = mm.Simulation.restore(good, backend="reference")
    content = bytearray(good.read_bytes())
    flipped = good.with_name("flipped.npz")
    entry = content.rindex(b"PK\x01\x02")
    for place in range(entry, entry + 46):
        for bit in range(8):
            content[place] ^= 1 << bit
            flipped.write_bytes(content)
            assert same(flipped, expected), f"bit {bit} of byte {place - entry} of the entry"
            content[place] ^= 1 << bit


def test_zeroed_sectors_are_refused(good: Path) -> None:
    content = good.read_bytes()
    torn = good.with_name("torn.npz")
    for begin_at in range(0, len(content), 512):
        torn.write_bytes(
            content[:begin_at] + bytes(len(content[begin_at : begin_at + 512])) + content[begin_at + 512 :]
        )
        with pytest.raises(RunError, match=r"torn\.npz"):
            mm.Simulation.restore(torn)


@pytest.mark.parametrize(
    "content",
    [b"", b"PK", b"PK\x05\x06" + bytes(18), b"\x93NUMPY", b"{}", os.urandom(3000)],
    ids=["nothing", "two letters", "an empty archive", "an array", "text", "noise"],
)
def test_other_kinds_of_files_are_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "other.npz").write_bytes(content)
    with pytest.raises(RunError, match=r"other\.npz is damaged"):
        mm.Simulation.restore(tmp_path / "other.npz")


def test_a_foreign_archive_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "foreign.npz", "w") as archive:
        archive.writestr("word/document.xml", "<xml/>")
        archive.writestr("../escape.npy", "x")
    with pytest.raises(RunError, match="expected the parts"):
        mm.Simulation.restore(tmp_path / "foreign.npz")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["foreign.npz"]


def test_an_archive_of_other_arrays_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "arrays.npz", header=np.zeros(3), position_x=np.zeros(3))
    with pytest.raises(RunError, match="expected the parts"):
        mm.Simulation.restore(tmp_path / "arrays.npz")


def altered(good: Path, change: Callable[[Parts, dict[str, Any]], None], packed: bool = False) -> Path:
    """The checkpoint with some parts changed, and its checksums and digest corrected."""
    with np.load(good) as parts:
        columns: Parts = {name: parts[name] for name in DTYPE.names or ()}
        header = json.loads(parts["header"].tobytes())
    change(columns, header)
    path = good.with_name("altered.npz")
    write = np.savez_compressed if packed else np.savez
    header["seal"] = seal(header)
    header_bytes = json.dumps(header).encode()
    columns.setdefault("header", np.frombuffer(header_bytes, np.uint8))
    with path.open("wb") as file:
        write(file, **{name: column for name, column in columns.items() if column is not None})
    return path


def resealed(columns: Parts, header: dict[str, Any]) -> None:
    from murmura.core.state import State

    state = State()
    state.columns = {name: columns[name] for name in DTYPE.names or ()}
    state.next_id = header["next_id"]
    header["digest"] = state.digest(header["step_count"])


@pytest.mark.parametrize("name", ["header", "position_x", "species_id", "target_mate_id"])
def test_a_missing_part_is_refused(name: str, good: Path) -> None:
    def change(columns: Parts, header: dict[str, Any]) -> None:
        columns[name] = None

    with pytest.raises(RunError, match="expected the parts"):
        mm.Simulation.restore(altered(good, change))


def test_an_extra_part_is_refused(good: Path) -> None:
    with pytest.raises(RunError, match="expected the parts"):
        mm.Simulation.restore(altered(good, lambda columns, header: columns.update(extra=np.zeros(3))))


class Bomb:
    """Unpickling it would create a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


@pytest.mark.parametrize("name", ["header", "energy"])
def test_pickled_arrays_are_never_opened(name: str, good: Path) -> None:
    trap = good.with_name("sprung")

    def change(columns: Parts, header: dict[str, Any]) -> None:
        columns[name] = np.array([Bomb(trap)] * 3, dtype=object)

    with pytest.raises(RunError, match="damaged"):
        mm.Simulation.restore(altered(good, change))
    assert not trap.exists()
    good.write_bytes(pickle.dumps(Bomb(trap)))
    with pytest.raises(RunError, match="damaged"):
        mm.Simulation.restore(good)
    assert not trap.exists()


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("energy", np.zeros(3, np.float64)),
        ("energy", np.zeros((3, 1), np.float32)),
        ("energy", np.zeros(4, np.float32)),
        ("energy", np.array("abc")),
        ("id", np.zeros(3, np.int64)),
        ("position_x", np.array([1.0, 2.0, 3.0], np.float32)),
    ],
)
def test_columns_of_another_kind_length_or_content_are_refused(name: str, column: Any, good: Path) -> None:
    with pytest.raises(RunError, match=r"altered\.npz is damaged"):
        mm.Simulation.restore(altered(good, lambda columns, header: columns.update({name: column})))


@pytest.mark.parametrize(
    ("name", "value", "word"),
    [
        ("id", [0, 2, 1], "ids"),
        ("id", [0, 1, 1], "ids"),
        ("id", [-1, 0, 1], "ids"),
        ("id", [0, 1, 9], "ids"),
        ("species_id", [0, 0, 1], "species"),
        ("species_id", [0, -1, 0], "species"),
        ("species_id", [0, 2**31 - 1, 0], "species"),
        ("position_x", [1.0, np.nan, 2.0], "finite"),
        ("velocity_y", [1.0, np.inf, 2.0], "finite"),
    ],
)
def test_a_sealed_file_with_an_impossible_flock_is_refused(
    name: str, value: Any, word: str, good: Path
) -> None:
    def change(columns: Parts, header: dict[str, Any]) -> None:
        columns[name] = np.array(value, DTYPE[name])
        resealed(columns, header)

    with pytest.raises(RunError, match=word):
        mm.Simulation.restore(altered(good, change))


@pytest.mark.parametrize(
    "values",
    [
        {"format": 1},
        {"format": 3},
        {"format": None},
        {"seed": -1},
        {"seed": "seven"},
        {"seed": 2**64},
        {"seed": 1e400},
        {"step_count": 3},
        {"step_count": 2**80},
        {"next_id": 0},
        {"digest": "0" * 64},
        {"digest": None},
        {"scenario": {"agents": -1}},
        {"scenario": {"agnts": 1}},
        {"scenario": None},
        {"scenario": "classic"},
    ],
)
def test_an_invalid_header_is_refused(values: dict[str, Any], good: Path) -> None:
    with pytest.raises((RunError, ValueError), match=r"checkpoint|seed must be"):
        mm.Simulation.restore(altered(good, lambda columns, header: header.update(values)))


def test_a_header_that_was_altered_is_refused(good: Path) -> None:
    """The checksums of the archive are right, the seal is not."""
    with np.load(good) as parts:
        content = dict(parts)
    content["header"] = np.frombuffer(
        content["header"].tobytes().replace(b'"seed": ', b'"seed": 1'), np.uint8
    )
    with good.open("wb") as file:
        np.savez(file, **content)
    with pytest.raises(RunError, match=r"good\.npz is damaged: its header does not match its seal"):
        mm.Simulation.restore(good)


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"null", b'"x"', b"\xff", b"[" * 100_000, b"{}"])
def test_a_header_of_the_wrong_type_is_refused(text: bytes, good: Path) -> None:
    def change(columns: Parts, header: dict[str, Any]) -> None:
        columns["header"] = np.frombuffer(text, np.uint8)

    with pytest.raises(RunError, match="damaged"):
        mm.Simulation.restore(altered(good, change))


def test_compressed_parts_are_refused(good: Path) -> None:
    with pytest.raises(RunError, match="compressed"):
        mm.Simulation.restore(altered(good, lambda columns, header: None, packed=True))


def test_a_part_that_claims_to_be_enormous_is_refused_unread(good: Path) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(good) as old, zipfile.ZipFile(content, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "energy.npy":
                text = b"{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000000,), }"
                data = b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + text.ljust(117) + b"\n" + data[-12:]
            new.writestr(name, data)
    bomb = good.with_name("bomb.npz")
    bomb.write_bytes(content.getvalue())
    with pytest.raises(RunError, match=r"bomb\.npz is damaged"):
        mm.Simulation.restore(bomb)


def test_wrong_arguments_of_restore_are_refused(good: Path) -> None:
    with pytest.raises(mm.MurmuraError, match="no backend is called 'cpus'"):
        mm.Simulation.restore(good, backend="cpus")
    with pytest.raises(mm.MurmuraError, match="threads must be"):
        mm.Simulation.restore(good, threads=0)
