"""Models side by side: what each predicts of motion that it was not fitted to, and what each of its rules adds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from murmura.core.errors import ScenarioError
from murmura.lab.infer.estimate import Estimation
from murmura.lab.infer.held_out import Score, animal_folds, baseline_score, paired_gain, score_of, time_folds
from murmura.lab.infer.instruments import corrected
from murmura.lab.infer.prediction import Predictor
from murmura.lab.infer.solution import Estimate, Solution
from murmura.lab.infer.tracking import tracking_error
from murmura.lab.infer.transitions import Recording, Vectors
from murmura.lab.infer.work import Work
from murmura.lab.sweeps.axes import Axis
from murmura.scenario import Scenario
from murmura.scenario.paths import assign, field_at

Announce = Callable[[str], None]
CLEAR = 2.0
"""A gain of less than this many standard errors is none."""


@dataclass(frozen=True)
class Fitted:
    """A model with the numbers that fit best."""

    estimation: Estimation
    thresholds: dict[str, Any]
    solution: Solution
    estimates: list[Estimate]
    tracking_error: float
    by_time: Score
    naive: list[Estimate] | None = None
    """The estimates by least squares, if errors of tracking were seen and others took their place."""

    @property
    def values(self) -> dict[str, Any]:
        """The values with which the model predicts best."""
        return self.estimation.values_at(self.solution.shares, self.thresholds)

    @property
    def true_values(self) -> dict[str, Any]:
        """The estimated values; if there are errors of tracking, others predict better from what was observed."""
        smooth = {axis.path for axis in self.estimation.smooth}
        return self.values | {one.path: one.value for one in self.estimates if one.path in smooth}


def fitted(
    model: Scenario, recording: Recording, axes: Sequence[Axis], seed: int, work: Work | None = None,
    errors: bool = True,
) -> Fitted:  # fmt: skip
    """Fit a model to all transitions, with errors of the estimates unless they are not needed."""
    estimation = Estimation(Predictor(model, recording, seed), axes, work)
    thresholds, solution = estimation.search()
    estimates = estimation.estimates(thresholds, solution) if errors else []
    return _judged(estimation, thresholds, solution, estimates, errors)


def expected_frames(model: Scenario, recording: Recording, axes: Sequence[Axis], seed: int) -> int:
    """About how many frames a fit of a model predicts."""
    return Estimation(Predictor(model, recording, seed), axes).expected_frames


def fitted_before(
    model: Scenario, recording: Recording, axes: Sequence[Axis], seed: int, work: Work, part: dict[str, Any]
) -> Fitted:
    """A model that was fitted before, from its part of the journal (`part_of`)."""
    estimation = Estimation(Predictor(model, recording, seed), axes, work, part["smooth"])
    solution = estimation.at(np.array(part["shares"], np.float64), part["thresholds"])
    estimates = [Estimate(**{**line, "profile": _pairs(line["profile"])}) for line in part["estimates"]]
    return _judged(estimation, part["thresholds"], solution, estimates, True)


def part_of(fit: Fitted) -> dict[str, Any]:
    """What the journal keeps of a fit."""
    return {
        "smooth": [axis.path for axis in fit.estimation.smooth], "shares": fit.solution.shares.tolist(),
        "thresholds": fit.thresholds, "estimates": [asdict(estimate) for estimate in fit.naive or fit.estimates],
    }  # fmt: skip


def _pairs(profile: list[list[float]]) -> tuple[tuple[float, float], ...]:
    return tuple((float(x), float(y)) for x, y in profile)


def _judged(
    estimation: Estimation, thresholds: dict[str, Any], solution: Solution, estimates: list[Estimate],
    errors: bool,
) -> Fitted:  # fmt: skip
    predictor = estimation.predictor
    error = tracking_error(predictor, predictor.residuals(solution.velocities)) if errors else 0.0
    score = score_of(estimation, solution, time_folds(predictor))
    better = None
    window = predictor.recording.window
    # Velocities that come from several positions share errors with what follows, whether they are seen or not.
    if errors and (error > 0.0 or window > 1):
        better = corrected(estimation, solution, thresholds, estimates, error)
    naive = estimates if better is not None else None
    return Fitted(estimation, thresholds, solution, better or estimates, error, score, naive)


def animal_score(fit: Fitted) -> Score | None:
    """The score on animals that were left out; None if there are too few."""
    groups = animal_folds(fit.estimation.predictor)
    return score_of(fit.estimation, fit.solution, groups) if len(np.unique(groups)) > 2 else None


def baselines(predictor: Predictor) -> dict[str, Score]:
    """The scores of predictions without any neighbours."""
    groups = time_folds(predictor)
    found = {"keeps its velocity": baseline_score(predictor, predictor.before, groups)}
    if not all(edge == "wrap" for edge in predictor.model.world.edges):
        found["turns back to the wall"] = baseline_score(predictor, _turning_back(predictor), groups)
    return found


def _turning_back(predictor: Predictor) -> Vectors:
    """Velocities that change with the closeness of the walls: a linear and a quadratic push from each, fitted."""
    world = predictor.model.world
    sides = np.array(world.sides, np.float64)
    places = np.concatenate([t.positions for t in predictor.recording.transitions])[predictor.rows]
    terms = []
    for axis, edge in enumerate(world.edges):
        if edge == "wrap":
            continue
        centred = 2.0 * places[:, axis] / sides[axis] - 1.0
        for power in (1, 3, 9):
            term = np.zeros_like(places)
            term[:, axis] = -(centred**power)
            terms.append(term)
        damped = np.zeros_like(places)
        damped[:, axis] = -(np.abs(centred) ** 3) * predictor.before[:, axis]
        terms.append(damped)
    design = np.stack([term.ravel() for term in terms], axis=1)
    change = (predictor.later - predictor.before).ravel()
    weights = np.linalg.lstsq(design, change, rcond=None)[0]
    turned: Vectors = predictor.before + (design @ weights).reshape(places.shape)
    return turned


def switched_off(model: Scenario, rule: str) -> dict[str, Any]:
    """The change that silences a rule: its weight is 0, which needs no other kernel, or it is off."""
    found = dict(model.rules)[rule]
    key = found.silent_when_zero
    if key and isinstance(getattr(found, key, None), float):
        return {f"rules.{rule}.{key}": 0.0}
    return {f"rules.{rule}.enabled": False}


def steering_rules(model: Scenario) -> list[str]:
    """The rules of a model that take part and give a force."""
    dimension = model.world.dimension
    return [
        name
        for name, rule in model.rules
        if rule.enabled and rule.takes_part(model) and rule.class_in(dimension).steer is not None
    ]


def rule_shares(fit: Fitted, seed: int) -> dict[str, dict[str, float]]:
    """What the model loses without each of its rules, everything else fitted again."""
    predictor = fit.estimation.predictor
    model = predictor.model.with_values(fit.values)
    found = {}
    for rule in steering_rules(model):
        change = switched_off(model, rule)
        if all(_value(model, path) == value for path, value in change.items()):
            continue
        smooth = [axis for axis in fit.estimation.smooth if not axis.path.startswith(f"rules.{rule}.")]
        without = _fit_smooth(
            model.with_values(change), predictor.recording, smooth, seed, fit.estimation.work
        )
        loss, error = paired_gain(fit.by_time, without)
        found[rule] = {"loss": loss, "error": error}
    return found


def _fit_smooth(
    model: Scenario, recording: Recording, axes: Sequence[Axis], seed: int, work: Work | None
) -> Score:
    return fitted(model, recording, axes, seed, work, errors=False).by_time


def _value(model: Scenario, path: str) -> Any:
    found: Any = model
    for part in path.split("."):
        found = getattr(found, part)
    return found


def forward_selection(
    model: Scenario, recording: Recording, rules: Sequence[str], seed: int, announce: Announce,
    work: Work | None = None,
) -> list[dict[str, Any]]:  # fmt: skip
    """Add rules one by one, each time the one with which the model predicts best, until none helps clearly.

    Every rule takes part with the weight that fits; all other numbers are those of the model.
    """
    axes = {rule: _weight_axis(model, rule) for rule in rules}
    silent: dict[str, Any] = {}
    for rule in rules:
        silent |= {f"rules.{rule}.enabled": True, axes[rule].path: 0.0}
    base = model.with_values(silent)
    chosen: list[str] = []
    best = _fit_smooth(base, recording, [], seed, work)
    path: list[dict[str, Any]] = [{"rule": None, **asdict(best)}]
    while len(chosen) < len(rules):
        tried = {}
        for rule in (rule for rule in rules if rule not in chosen):
            tried[rule] = _fit_smooth(base, recording, [axes[name] for name in (*chosen, rule)], seed, work)
        winner = max(tried, key=lambda rule: tried[rule].likelihood)
        gain, error = paired_gain(tried[winner], best)
        path.append({"rule": winner, "gain": gain, "gain_error": error, **asdict(tried[winner])})
        announce(f"{winner}: {gain:+.4f} ± {error:.4f} nat for each animal and frame")
        if gain <= CLEAR * error:
            path[-1]["kept"] = False
            break
        path[-1]["kept"] = True
        chosen.append(winner)
        best = tried[winner]
    return path


def _weight_axis(model: Scenario, rule: str) -> Axis:
    """The range of a rule's weight."""
    known = dict(model.rules)
    if rule not in known:
        raise ScenarioError(f"--forward takes names of rules, got {rule!r}; known: {', '.join(known)}")
    key = known[rule].silent_when_zero
    return slider_axis(model, f"rules.{rule}.{key}")


def slider_axis(model: Scenario, path: str) -> Axis:
    """The range of a number's slider."""
    assign(model.model_dump(mode="json"), path, None, model)  # refuses an unknown path
    field = field_at(model, path)
    extra = getattr(field, "json_schema_extra", None) or {}
    if "slider" not in extra:
        raise ScenarioError(f"--vary {path}: it has no usual range, so say one: {path}=LOW:HIGH")
    low, high = (float(x) for x in extra["slider"])
    return Axis(path, low=low, high=high, whole="int" in str(getattr(field, "annotation", "")))
