"""manifest.json: what was run, with what, where, how it ended. A file of anybody's, so it is checked as it is read."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

import murmura
from murmura.core.errors import RunError, ScenarioError
from murmura.engine.arguments import LARGEST_SEED
from murmura.engine.checkpoint import write_whole
from murmura.engine.simulation import Simulation

MANIFEST = "manifest.json"
LARGEST_FILE = 2**20
LARGEST_STEP = 2**62
Step = Field(ge=0, le=LARGEST_STEP)


class Recording(BaseModel):
    """What is written and how often."""

    model_config = ConfigDict(extra="forbid", strict=True)

    every: int = Field(ge=1, le=LARGEST_STEP)
    metrics_every: int | None = Field(None, ge=1, le=LARGEST_STEP)
    checkpoint_every: str
    columns: list[str] = []
    measures: list[str] = []
    named: bool = False  # the measures were asked for, so all are taken with every frame, whatever they cost
    rule_files: list[str] = []


class Manifest(BaseModel):
    """The whole file. Hashes are SHA-256; that of `run.gsd` is of its index and its frames' sums."""

    model_config = ConfigDict(extra="forbid", strict=True)

    format: Literal[1] = 1
    murmura: str
    git: str | None
    python: str
    numpy: str
    numba: str
    platform: str
    started: str
    scenario: str
    seed: int = Field(ge=0, le=LARGEST_SEED)
    backend: str
    threads: int
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

    @property
    def end(self) -> int:
        """The step at which the run is finished."""
        return self.first_step + self.steps

    def write(self, folder: Path) -> None:
        write_whole(folder / MANIFEST, (self.model_dump_json(indent=2) + "\n").encode())


def new_manifest(simulation: Simulation, steps: int, recording: Recording) -> Manifest:
    return Manifest(
        **versions(),
        started=now(),
        scenario=simulation.scenario.name,
        seed=simulation.seed,
        backend=simulation.backend,
        threads=simulation.threads,
        first_step=simulation.step_count,
        steps=steps,
        steps_done=0,
        recording=recording,
    )


def read_manifest(folder: Path) -> Manifest:
    path = folder / MANIFEST
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise RunError(f"{path} is damaged: a manifest has at most {LARGEST_FILE:,} bytes")
        data = json.loads(path.read_bytes())
        if not isinstance(data, dict) or "murmura" not in data:
            raise ScenarioError(f"{folder} is not a run of murmura: its {MANIFEST} is of another program")
        return Manifest.model_validate(data)
    except OSError as error:
        if (folder / "config.json").exists() and not path.exists():
            raise ScenarioError(
                f"{folder} has no {MANIFEST}: the run ended before its first step. Remove the folder and run again"
            ) from None
        raise ScenarioError(
            f"{folder} is not a run folder: {path}: {error.strerror}. Make one with `murmura run`"
        ) from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise RunError(f"{path} is damaged: {where}: {first['msg']}, got {first['input']!r:.80}") from None
    except (ValueError, RecursionError) as error:
        if isinstance(error, ScenarioError):
            raise
        raise RunError(f"{path} is damaged: {error}") from None


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def versions() -> dict[str, Any]:
    """Everything that may decide about bits."""
    from importlib.metadata import version

    return {
        "murmura": murmura.__version__,
        "git": source_revision(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": version("numba"),
        "platform": platform.platform(),
    }


@cache
def source_revision() -> str | None:
    """The commit this program is of, if it runs from a checkout; "-dirty" if files were changed since."""
    folder = Path(murmura.__file__).parent
    settings = os.environ | {"GIT_OPTIONAL_LOCKS": "0"}

    def git(*words: str) -> str:
        command = ["git", "-C", str(folder), *words]
        return subprocess.run(
            command, capture_output=True, text=True, check=True, timeout=10, env=settings
        ).stdout

    try:
        git("ls-files", "--error-unmatch", "__init__.py")  # or this would be the revision of somebody's else
        return git("describe", "--always", "--dirty", "--abbrev=40", "--exclude=*").strip()
    except (OSError, subprocess.SubprocessError):
        return None
