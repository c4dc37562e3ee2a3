"""Malicious run folders are refused without running code or exhausting memory (trust.md S6, S7)."""

from __future__ import annotations

import ast
import io
import json
import os
import pickle
import shutil
import struct
import tracemalloc
import warnings
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.core.errors import RunError
from murmura.engine.checkpoint import load, seal
from murmura.lab.damage import DamageWarning
from murmura.lab.figures.plot import plot
from murmura.lab.files.json_lines import line_of
from murmura.lab.gsd.writer import ENTRY, HEADER, MAGIC
from murmura.lab.runs.checkpoints import SLOTS
from murmura.lab.runs.recording import record
from murmura.lab.runs.resuming import resume
from tests.lab.tampering import as_killed

SOURCES = Path(mm.__file__).parent
TRUSTS_ON_REQUEST = Path(
    "lab/tracks/arrays.py"
)  # only with --trust-pickle: tests/lab/tracks has a trap for it
RUNS_CODE = {
    "pickle",
    "cPickle",
    "_pickle",
    "dill",
    "cloudpickle",
    "joblib",
    "marshal",
    "shelve",
    "jsonpickle",
}
MOST_MEMORY = 50 * 2**20


def test_nothing_is_ever_unpickled():
    """S6: no module that unpickles is imported, and every call of NumPy's load forbids pickles."""
    files = sorted(SOURCES.rglob("*.py"))
    assert len(files) > 60
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            else:
                names = []
            assert not {name.partition(".")[0] for name in names} & RUNS_CODE, file
            if isinstance(node, ast.Call):
                words = {word.arg: word.value for word in node.keywords}
                allowed = words.get("allow_pickle")
                if file.relative_to(SOURCES) != TRUSTS_ON_REQUEST:
                    assert allowed is None or ast.literal_eval(allowed) is False, f"{file}:{node.lineno}"
                if ast.unparse(node.func) in ("np.load", "numpy.load"):
                    assert allowed is not None, f"{file}:{node.lineno}: say allow_pickle=False"


class Trap:
    """Unpickling it would create a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Path:
    scenario = mm.load_scenario("classic").with_values({"agents": 5})
    folder = tmp_path_factory.mktemp("clean") / "run"
    simulation = mm.Simulation(scenario, seed=1, backend="reference")
    with pytest.raises(KeyboardInterrupt):
        record(simulation, 9, folder, every=1, progress=lambda step, end: _press(step == 4))
    return folder


def _press(now: bool) -> None:
    if now:
        import signal

        signal.raise_signal(signal.SIGINT)


def archive(content: dict[str, bytes], packed: bool = False) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED) as file:
        for name, data in content.items():
            file.writestr(name, data)
    return buffer.getvalue()


def array_file(array: Any) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def claiming(shape: str, kind: str = "<f4") -> bytes:
    """An array that claims this shape and contains four bytes."""
    text = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + text.ljust(117) + b"\n" + bytes(4)


def checkpoints(folder: Path, trap: Path) -> Iterator[tuple[str, bytes]]:
    """Invalid checkpoints, and checkpoints with false contents."""
    good = (folder / SLOTS[0]).read_bytes()
    with zipfile.ZipFile(io.BytesIO(good)) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    with np.load(io.BytesIO(good)) as loaded:
        header = json.loads(loaded["header"].tobytes())
    trapped = array_file(np.array([Trap(trap)] * 5, object))

    def with_header(**changes: Any) -> bytes:
        changed = header | changes
        changed["seal"] = seal(changed)
        return archive(
            parts | {"header.npy": array_file(np.frombuffer(json.dumps(changed).encode(), np.uint8))}
        )

    yield "pickle", pickle.dumps(Trap(trap))
    yield "pickled parts", archive(dict.fromkeys(parts, trapped))
    for name in ("header.npy", "energy.npy", "id.npy"):
        yield f"pickled {name}", archive(parts | {name: trapped})
        yield f"{name} that claims a petabyte", archive(parts | {name: claiming("(250000000000000,)")})
        yield f"{name} of many dimensions", archive(parts | {name: claiming("(1,) * 33")})
        yield f"{name} with code in its shape", archive(parts | {name: claiming("(print(1),)")})
        yield f"{name} of objects", archive(parts | {name: claiming("(5,)", "|O")})
        yield f"{name} that swells", archive(parts | {name: bytes(200 * 2**20)}, packed=True)
        yield f"{name} that is text", archive(parts | {name: b"cos\nsystem\n(S'touch x'\ntR."})
    yield "packed", archive(parts, packed=True)
    yield "other parts", archive({"../../escape.npy": parts["id.npy"]})
    yield "a part too many", archive(parts | {"extra.npy": parts["id.npy"]})
    yield "half", good[: len(good) // 2]
    yield "empty", b""
    yield "nested", archive(parts | {"header.npy": array_file(np.frombuffer(b"[" * 100_000, np.uint8))})
    for key, value in {
        "seed": "-", "step_count": 10**30, "next_id": -5, "digest": "0" * 64, "format": 99,
        "scenario": {"agents": 10**12}, "notes": [],
    }.items():  # fmt: skip
        yield f"header with {key} {value!r:.20}", with_header(**{key: value})
    marks = header["notes"]["outputs"]
    for name, key, value in [
        ("run.gsd", "frames", 10**12), ("run.gsd", "frames", -1), ("run.gsd", "index_room", 10**15),
        ("run.gsd", "index_location", -7), ("run.gsd", "digest", "many"), ("metrics.jsonl", "bytes", 10**15),
        ("metrics.jsonl", "sha256", None), ("events.jsonl", "bytes", {}),
    ]:  # fmt: skip
        changed = marks | {name: marks[name] | {key: value}}
        yield f"marks with {name} {key} {value!r}", with_header(notes={"outputs": changed})


def trajectories(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Files that are not GSD, or whose tables are false."""
    good = (folder / "run.gsd").read_bytes()
    header = np.frombuffer(good[: HEADER.itemsize], HEADER)[0]

    def with_header(**changes: int) -> bytes:
        changed = header.copy()
        for key, value in changes.items():
            changed[key] = value
        return changed.tobytes() + good[HEADER.itemsize :]

    def with_entry(**changes: int) -> bytes:
        place = int(header["index_location"])
        entry = np.frombuffer(good[place : place + ENTRY.itemsize], ENTRY)[0].copy()
        for key, value in changes.items():
            entry[key] = value
        return good[:place] + entry.tobytes() + good[place + ENTRY.itemsize :]

    yield "empty", b""
    yield "header only", good[: HEADER.itemsize]
    yield "another magic", with_header(magic=MAGIC ^ 1)
    yield "another version", with_header(gsd_version=9 << 16)
    for key in ("index_location", "index_room", "names_location", "names_room"):
        yield f"{key} beyond the end", with_header(**{key: 2**63 - 1})
    yield "no names", with_header(names_location=len(good) - 64, names_room=1)
    yield "rows beyond memory", with_entry(rows=10**15)
    yield "columns beyond memory", with_entry(columns=2**32 - 1)
    yield "an unknown type", with_entry(type=99)
    yield "an unknown name", with_entry(name=999)
    yield "a frame out of order", with_entry(frame=7)
    yield "flags", with_entry(flags=1)
    yield "a place before the start", with_entry(location=-8)
    yield "a place beyond the end", with_entry(location=2**62)


def sealed(manifest: dict[str, Any]) -> str:
    """With a correct seal: an attacker can write one."""
    rest = {key: value for key, value in manifest.items() if key != "seal"}
    return json.dumps(rest | {"seal": seal(rest)})


def words(folder: Path) -> Iterator[tuple[str, str, bytes]]:
    """Invalid manifests, configurations and lines."""
    manifest = json.loads((folder / "manifest.json").read_text())
    for key, value in {
        "seed": 2**70, "steps": -1, "status": "sleeping", "first_step": 1e400, "recording": None, "format": 3,
        "backend": 7, "extra": "key", "hashes": {"a": 1},
    }.items():  # fmt: skip
        text = sealed(manifest | {key: value}).replace("Infinity", "1e999")
        yield f"manifest with {key}", "manifest.json", text.encode()
    recording = manifest["recording"]
    for key, value in {
        "every": 0,
        "columns": ["nonsense"],
        "measures": ["nonsense"],
        "checkpoint_every": "never",
    }.items():
        text = sealed(manifest | {"recording": recording | {key: value}})
        yield f"manifest with recording.{key}", "manifest.json", text.encode()
    yield (
        "manifest with an unknown backend",
        "manifest.json",
        sealed(manifest | {"backend": "os"}).encode(),
    )
    yield "manifest nested", "manifest.json", b'{"murmura":' + b"[" * 100_000
    yield "manifest too large", "manifest.json", b" " * (2**20 + 1)
    yield "config nested", "config.json", b"[" * 100_000
    yield "config with too many", "config.json", b'{"agents": 1000000000000}'
    yield "config with NaN", "config.json", b'{"world": {"width": NaN}}'
    yield "a line without end", "metrics.jsonl", b" " * 3_000_000
    yield "a line that is a list", "metrics.jsonl", b"[1]\n"
    yield "a nested line", "metrics.jsonl", b"[" * 100_000 + b"\n"


def read_everything(folder: Path) -> None:
    run = mm.open_run(folder)
    list(run.frames)
    list(run.metrics())
    list(run.events())
    resume(folder)


def refused(act: Callable[[], object], what: str) -> str:
    """The message of a refusal, or of reported damage while the rest was read; checks that little memory was used."""
    tracemalloc.start()
    try:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", DamageWarning)
            try:
                act()
            except mm.MurmuraError as error:
                return str(error)
            finally:
                assert tracemalloc.get_traced_memory()[1] < MOST_MEMORY, what
        assert told, f"{what}: nothing was said"
    finally:
        tracemalloc.stop()
    return "; ".join(str(warning.message) for warning in told)


def test_checkpoints_that_lie_are_refused(clean: Path, tmp_path: Path):
    trap, count = tmp_path / "sprung", 0
    folder = shutil.copytree(clean, tmp_path / "run")
    untouched = ("run.gsd", "metrics.jsonl", "events.jsonl", "manifest.json")
    for what, content in checkpoints(clean, trap):
        (folder / SLOTS[0]).write_bytes(content)
        (folder / SLOTS[1]).write_bytes(content)
        if "marks" not in what and "notes" not in what:  # these are valid states, although not of a run
            assert SLOTS[0] in refused(lambda: load(folder / SLOTS[0]), what)
        with pytest.raises(RunError, match=r"cannot be resumed: .*(checkpoint-A\.npz|run\.gsd|\.jsonl)"):
            resume(folder)
        for name in untouched:
            assert (folder / name).read_bytes() == (clean / name).read_bytes(), (what, name)
        count += 1
        assert not trap.exists(), what
    assert count >= 40
    assert not (tmp_path / "escape.npy").exists()


def test_trajectories_that_lie_are_refused(clean: Path, tmp_path: Path):
    folder = shutil.copytree(clean, tmp_path / "run")
    for what, content in trajectories(clean):
        (folder / "run.gsd").write_bytes(content)
        assert "run.gsd is damaged" in refused(lambda: list(mm.open_run(folder).frames), what), what
        # The older checkpoint is that of the start: if the tables can be repaired, all frames are recomputed.
        again = shutil.copytree(folder, tmp_path / f"run-{what}")
        said: list[str] = []
        try:
            resume(again, announce=said.append)
        except RunError as error:
            said.append(str(error))
        else:
            assert mm.open_run(again).verify().is_whole
            assert [frame.step for frame in mm.open_run(again).frames] == list(range(10))
        assert any("run.gsd is damaged" in text for text in said) or "index" in what, (what, said)


def holes(folder: Path, kind: str) -> None:
    """Make run.gsd a file with holes: of 300 GB, of which the disk has a few pages."""
    path = folder / "run.gsd"
    content = path.read_bytes()
    header = np.frombuffer(content[: HEADER.itemsize], HEADER)[0].copy()
    place = int(header["index_location"])
    if kind == "index":
        header["index_room"] = 2**33
    elif kind == "names":
        header["names_room"] = 2**32
    else:
        entry = np.frombuffer(content[place : place + ENTRY.itemsize], ENTRY)[0].copy()
        entry["rows"], entry["columns"] = 2**32, 1
        content = content[:place] + entry.tobytes() + content[place + ENTRY.itemsize :]
    path.write_bytes(header.tobytes() + content[HEADER.itemsize :])
    os.truncate(path, 300 * 2**30)


@pytest.mark.parametrize("kind", ["index", "names", "chunk"])
@pytest.mark.parametrize("command", ["open_run", "verify", "plot", "resume"])
def test_a_trajectory_with_holes_is_believed_as_far_as_it_has_bytes(
    command: str, kind: str, clean: Path, tmp_path: Path
):
    """Issue 29, point 28: a header claimed 2^33 entries, and `verify` and others ended in a raw MemoryError."""
    folder = shutil.copytree(clean, tmp_path / "run")
    holes(folder, kind)
    act: Callable[[], object] = {
        "open_run": lambda: list(mm.open_run(folder).frames),
        "verify": lambda: _warned(mm.open_run(folder).verify()),
        "plot": lambda: plot(folder, tmp_path / "a.svg", "neighbors"),
        "resume": lambda: resume(folder, announce=lambda text: warnings.warn(text, DamageWarning, 2)),
    }[command]
    if (command, kind) == ("resume", "index"):  # the checkpoint knows the index, so the file is mended
        act()
        assert mm.open_run(folder).verify().is_whole and (folder / "run.gsd").stat().st_size < 2**20
    else:
        assert "run.gsd is damaged" in refused(act, kind)


def _warned(report: Any) -> None:
    for damage in report.damages:
        warnings.warn(str(damage), DamageWarning, stacklevel=2)


def test_a_first_step_that_its_checkpoints_do_not_have_is_refused(clean: Path, tmp_path: Path):
    """It made `resume` step for ever: to step 2^61 and 9 more."""
    folder = shutil.copytree(clean, tmp_path / "run")
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(sealed(manifest | {"first_step": 2**61}))
    with pytest.raises(RunError, match=r"cannot be resumed: .*checkpoint-B\.npz belongs to another run"):
        resume(folder)


@pytest.mark.parametrize("time", [{}, {"time": None}, {"time": "now"}])
def test_metrics_without_time_are_named_and_the_rest_is_drawn(
    time: dict[str, Any], clean: Path, tmp_path: Path
):
    folder = shutil.copytree(clean, tmp_path / "run")
    path = folder / "metrics.jsonl"
    row: dict[str, Any] = {"step": 5, "polarization": 1.0}
    as_killed(folder)
    path.write_bytes(path.read_bytes() + line_of(row | time))
    with pytest.warns(
        DamageWarning, match=r"metrics\.jsonl is damaged: line \d+: (it has no time|time must be)"
    ):
        plot(folder, tmp_path / "a.svg", "series")
    assert (tmp_path / "a.svg").exists()


def test_words_that_lie_are_refused(clean: Path, tmp_path: Path):
    for count, (what, name, content) in enumerate(words(clean)):
        folder = shutil.copytree(clean, tmp_path / f"run-{count}")
        (folder / name).write_bytes(content)
        assert refused(lambda folder=folder: read_everything(folder), what)  # type: ignore[misc]


def test_this_folder_can_be_read_when_nobody_lies(clean: Path, tmp_path: Path):
    """The checks above can fail."""
    read_everything(shutil.copytree(clean, tmp_path / "run"))
