"""Stores tracked animals as a run folder: the same files, written from arrays instead of steps.

In the scenario of such a run, the arena is the world, a frame is a step, and there are no rules.
`tracks.json` reports the source of the tracks and how they were processed; its hash is in the manifest.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura import __version__
from murmura.core.errors import RunError, ScenarioError
from murmura.lab.files.json_lines import LinesWriter
from murmura.lab.gsd.schema import (
    COUNT,
    ID,
    LOG,
    POSITION,
    STEP,
    TYPE,
    UNITS,
    VELOCITY,
    constants,
    middle,
    units,
)
from murmura.lab.gsd.writer import GsdWriter
from murmura.lab.observations import flocks_of_tracks
from murmura.lab.runs.manifest import Manifest, Recording, now, recorded_units, sha256, versions
from murmura.lab.runs.recording import check_folder, writing
from murmura.lab.runs.run import CONFIG, EVENTS, METRICS, TRACKS, TRAJECTORY, Run, open_run
from murmura.lab.tracks.tracks import Tracks
from murmura.measure import cheap_measures, measure_flock, usual_measures
from murmura.scenario import Scenario
from murmura.scenario.files import LARGEST_FILE, json_content
from murmura.scenario.plain_files import parse_json, read_plain_file, write_atomically

FILLED = "filled"
BACKEND = "tracks"
"""The backend in a manifest of tracks, whose steps were not computed."""
LEAST_STRIDES = 3.0
"""Least width of a world, in strides of its fastest animal: half of it, and half again for panic."""
Progress = Callable[[int, int], None]


def save_tracks(tracks: Tracks, folder: Path, progress: Progress | None = None) -> Run:
    """Write a new folder; if anything fails, nothing is left behind."""
    check_folder(folder)
    scenario, every = scenario_of(tracks, folder), steps_between(tracks.fps)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ScenarioError(f"cannot write to {folder}: {error}") from None
    with writing(folder):
        files = {CONFIG: json_content(scenario), TRACKS: _report(tracks)}
        names = cheap_measures(len(tracks.names), usual_measures())
        manifest = _manifest(
            scenario, tracks, every, names, {name: sha256(text) for name, text in files.items()}
        )
        try:
            for name, content in files.items():
                write_atomically(folder / name, content)
            _write_frames(tracks, folder, scenario, manifest, progress)
            manifest.write(folder)  # last: a folder with it is complete
        except BaseException:
            for name in (*files, TRAJECTORY, METRICS, EVENTS):
                (folder / name).unlink(missing_ok=True)
            raise
    return open_run(folder)


def steps_between(fps: float) -> int:
    """Steps of at most a second between two frames, the limit for scenarios."""
    return max(1, math.ceil(1.0 / fps - 1e-9))


def scenario_of(tracks: Tracks, folder: Path) -> Scenario:
    """A scenario with the arena as its world, and no rules."""
    every = steps_between(tracks.fps)
    name = re.sub(r"[^a-z0-9_-]+", "-", folder.resolve().name.lower()).strip("-_") or "tracks"
    speed = max(float(tracks.report["greatest_speed"]), 1e-6)
    _refuse_strides(tracks, speed)
    walls = [] if tracks.walls is None else [*tracks.walls.tolist(), tracks.walls[0].tolist()]
    return Scenario.from_data(
        {
            "name": name,
            "title": f"Tracked animals: {', '.join(file['name'] for file in tracks.report['files'])[:200]}",
            "agents": len(tracks.names),
            "world": {
                "width": tracks.width,
                "height": tracks.height,
                "depth": tracks.depth,
                "boundary": "reflect",
            },
            "motion": {"time_step": 1.0 / (tracks.fps * every), "max_speed": speed},
            "perception": {"radius": tracks.radius, "field_of_view": 360.0},
            "rules": {rule: {"enabled": False} for rule, found in Scenario().rules if found.enabled},
            "obstacles": [{"kind": "wall", "points": walls}] if walls else [],
            "start": {"speed": 0.0},
            "display": {"size": 1.8},
        }
    )


def _refuse_strides(tracks: Tracks, speed: float) -> None:
    """Raise if animals cross too much of the arena between two frames."""
    side = min(tracks.width, tracks.height, tracks.depth or math.inf)
    stride = speed / (tracks.fps * steps_between(tracks.fps))
    if stride * LEAST_STRIDES >= side:
        raise ScenarioError(
            f"{tracks.report['files'][0]['name']}: the fastest animal moves {stride:g} [u] per frame, "
            f"expected less than a third of the arena's smallest side ({side:g} [u]); give the whole arena "
            "(--arena), or the speed above which a move is a jump (--max-speed)"
        )


def _report(tracks: Tracks) -> bytes:
    return (json.dumps({"murmura": __version__, **tracks.report}, indent=2, allow_nan=False) + "\n").encode()


def _manifest(
    scenario: Scenario, tracks: Tracks, every: int, names: list[str], files: dict[str, str]
) -> Manifest:
    steps = (len(tracks.positions) - 1) * every
    recording = Recording(every=every, checkpoint_every="30s", columns=[FILLED], measures=names)
    return Manifest(
        **versions(), started=now(), scenario=scenario.name, seed=0, backend=BACKEND, threads=1, first_step=0,
        steps=steps, steps_done=steps, recording=recording, files=files, status="finished",
        units=recorded_units(scenario, recording),
    )  # fmt: skip


def _write_frames(
    tracks: Tracks, folder: Path, scenario: Scenario, manifest: Manifest, progress: Progress | None
) -> None:
    names = [STEP, *constants(scenario), COUNT, TYPE, POSITION, VELOCITY, ID, UNITS, LOG + FILLED]
    frames = GsdWriter.create(folder / TRAJECTORY, list(dict.fromkeys(names)), f"murmura {__version__}")
    metrics = LinesWriter.create(folder / METRICS)
    events = LinesWriter.create(folder / EVENTS)
    files: dict[str, Any] = {TRAJECTORY: frames, METRICS: metrics, EVENTS: events}
    measures, every = manifest.recording.measures, manifest.recording.every
    try:
        for number, (chunks, flock) in enumerate(
            zip(_chunks(tracks, scenario, every), flocks_of_tracks(tracks), strict=True)
        ):
            frames.append(chunks)
            row = {"step": number * every, "time": number / tracks.fps, "agents": flock.agent_count}
            metrics.write(row | measure_flock(flock, measures))
            if progress is not None and (number % 100 == 0 or number == len(tracks.positions) - 1):
                progress(number + 1, len(tracks.positions))
        for file in files.values():
            file.commit()
    finally:
        for file in files.values():
            file.close()
    marks = {name: file.mark() for name, file in files.items()}
    manifest.hashes = {name: mark.get("sha256") or mark["digest"] for name, mark in marks.items()}
    manifest.counts = {TRAJECTORY: frames.frames, METRICS: metrics.rows, EVENTS: events.rows}


def _chunks(tracks: Tracks, scenario: Scenario, every: int) -> Iterator[dict[str, NDArray[Any]]]:
    """The chunks of each frame: ids, positions, velocities, and which positions were filled."""
    center, first = middle(scenario).astype(np.float64), None
    for number, here in enumerate(tracks.present):
        ids = np.flatnonzero(here).astype(np.int32)
        places, velocities = np.zeros((len(ids), 3), "<f4"), np.zeros((len(ids), 3), "<f4")
        places[:, : len(center)] = tracks.positions[number, here] - center
        velocities[:, : len(center)] = tracks.velocities[number, here]
        chunks: dict[str, NDArray[Any]] = {
            STEP: np.array([number * every], "<u8"),
            COUNT: np.array([len(ids)], "<u4"),
            POSITION: places,
            VELOCITY: velocities,
            LOG + FILLED: tracks.filled[number, here].astype(np.int32),
        }
        if first is None:
            first = ids
            chunks |= constants(scenario) | units(scenario, ())
            # Readers take missing values from the first frame, and require some of them there.
            chunks[ID], chunks[TYPE] = (
                (ids if len(ids) else np.zeros(1, np.int32)),
                np.zeros(max(1, len(ids)), "<u4"),
            )
        elif not np.array_equal(ids, first):
            chunks[ID], chunks[TYPE] = ids, np.zeros(len(ids), "<u4")
        yield chunks


def tracks_report(run: Run) -> dict[str, Any] | None:
    """The content of `tracks.json`; None for a simulated run."""
    if TRACKS not in run.manifest["files"]:
        return None
    try:
        found: dict[str, Any] = parse_json(read_plain_file(run.folder / TRACKS, LARGEST_FILE))
    except (OSError, ValueError) as error:
        raise RunError(f"{run.folder / TRACKS} is damaged: {error}") from None
    return found
