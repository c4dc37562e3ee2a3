"""Infers the numbers of models from the motion of animals, and writes the result to a folder.

An inference has stages: for each model its numbers, then what it loses without each rule, then the selection of
rules. What a finished stage found is kept in a journal, so that a stopped inference continues.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from murmura.core.errors import ScenarioError
from murmura.core.request import names_in, takes
from murmura.engine.simulation import Simulation
from murmura.lab.files.task_folder import software_versions
from murmura.lab.infer.asked import InferRequest
from murmura.lab.infer.folder import (
    BEST,
    FOLDER,
    Inference,
    is_inference,
    open_inference,
    write_inference,
)
from murmura.lab.infer.journal import Journal
from murmura.lab.infer.models import (
    Fitted,
    expected_frames,
    fitted,
    fitted_before,
    forward_selection,
    part_of,
    rule_shares,
    steering_rules,
)
from murmura.lab.infer.request import axes_of, description, model_of
from murmura.lab.infer.result import baseline_scores, recording_warnings, result_of
from murmura.lab.infer.transitions import Recording, recording_of
from murmura.lab.infer.work import Work
from murmura.lab.progress import reported
from murmura.lab.runs.run import Run, open_run
from murmura.lab.sweeps.axes import Axis
from murmura.lab.sweeps.request import Announce
from murmura.scenario import Scenario
from murmura.scenario.rule_files import load_rule_file, rule_source

LONGEST = 60.0
"""The greatest length of the recorded best run [s]."""


@takes(InferRequest)
def infer(request: InferRequest) -> Inference:
    """Infer numbers of a model from a run: every frame is put into the model, which predicts the next one.

    Args:
        scenario: The model: a scenario, or the name or path of one.
        to: The run, of animals or simulated, or its folder.
        vary: Numbers to infer, as PATH or PATH=LOW:HIGH; without a range, that of the number's slider.
        out: The folder: new, empty, or that of the same inference.
    """
    run = request.to if isinstance(request.to, Run) else open_run(request.to)
    for file in request.rules:
        load_rule_file(rule_source(file))
    given = [(request.scenario, request.vary)]
    if request.against is not None:
        given.append((request.against, request.vary_against or []))
    changes, every, seed = dict(request.changes or {}), request.every, request.seed
    models = [model_of(source, run, changes, request.own_world, every) for source, _ in given]
    axes = [axes_of(texts, model) for (_, texts), model in zip(given, models, strict=True)]
    recordings = [recording_of(run, model, every, request.frames, request.compared) for model in models]
    forward = names_in(request.forward)
    asked = description(
        run,
        models,
        axes,
        every,
        request.frames,
        request.compared,
        request.reach,
        forward,
        request.shares,
        seed,
    )
    folder = Path(request.out)
    done = _finished(folder, asked)
    if done is not None:
        return done
    with FOLDER.claimed(folder):
        journal = Journal(folder, asked)
        with reported(request.progress, "predicted frames") as report:
            task = _Task(models, axes, recordings, journal, Work(report), request.announce, seed)
            found = task.found(request.reach, request.shares, forward)
        best = max(found["models"], key=lambda model: float(model["held_out_time"]["likelihood"]))
        _record_best(run, Scenario.from_data(best["scenario"]), folder / BEST, every)
        made = write_inference(folder, {"asked": asked, **found})
        journal.remove()
        return made


class _Task:
    """The stages of an inference."""

    def __init__(
        self, models: list[Scenario], axes: list[tuple[Axis, ...]], recordings: list[Recording],
        journal: Journal, work: Work, announce: Announce, seed: int,
    ) -> None:  # fmt: skip
        self.models, self.axes, self.recordings = models, axes, recordings
        self.journal, self.work, self.announce, self.seed = journal, work, announce, seed

    def found(self, reach: float | None, shares: bool, forward: list[str]) -> dict[str, Any]:
        self._expect(shares, forward)
        results = []
        for number in range(len(self.models)):
            fit = self._fit(number)
            lost = self._shares(number, fit) if shares else {}
            results.append(result_of(fit, self.recordings[number], reach, self.seed) | {"shares": lost})
        found: dict[str, Any] = {"models": results, "baselines": baseline_scores(fit)}
        if forward:
            found["forward"] = self._forward(forward)
        one = self.recordings[0]
        found["recording"] = {
            "transitions": len(one.transitions), "steps": one.steps, "interval": one.interval,
            "sharp_turns": one.sharp_turns, "seen": one.seen, "lost": one.lost, "warnings": recording_warnings(one),
        }  # fmt: skip
        return found | {"versions": software_versions("numpy", "scipy")}

    def _expect(self, shares: bool, forward: list[str]) -> None:
        for number, (model, axes, recording) in enumerate(
            zip(self.models, self.axes, self.recordings, strict=True)
        ):
            each = 6 * (2 * len(axes) + 2) * len(recording.transitions)
            if f"fit {number}" not in self.journal:
                self.work.expect(f"fit {number}", expected_frames(model, recording, axes, self.seed))
            if shares and f"shares {number}" not in self.journal:
                self.work.expect(f"shares {number}", len(steering_rules(model)) * each)
        if forward and "forward" not in self.journal:
            fits = len(forward) * (len(forward) + 1) // 2
            each = 6 * (len(forward) + 2) * len(self.recordings[0].transitions)
            self.work.expect("forward", fits * each)

    def _fit(self, number: int) -> Fitted:
        model, recording, axes = self.models[number], self.recordings[number], self.axes[number]
        known = self.journal.get(f"fit {number}")
        if known is not None:
            return fitted_before(model, recording, axes, self.seed, self.work, known)
        self.announce(f"{model.name}: fitting {', '.join(axis.path for axis in axes)}")
        with self.work.doing(f"fit {number}"):
            fit = fitted(model, recording, axes, self.seed, self.work)
        self.journal.put(f"fit {number}", part_of(fit))
        return fit

    def _shares(self, number: int, fit: Fitted) -> dict[str, Any]:
        def find() -> dict[str, Any]:
            self.announce(f"{self.models[number].name}: what each rule adds")
            return rule_shares(fit, self.seed)

        found: dict[str, Any] = self._stage(f"shares {number}", find)
        return found

    def _forward(self, rules: list[str]) -> list[dict[str, Any]]:
        def find() -> list[dict[str, Any]]:
            return forward_selection(
                self.models[0], self.recordings[0], rules, self.seed, self.announce, self.work
            )

        found: list[dict[str, Any]] = self._stage("forward", find)
        return found

    def _stage(self, name: str, find: Callable[[], Any]) -> Any:
        """What a stage found, now or before it was stopped."""
        if name not in self.journal:
            with self.work.doing(name):
                found = find()
            self.journal.put(name, found)
        return self.journal.get(name)


def _finished(folder: Path, asked: dict[str, Any]) -> Inference | None:
    """The same inference, if the folder holds it; refuse another."""
    if not is_inference(folder):
        return None
    there = open_inference(folder)
    differing = [key for key, value in asked.items() if there.data.get("asked", {}).get(key) != value]
    if differing:
        raise ScenarioError(
            f"{folder} holds another inference, which differs in {', '.join(differing)}: choose another folder"
        )
    return there


def _record_best(run: Run, model: Scenario, folder: Path, every: int) -> None:
    """Record the best model from the run's first frame, for comparison with the animals."""
    from murmura.lab.files.atomic_write import discard
    from murmura.lab.runs.recording import record

    discard(folder)
    frame = run.frames[0]
    pace = run.scenario.motion.stride / run.scenario.motion.time_step
    unit = pace * model.motion.time_step / model.motion.stride
    simulation = Simulation(
        model.with_values({"agents": len(frame.ids)}), 0, "cpu", positions=frame.positions,
        velocities=frame.velocities * unit, announce=None,
    )  # fmt: skip
    seconds = min(float(run.frames.times[-1] - run.frames.times[0]), LONGEST)
    steps = max(1, round(seconds / model.motion.time_step))
    record(simulation, steps, folder, max(1, steps // 600), measures=["polarization"])
