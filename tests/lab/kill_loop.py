"""Kills runs with SIGKILL and resumes them, over and over: `python -m tests.lab.kill_loop FOLDER KILLS SEED`.

One process imports and compiles; its children run, each from a fork, and are killed at random moments, or kill
themselves in the middle of a write. Agents are born and die, so that ids, numbers of agents and events change.
After each kill every frame, row and event on disk must equal that of the undisturbed run, and at the end all files must
be identical.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import murmura as mm
from murmura.lab.damage import DamageWarning
from murmura.lab.files import json_lines
from murmura.lab.gsd import writer
from murmura.lab.gsd.writer import GsdReader
from murmura.lab.runs.checkpoints import whole_checkpoints
from murmura.lab.runs.recording import record
from murmura.lab.runs.resuming import resume

STEPS, EVERY, COLUMNS = 48, 2, ["energy", "heading"]
OUTPUTS = ("config.json", "run.gsd", "metrics.jsonl", "events.jsonl")
plain_step = mm.Simulation.step


def living_step(simulation: mm.Simulation, count: int = 1) -> None:
    """Every third step the oldest agent dies and, except for every fourth time, one is born."""
    for _ in range(count):
        plain_step(simulation, 1)
        step = simulation.step_count
        if step % 3 == 0 and simulation.agent_count > 3:
            dead = int(simulation.ids[0])
            simulation.remove_agents([dead])
            happened = [{"step": step, "kind": "death", "id": dead, "cause": "age"}]
            if step % 12:
                born = simulation.add_agents([[100.0 + step, 100.0]], [[1.0, 0.5]])
                happened.append({"step": step, "kind": "birth", "id": int(born[0]), "x": 100.0 + step})
            HAPPENED.extend(happened)


HAPPENED: list[dict[str, Any]] = []


def take_events(simulation: mm.Simulation) -> list[dict[str, Any]]:
    taken = HAPPENED[:]
    HAPPENED.clear()
    return taken


def begin(folder: Path) -> None:
    scenario = mm.load_scenario("classic").with_values({"agents": 30})
    simulation = mm.Simulation(scenario, 5, "cpu", 1)
    record(simulation, STEPS, folder, EVERY, columns=COLUMNS, checkpoint_every="5")


def go_on(folder: Path) -> None:
    if (folder / "manifest.json").exists():
        resume(folder)
    else:  # killed before it had begun: repeat the same command
        begin(folder)


def child(act: Callable[[Path], None], folder: Path, before: Callable[[], None] | None = None) -> int:
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        if before is not None:
            before()
        act(folder)
        code = 0
    except mm.MurmuraError as error:
        code = 0 if "is finished" in str(error) else 1
        if code:
            traceback.print_exc()
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def ends(pid: int) -> int:
    """0, or 1 after an error, or -9 if it was killed."""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def dies_in_a_write(count: int, part: float) -> Callable[[], None]:
    """Make a process kill itself in the middle of its `count`-th write or flush."""

    def prepare() -> None:
        left = [count]

        def counted() -> bool:
            left[0] -= 1
            return left[0] < 0

        real_fsync, real_put, real_write = os.fsync, writer.GsdWriter._put, json_lines.LinesWriter.write

        def fsync(number: int) -> None:
            if counted():
                os.kill(os.getpid(), signal.SIGKILL)
            real_fsync(number)

        def put(writer: Any, place: int, data: Any) -> None:
            if counted():
                whole = memoryview(data).cast("B")
                real_put(writer, place, whole[: int(part * len(whole))])
                os.kill(os.getpid(), signal.SIGKILL)
            real_put(writer, place, data)

        def write(writer: Any, row: Any) -> None:
            if counted():
                text = json.dumps(row).encode()
                writer._file.write(text[: int(part * len(text))])
                os.kill(os.getpid(), signal.SIGKILL)
            real_write(writer, row)

        os.fsync, writer.GsdWriter._put, json_lines.LinesWriter.write = fsync, put, write  # type: ignore[method-assign]

    return prepare


def check_what_is_there(folder: Path, truth: mm.Run) -> None:
    """Check that nothing is wrong or unreadable, and that nothing before a checkpoint is lost."""
    run = mm.open_run(folder)
    expected = {frame.step: frame for frame in truth.frames}
    found = run.frames
    assert set(found.steps.tolist()) <= set(expected)
    for frame in found:
        other = expected[frame.step]
        for name in ("ids", "species", "positions", "velocities"):
            assert np.array_equal(getattr(frame, name), getattr(other, name)), (frame.step, name)
        for name in COLUMNS:
            assert np.array_equal(frame.columns[name], other.columns[name])
    for rows in ("metrics", "events"):
        there = list(getattr(run, rows)())
        assert there == list(getattr(truth, rows)())[: len(there)]
    problems: list[str] = []
    newest = next(whole_checkpoints(folder, problems))
    assert not problems, problems
    assert len(GsdReader(folder / "run.gsd")) >= newest[1].notes["outputs"]["run.gsd"]["frames"]


def main(root: Path, kills: int, seed: int) -> None:
    mm.Simulation.step, mm.Simulation.events = living_step, take_events  # type: ignore[method-assign]
    warnings.simplefilter("error", DamageWarning)  # a kill damages nothing
    chance = random.Random(seed)
    writer.FIRST_ROOM = 64  # small, so that the index moves and kills hit that too
    mm.Simulation("classic", backend="cpu", threads=1).step(1)  # compile before forking
    HAPPENED.clear()
    begun = time.monotonic()
    assert ends(child(begin, root / "truth")) == 0
    span = time.monotonic() - begun
    truth = mm.open_run(root / "truth")
    assert len({frame.agent_count for frame in truth.frames}) > 3
    assert len(list(truth.events())) > 20
    killed = early = runs = 0
    while killed < kills:
        runs += 1
        folder = root / f"run-{runs}"
        act = begin
        for _ in range(3):
            if chance.random() < 0.5:
                pid = child(act, folder, dies_in_a_write(chance.randrange(300), chance.random()))
            else:
                pid = child(act, folder)
                time.sleep(chance.random() * span)
                os.kill(pid, signal.SIGKILL)
            code = ends(pid)
            assert code in (0, -9), code
            killed += code == -9
            act = go_on
            if any(folder.glob("checkpoint-?.npz")):
                check_what_is_there(folder, truth)
            else:
                early += 1
        assert ends(child(go_on, folder)) == 0
        assert mm.open_run(folder).final_hash == truth.final_hash
        left = {path.name for path in folder.iterdir()} - {path.name for path in truth.folder.iterdir()}
        assert not left, left
        assert mm.open_run(folder).verify().is_whole
        for name in OUTPUTS:
            assert (folder / name).read_bytes() == (root / "truth" / name).read_bytes(), (folder, name)
    print(json.dumps({"kills": killed, "runs": runs, "before the first checkpoint": early}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
