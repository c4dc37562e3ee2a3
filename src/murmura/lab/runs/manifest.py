"""manifest.json: what was run, with what, where, and how it ended. It may come from anywhere, so it is validated.

It has a seal (the SHA-256 of itself), the SHA-256 of the small files beside it, and the number of frames and lines of
the others, whose lines have checksums.
"""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import Field

import murmura
from murmura.core.errors import ScenarioError
from murmura.engine.arguments import LARGEST_SEED
from murmura.engine.simulation import Simulation
from murmura.lab.damage import OnDamage, warn_of_damage
from murmura.lab.files.task_folder import StrictModel, checked, read_json, write_sealed
from murmura.lab.rule_code import rule_code
from murmura.lab.units import units_of, units_of_frames
from murmura.scenario import Scenario
from murmura.scenario.plugins import plugin_record

MANIFEST = "manifest.json"
LARGEST_FILE = 2**20
LARGEST_STEP = 2**62
Step = Field(ge=0, le=LARGEST_STEP)


class Recording(StrictModel):
    """What is written and how often."""

    every: int = Field(ge=1, le=LARGEST_STEP)
    metrics_every: int | None = Field(None, ge=1, le=LARGEST_STEP)
    checkpoint_every: str
    columns: list[str] = []
    measures: list[str] = []
    named: bool = (
        False  # the user named the measures, so all are computed for every frame, whatever they cost
    )
    rule_files: list[str] = []


class Manifest(StrictModel):
    """The whole file. Hashes are SHA-256; that of `run.gsd` covers its index and its frames' checksums.

    `counts`, `hashes` and `checkpoints` are known once a run has ended.
    """

    format: Literal[2] = 2
    murmura: str
    git: str | None
    python: str
    numpy: str
    llvmlite: str
    platform: str
    started: str
    scenario: str
    seed: int = Field(ge=0, le=LARGEST_SEED)
    backend: str
    threads: int
    adapter: str | None = None  # the GPU, with the webgpu backend
    portable: bool = False  # products and sums rounded one by one, as browsers do
    first_step: int = Step
    steps: int = Step
    recording: Recording
    status: Literal["running", "finished", "interrupted", "failed"] = "running"
    error: str | None = None
    steps_done: int = Step
    seconds: float = 0.0
    final_hash: str | None = None
    hashes: dict[str, str] = {}
    resumed: list[dict[str, Any]] = []
    start_hash: str | None = None
    counts: dict[str, int] = {}
    checkpoints: dict[str, str] = {}
    files: dict[str, str] = {}
    rule_code: dict[str, str] = {}
    plugins: dict[str, str] = {}
    units: dict[str, str] = {}
    seal: str | None = None

    @property
    def end(self) -> int:
        """The step at which the run is finished."""
        return self.first_step + self.steps

    def write(self, folder: Path) -> None:
        write_sealed(folder / MANIFEST, self.model_dump(mode="json", exclude={"seal"}))


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def new_manifest(simulation: Simulation, steps: int, recording: Recording, files: dict[str, str]) -> Manifest:
    return Manifest(
        **versions(),
        started=now(),
        scenario=simulation.scenario.name,
        seed=simulation.seed,
        backend=simulation.backend,
        threads=simulation.threads,
        adapter=simulation.adapter,
        portable=simulation.portable,
        first_step=simulation.step_count,
        steps=steps,
        steps_done=0,
        recording=recording,
        start_hash=simulation.state_hash(),
        files=files,
        rule_code=rule_code([simulation.scenario]),
        plugins=plugin_record(),
        units=recorded_units(simulation.scenario, recording),
    )


def recorded_units(scenario: Scenario, recording: Recording) -> dict[str, str]:
    """Units of frames, metrics and events, for files whose lines have no place for them."""
    return dict(units_of_frames(scenario, recording.columns)) | units_of(
        ("time", "x", "y", *recording.measures)
    )


def read_manifest(folder: Path, on_damage: OnDamage = warn_of_damage) -> Manifest:
    """Read the manifest of a run; `on_damage` is called if it does not match its seal."""
    path = folder / MANIFEST
    try:
        data = read_json(path, LARGEST_FILE, f"the run in {folder} is damaged")
    except OSError as error:
        if (folder / "config.json").exists() and not path.exists():
            raise ScenarioError(
                f"{folder} has no {MANIFEST}: the run was stopped before it began. Start it again with the same command"
            ) from None
        raise ScenarioError(
            f"{folder} is not a run folder: {_why(folder, error)}. Make one with `murmura run`"
        ) from None
    if not isinstance(data, dict) or "murmura" not in data:
        raise ScenarioError(
            f"{folder} is not a run of murmura: its {MANIFEST} was written by another program"
        )
    return checked(Manifest, data, path, f"the run in {folder} is damaged", on_damage)


def _why(folder: Path, error: OSError) -> str:
    if not folder.exists():
        return "there is no such folder"
    if not folder.is_dir():
        return "it is a file"
    is_absent = isinstance(error, FileNotFoundError)
    return f"it has no {MANIFEST}" if is_absent else f"{MANIFEST} cannot be read: {error.strerror}"


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def versions() -> dict[str, Any]:
    """Everything that may affect the bits of a run."""
    from importlib.metadata import version

    return {
        "murmura": murmura.__version__,
        "git": source_revision(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "llvmlite": version("llvmlite"),
        "platform": platform.platform(),
    }


@cache
def source_revision() -> str | None:
    """The commit of murmura, if it runs from a checkout; with "-dirty" if files were changed since."""
    folder = Path(murmura.__file__).parent
    settings = os.environ | {"GIT_OPTIONAL_LOCKS": "0"}

    def git(*words: str) -> str:
        command = ["git", "-C", str(folder), *words]
        return subprocess.run(
            command, capture_output=True, text=True, check=True, timeout=10, env=settings
        ).stdout

    try:
        git(
            "ls-files", "--error-unmatch", "__init__.py"
        )  # otherwise this would be the revision of another repository
        return git("describe", "--always", "--dirty", "--abbrev=40", "--exclude=*").strip()
    except (OSError, subprocess.SubprocessError):
        return None
