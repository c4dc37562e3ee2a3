"""An ensemble on disk: one archive with a checkpoint of each world, and the hash of all."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from murmura.core.errors import MurmuraError, RunError
from murmura.engine.checkpoint import Checkpoint, file_path, parts_of, read, write_parts
from murmura.scenario import Scenario
from murmura.scenario.plain_files import atomic_file, open_plain_file

if TYPE_CHECKING:
    from murmura.engine.simulation import Simulation

HEADER, FORMAT = "ensemble.json", 1
LARGEST_HEADER = 4096


def save(worlds: Sequence[Simulation], digest: str, path: str | Path) -> None:
    """Write the worlds atomically."""
    path = file_path(path)
    header = {"format": FORMAT, "worlds": len(worlds), "hash": digest}
    try:
        with atomic_file(path) as file, zipfile.ZipFile(file, "w") as archive:
            archive.writestr(HEADER, json.dumps(header))
            for number, world in enumerate(worlds):
                content = io.BytesIO()
                write_parts(content, parts_of(world))
                archive.writestr(_name(number), content.getbuffer().tobytes())
    except OSError as error:
        raise RunError(f"cannot write the ensemble {path}: {error}") from None


def _name(number: int) -> str:
    return f"{number}.npz"


def load(path: str | Path) -> list[Checkpoint]:
    """Read the checkpoint of each world."""
    path = file_path(path)
    try:
        with open_plain_file(path) as file, zipfile.ZipFile(file) as archive:
            return _worlds(archive)
    except FileNotFoundError:
        raise RunError(f"there is no ensemble {path}") from None
    except OSError as error:
        raise RunError(f"cannot read the ensemble {path}: {error.strerror or error}") from None
    except MurmuraError as error:
        raise RunError(f"the ensemble {path} cannot be used: {error}") from None
    except Exception as error:  # a broken archive may raise anything
        raise RunError(f"the ensemble {path} is damaged: {error}") from None


def _worlds(archive: zipfile.ZipFile) -> list[Checkpoint]:
    entries = {entry.filename: entry for entry in archive.infolist()}
    if HEADER not in entries or entries[HEADER].file_size > LARGEST_HEADER:
        raise ValueError(f"it has no {HEADER}; a checkpoint of one flock is read by Simulation.restore")
    if any(entry.compress_type != zipfile.ZIP_STORED for entry in entries.values()):
        raise ValueError("its parts are compressed, which no ensemble's are")
    header = json.loads(archive.read(HEADER))
    if header["format"] != FORMAT:
        raise ValueError(f"its format is {header['format']}, this version reads {FORMAT}")
    count = header["worlds"]
    if len(entries) != count + 1 or count < 1:
        raise ValueError(f"expected {count} worlds, found {len(entries) - 1}")
    scenarios: dict[str, Scenario] = {}

    def scenario_of(data: Any) -> Scenario:
        """The same object for the same data, so that worlds share a plan."""
        text = json.dumps(data, sort_keys=True)
        if text not in scenarios:
            scenarios[text] = Scenario.from_data(data)
        return scenarios[text]

    found = [read(io.BytesIO(archive.read(_name(number))), scenario_of) for number in range(count)]
    digests = "".join(world.state.digest(world.step_count) for world in found)
    if hashlib.sha256(digests.encode()).hexdigest() != header["hash"]:
        raise ValueError("its worlds do not match its hash")
    return found
