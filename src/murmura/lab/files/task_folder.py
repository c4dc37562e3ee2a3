"""Folders of tasks that take hours (sweeps, fits, inferences): one kind of folder for each, with a checked manifest.

A manifest may come from anywhere, so it is validated, and it has a seal: the SHA-256 of itself.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from murmura import __version__
from murmura.core.errors import RunError, ScenarioError
from murmura.engine.checkpoint import seal
from murmura.lab.damage import Damage, OnDamage
from murmura.lab.files.safe_open import leftovers, refuse_links, remove_leftovers
from murmura.scenario.plain_files import parse_json, read_plain_file, write_atomically


class StrictModel(BaseModel):
    """A part of a manifest: no other fields than these, and no conversions."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Manifest(StrictModel):
    """What a task was asked, and with what. Fields are written in this order, and those that were never set are not."""

    @property
    def data(self) -> dict[str, Any]:
        """As plain data, without the seal."""
        found = self.model_dump(mode="json", exclude_unset=True)
        found.pop("seal", None)
        return found


M = TypeVar("M", bound=Manifest)
AnyModel = TypeVar("AnyModel", bound=BaseModel)


@dataclass(frozen=True)
class TaskFolder(Generic[M]):
    """The folders of one kind of task.

    Attributes:
        task: The kind, in messages: "sweep".
        command: The command that makes one.
        model: The manifest.
        manifest: Its file; it is written last, so that a folder with it is complete.
        lock: The file that a process locks while it works in the folder.
        own_files: Names of files that the task writes; links with these names are refused.
        beginning: Those that are there before the manifest.
        largest: Greatest size of a manifest [bytes].
        indent: How it is indented.
    """

    task: str
    command: str
    model: type[M]
    manifest: str
    lock: str
    own_files: tuple[str, ...]
    beginning: tuple[str, ...] = ()
    largest: int = 2**26
    indent: int = 2

    def holds(self, folder: str | Path) -> bool:
        """Whether a folder looks like one of these."""
        return (Path(folder) / self.manifest).is_file()

    def read(self, folder: Path, on_damage: OnDamage) -> M:
        """The manifest; `on_damage` is called if it does not match its seal."""
        found = self.read_json(folder, self.manifest)
        return checked(self.model, found, folder / self.manifest, self._damaged(folder), on_damage)

    def read_json(self, folder: Path, name: str) -> dict[str, Any]:
        """A file of JSON of a task."""
        try:
            found = read_json(folder / name, self.largest, self._damaged(folder))
        except OSError as error:
            raise ScenarioError(
                f"{folder} is not the folder of {_a(self.task)}: {error}. Make one with `{self.command}`"
            ) from None
        if not isinstance(found, dict):
            raise self.damaged(folder, "it is not a JSON object", name)
        return found

    def write(self, folder: Path, **parts: Any) -> None:
        """Validate the parts of a manifest and write it."""
        self.rewrite(folder, self.model.model_validate(json.loads(json.dumps(parts))))

    def rewrite(self, folder: Path, manifest: M) -> None:
        write_sealed(folder / self.manifest, manifest.data, self.indent)

    def damaged(self, folder: Path, what: object, name: str | None = None) -> RunError:
        """The error for a part of the folder that cannot be read."""
        return RunError(f"{self._damaged(folder)}: {name or self.manifest}: {what}")

    def _damaged(self, folder: Path) -> str:
        return f"the {self.task} in {folder} is damaged"

    @contextmanager
    def claimed(self, folder: Path) -> Iterator[None]:
        """Create a folder if necessary and lock it for this process."""
        from filelock import FileLock, Timeout

        try:
            if folder.exists() and not self._is_usable(folder):
                raise ScenarioError(
                    f"{folder} is not empty and does not contain {_a(self.task)}: choose another folder"
                )
            folder.mkdir(parents=True, exist_ok=True)
            refuse_links(folder, self.own_files)
            held = FileLock(folder / self.lock)
            held.acquire(timeout=0)
        except Timeout:
            raise ScenarioError(
                f"another process is working on the {self.task} in {folder}; wait for it or stop it"
            ) from None
        except OSError as error:
            raise ScenarioError(f"cannot write to {folder}: {error}") from None
        try:
            refuse_links(folder, self.own_files)
            remove_leftovers(folder, self.own_files)
            yield
        except OSError as error:
            raise RunError(f"cannot write the {self.task} to {folder}: {error}") from None
        finally:
            held.release()

    def _is_usable(self, folder: Path) -> bool:
        """Whether a folder contains such a task, nothing, or only what one left that was stopped before it began."""
        names = {path.name for path in folder.iterdir()}
        left = names - leftovers(names, self.own_files)
        return (
            self.holds(folder) or not names or (self.lock in names and left <= {self.lock, *self.beginning})
        )


def read_json(path: Path, largest: int, damaged: str) -> Any:
    """A file of JSON. `damaged` begins the message if it is something else; an OSError is the caller's."""
    try:
        return parse_json(read_plain_file(path, largest))
    except ValueError as error:
        raise RunError(f"{damaged}: {path.name}: {error}") from None


def checked(
    model: type[AnyModel], data: dict[str, Any], path: Path, damaged: str, on_damage: OnDamage
) -> AnyModel:
    """Data as a model; `on_damage` is called if the model has a seal, and the data does not match it."""
    try:
        found = model.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the whole"
        raise RunError(
            f"{damaged}: {path.name}: {where}: {first['msg']}, got {first['input']!r:.80}"
        ) from None
    if "seal" in model.model_fields and data.get("seal") != seal(data):
        on_damage(Damage(path, "it does not match its seal: its content may be wrong"))
    return found


def write_sealed(path: Path, data: dict[str, Any], indent: int = 2) -> None:
    """Write plain data with its seal."""
    write_atomically(path, (json.dumps(data | {"seal": seal(data)}, indent=indent) + "\n").encode())


def _a(task: str) -> str:
    return f"an {task}" if task[0] in "aeiou" else f"a {task}"


def software_versions(*packages: str) -> dict[str, str]:
    """Versions of murmura, Python and some packages, the platform, and the current time."""
    return {
        "murmura": __version__,
        "python": platform.python_version(),
        **{package: version(package) for package in packages},
        "platform": platform.platform(),
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
    }
