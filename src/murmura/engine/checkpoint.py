"""Checkpoints: one .npz without pickle that holds the scenario, the seed, the step and every column.

The header is a manifest with the SHA-256 of the state and of itself. Sizes are checked before anything is read, and
digests after it: an incomplete or altered file is rejected, never loaded in part.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from murmura.compute.item_tables import item_layout
from murmura.compute.plan import state_columns
from murmura.core.errors import MurmuraError, RunError
from murmura.core.state import DTYPE, OWN_COLUMNS, SPACE_COLUMNS, State, column_type
from murmura.scenario import Scenario
from murmura.scenario.models import MOST_AGENTS
from murmura.scenario.plain_files import atomic_file, open_plain_file

if TYPE_CHECKING:
    from murmura.engine.simulation import Simulation

FORMAT = 2
LARGEST_HEADER = 16 * 2**20
ITEMS = "items."
MOST_ITEM_BYTES = 64 * 2**20
ARCHIVE_END = b"PK\x05\x06" + bytes(18)
"""The last record of an archive without a comment, apart from its counts and offsets."""


class Checkpoint(NamedTuple):
    """The content of a checkpoint."""

    scenario: Scenario
    seed: int
    step_count: int
    state: State
    notes: dict[str, Any]
    portable: bool = False


def save(simulation: Simulation, path: str | Path, notes: Mapping[str, Any] | None = None) -> str:
    """Write a checkpoint atomically, with notes for its reader; return the state's digest."""
    path = file_path(path)
    parts = parts_of(simulation, notes)
    try:
        with atomic_file(path) as file:
            write_parts(file, parts)
    except OSError as error:
        raise RunError(f"cannot write the checkpoint {path}: {error}") from None
    return simulation.state_hash()


def parts_of(simulation: Simulation, notes: Mapping[str, Any] | None = None) -> dict[str, NDArray[Any]]:
    """The arrays of a checkpoint by name, the first of them its header."""
    state = simulation.state
    header = {
        "format": FORMAT,
        "seed": simulation.seed,
        "step_count": simulation.step_count,
        "next_id": state.next_id,
        "digest": simulation.state_hash(),
        "scenario": simulation.scenario.model_dump(mode="json"),
        "notes": dict(notes or {}),
        "portable": simulation.portable,
    }
    header["seal"] = seal(header)
    content = json.dumps(header).encode()
    if len(content) > LARGEST_HEADER - 4096:  # more than NumPy's own headers take
        raise RunError(
            f"cannot write a checkpoint: its scenario has {len(content) / 2**20:.1f} MB, expected less than "
            f"{LARGEST_HEADER // 2**20}"
        )
    parts = {"header": np.frombuffer(content, np.uint8), **state.columns}
    return parts | {f"{ITEMS}{name}": np.ascontiguousarray(rows) for name, rows in state.items.items()}


def write_parts(file: BinaryIO, parts: Mapping[str, NDArray[Any]]) -> None:
    """The bytes of `numpy.savez`, without its two copies of each array."""
    with zipfile.ZipFile(file, "w") as archive:
        for name, array in parts.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as part:
                np.lib.format.write_array_header_1_0(part, np.lib.format.header_data_from_array_1_0(array))
                part.write(array.data if array.size else b"")


def seal(header: Mapping[str, Any]) -> str:
    """SHA-256 of a header without its seal."""
    rest = {key: value for key, value in header.items() if key != "seal"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


def file_path(path: str | Path) -> Path:
    found = Path(path)
    if not found.name or found.is_dir():
        raise RunError(f"a checkpoint is a file, got the folder {str(path)!r}: add a name, such as flock.npz")
    return found


def load(path: str | Path) -> Checkpoint:
    """Read a checkpoint."""
    path = file_path(path)
    try:
        with open_plain_file(path) as file:
            return read(file)
    except FileNotFoundError:
        raise RunError(f"there is no checkpoint {path}") from None
    except OSError as error:
        raise RunError(f"cannot read the checkpoint {path}: {error.strerror or error}") from None
    except MurmuraError as error:
        raise RunError(f"the checkpoint {path} cannot be used: {error}") from None
    except Exception as error:  # zlib, lzma, struct, memory ...: a broken archive may raise anything
        raise RunError(f"the checkpoint {path} is damaged: {error}") from None


def read(file: Any, scenario_of: Callable[[Any], Scenario] = Scenario.from_data) -> Checkpoint:
    """Read and check an open checkpoint, whatever is wrong with it raises."""
    with zipfile.ZipFile(file) as archive:
        entries = archive.infolist()
        file.seek(-len(ARCHIVE_END), os.SEEK_END)
        if min((entry.header_offset for entry in entries), default=1) or not _is_end(file.read()):
            raise ValueError("bytes were added before or after its content")
        sizes = {entry.filename: entry.file_size for entry in entries}
        expected = {f"{name}.npy" for name in (*(DTYPE.names or ()), "header")}
        rest = sorted(name.removesuffix(".npy") for name in set(sizes) - expected)
        own, items = [n for n in rest if n in OWN_COLUMNS], [n for n in rest if n.startswith(ITEMS)]
        if expected - set(sizes) or len(own) + len(items) < len(rest):
            raise ValueError(
                f"expected the parts {sorted(expected)} and columns of known rules, found {sorted(sizes)}"
            )
        if sizes["header.npy"] > LARGEST_HEADER or max(sizes.values()) > max(
            LARGEST_HEADER, 4 * MOST_AGENTS + 4096
        ):
            raise ValueError("its parts claim to be larger than any checkpoint")
        if any(entry.compress_type != zipfile.ZIP_STORED for entry in entries):
            raise ValueError("its parts are compressed, which no checkpoint's are")
        header = json.loads(_part(archive, "header", np.dtype(np.uint8)).tobytes())
        if header["format"] != FORMAT:
            raise ValueError(f"its format is {header['format']}, this version reads {FORMAT}")
        if header["seal"] != seal(header):
            raise ValueError("its header does not match its seal")
        state = State()
        for name in (*(DTYPE.names or ()), *own):
            state.columns[name] = _part(archive, name, np.dtype(column_type(name)))
        for name in items:
            if sizes[f"{name}.npy"] > MOST_ITEM_BYTES:
                raise ValueError(f"the items {name} claim to be larger than any are")
            state.items[name.removeprefix(ITEMS)] = _part(archive, name, np.dtype(np.float32), 2)
    if len({len(column) for column in state.columns.values()}) > 1:
        raise ValueError("its columns differ in length")
    state.next_id = int(header["next_id"])
    if state.digest(int(header["step_count"])) != header["digest"]:
        raise ValueError("its contents do not match its digest")
    scenario = scenario_of(header["scenario"])
    space = {*SPACE_COLUMNS} & {*state_columns(scenario)}
    if {*SPACE_COLUMNS} & {*state.columns} != space:
        raise ValueError(f"its scenario has the columns {sorted(space)} of space, and it holds others")
    _check_items(scenario, state)
    _check_state(state, len(scenario.species_names()))
    return Checkpoint(
        scenario,
        int(header["seed"]),
        int(header["step_count"]),
        state,
        dict(header["notes"]),
        header.get("portable", False) is True,
    )


def _is_end(tail: bytes) -> bool:
    """Whether an archive ends here: its last record, without the comment in which `zipfile` would let anything pass."""
    return tail[:4] == ARCHIVE_END[:4] and tail[-2:] == ARCHIVE_END[-2:]


def _part(archive: zipfile.ZipFile, name: str, dtype: Any, dimensions: int = 1) -> NDArray[Any]:
    """A part as an array. `numpy.load` would first allocate whatever size the part claims."""
    with archive.open(f"{name}.npy") as part:
        if np.lib.format.read_magic(part) != (1, 0):
            raise ValueError(f"{name} is of an unknown version")
        shape, transposed, found = np.lib.format.read_array_header_1_0(part)
        if found != dtype or len(shape) != dimensions or (transposed and dimensions > 1):
            raise ValueError(f"{name} is {found} with {len(shape)} dimensions")
        content = part.read()
    if len(content) != math.prod(shape) * dtype.itemsize:
        raise ValueError(f"{name} claims the shape {shape} and holds {len(content)} bytes")
    return np.frombuffer(content, dtype).reshape(shape).copy()


def _check_items(scenario: Scenario, state: State) -> None:
    """Raise unless the items fit the scenario's rules in number and width."""
    rules = dict(scenario.rules)
    for name, rows in state.items.items():
        rule = rules.get(name)
        if rule is None or rows.shape != (
            len(rule.items()),
            len(item_layout(rule, scenario)),
        ):
            raise ValueError(f"its items of {name!r} are {rows.shape}, which is not what its scenario has")
        if not np.isfinite(rows).all():
            raise ValueError(f"its items of {name!r} are not finite")


def _check_state(state: State, species_count: int) -> None:
    """Raise on invalid states: kernels rely on ids, species and positions."""
    if (np.diff(state.ids) <= 0).any() or (
        len(state) and not 0 <= state.ids[0] <= state.ids[-1] < state.next_id
    ):
        raise ValueError("its ids are not in ascending order, or some have not been assigned yet")
    if not ((state["species"] >= 0) & (state["species"] < species_count)).all():
        raise ValueError(
            f"its agents are of species that its scenario, which has {species_count}, does not know"
        )
    broken = [name for name, column in state.columns.items() if not np.isfinite(column).all()]
    if broken:
        raise ValueError(f"its columns {', '.join(broken)} are not finite")
