"""Inference one step ahead: hidden numbers are found, errors are honest, and better models predict better."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.core.errors import MurmuraError, ScenarioError
from murmura.core.rule import REGISTRY
from murmura.lab.infer.errors import block_length, correlation_time
from murmura.lab.infer.estimate import Estimation, is_threshold
from murmura.lab.infer.free_force import free_force, free_forces
from murmura.lab.infer.held_out import baseline_score, paired_gain, time_folds
from murmura.lab.infer.models import fitted, forward_selection
from murmura.lab.infer.prediction import Predictor
from murmura.lab.infer.result import recording_warnings
from murmura.lab.infer.tracking import tracking_error
from murmura.lab.infer.transitions import Recording, _sharp_turns, recording_of, world_values
from murmura.lab.runs.recording import record
from murmura.lab.runs.run import Run
from murmura.lab.sweeps.axes import Axis
from tests.sizes import size

TRUTH = {"rules.alignment.weight": 1.3, "rules.cohesion.weight": 0.7, "rules.separation.weight": 1.9}
WEIGHTS = [Axis(path, low=0.0, high=4.0) for path in TRUTH]
SPACE = {
    "agents": 30,
    "world.width": 260.0,
    "world.height": 200.0,
    "perception.radius": 50.0,
    "start.margin": 10.0,
}


def quiet(**values: Any) -> mm.Scenario:
    """A model without random numbers."""
    return mm.load_scenario("starlings").with_values({**SPACE, "rules.noise.enabled": False, **values})


@pytest.fixture(scope="module")
def flock(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A flock with hidden weights and radii."""
    hidden = quiet().with_values({**TRUTH, "rules.separation.radius": 22.0})
    sim = mm.Simulation(hidden, seed=3, backend="cpu")
    sim.step(100)
    return record(sim, 80, tmp_path_factory.mktemp("flock") / "run", 1, measures=["polarization"])


def observed(
    run: Run, model: mm.Scenario, noise: float = 0.0, every: int = 1
) -> tuple[mm.Scenario, Recording]:
    """A model in the world of a run, and the run with errors of observation in what follows."""
    own = model.with_values(world_values(run, model, every))
    recording = recording_of(run, own, every)
    rng = np.random.default_rng(0)
    seen = [replace(t, later=t.later + rng.normal(0.0, noise, t.later.shape)) for t in recording.transitions]
    return own, replace(recording, transitions=tuple(seen))


def test_hidden_weights_are_found_with_honest_errors(flock: Run):
    model, recording = observed(flock, quiet(**{"rules.separation.radius": 22.0}), noise=0.5)
    fit = fitted(model, recording, WEIGHTS, 0)
    for estimate in fit.estimates:
        assert estimate.smooth
        assert abs(estimate.value - TRUTH[estimate.path]) < 3.0 * estimate.error
        assert estimate.high - estimate.low == pytest.approx(3.3 * estimate.error, rel=0.2)
        assert estimate.error < 0.2
    assert fit.solution.noise.along == pytest.approx(0.5, rel=0.05)


def test_a_flock_without_noise_gives_its_numbers_exactly(flock: Run):
    model, recording = observed(flock, quiet(**{"rules.separation.radius": 22.0}))
    for estimate in fitted(model, recording, WEIGHTS, 0).estimates:
        assert estimate.value == pytest.approx(TRUTH[estimate.path], abs=1e-4)


def test_a_radius_is_a_threshold_and_is_found_by_its_profile(flock: Run):
    model, recording = observed(flock, quiet(), noise=0.05)
    radius = Axis("rules.separation.radius", low=15.0, high=30.0)
    predictor = Predictor(model, recording)
    assert is_threshold(predictor, radius)
    assert not any(is_threshold(predictor, axis) for axis in WEIGHTS)
    fit = fitted(model, recording, [*WEIGHTS[:1], radius], 0, errors=False)
    assert fit.thresholds["rules.separation.radius"] == pytest.approx(22.0, abs=0.5)
    # With the other weights right as well, it is sharp.
    right = model.with_values({path: TRUTH[path] for path in TRUTH})
    fit = fitted(right, recording, [radius], 0)
    [estimate] = fit.estimates
    assert estimate.low <= 22.0 <= estimate.high
    assert estimate.high - estimate.low < 0.1
    assert min(fall for _, fall in estimate.profile) == pytest.approx(0.0, abs=2.0)


def test_predictions_are_those_of_simulations(flock: Run):
    model, recording = observed(flock, quiet())
    predicted = Predictor(model, recording.part([0, 7])).velocities({"rules.cohesion.weight": 0.3})
    alone = []
    for t in recording.part([0, 7]).transitions:
        sim = mm.Simulation(
            model.with_values({"rules.cohesion.weight": 0.3}), backend="cpu", positions=t.positions,
            velocities=t.velocities,
        )  # fmt: skip
        sim.step(1)
        alone.append(sim.velocities)
    np.testing.assert_array_equal(predicted, np.concatenate(alone).astype(np.float64))


def test_a_prediction_over_several_frames(flock: Run):
    model, recording = observed(flock, quiet(**{"rules.separation.radius": 22.0}), noise=0.02, every=3)
    assert recording.steps == 3
    found = fitted(model, recording, WEIGHTS, 0).estimates
    assert [estimate.path for estimate in found] == list(TRUTH)
    for estimate in found:
        assert estimate.error < 0.005
        assert abs(estimate.value - TRUTH[estimate.path]) < 4.0 * estimate.error


def test_in_space(tmp_path: Path):
    hidden = mm.load_scenario("couzin-space").with_values({"agents": 20, "rules.zones.noise": 0.0})
    sim = mm.Simulation(hidden.with_values({"rules.zones.turning_rate": 55.0}), seed=1, backend="cpu")
    sim.step(30)
    run = record(sim, 40, tmp_path / "run", 1, measures=["polarization"])
    model, recording = observed(run, hidden)
    assert recording.dimension == 3
    [estimate] = fitted(
        model, recording, [Axis("rules.zones.turning_rate", low=10.0, high=100.0)], 0
    ).estimates
    assert estimate.value == pytest.approx(55.0, abs=0.5)


# Errors


def test_the_correlation_time_of_a_known_process():
    """x' = a x + noise has the integrated autocorrelation time (1 + a) / (1 - a)."""
    rng, a = np.random.default_rng(1), 0.8
    series = np.zeros(100_000)
    for k, step in enumerate(rng.normal(size=len(series) - 1), 1):
        series[k] = a * series[k - 1] + step
    assert correlation_time(series) == pytest.approx((1 + a) / (1 - a), rel=0.1)
    assert correlation_time(rng.normal(size=10_000)) == pytest.approx(1.0, abs=0.1)
    assert block_length(series[:1000, None]) > block_length(rng.normal(size=(1000, 1)))


def test_errors_of_tracking_are_seen(flock: Run):
    model, recording = observed(flock, quiet(**{"rules.separation.radius": 22.0}))
    predictor = Predictor(model.with_values(TRUTH), recording)
    assert tracking_error(predictor, predictor.residuals(predictor.velocities({}))) == 0.0
    noisy = tracked(recording, 0.3)
    predictor = Predictor(model.with_values(TRUTH), noisy)
    assert tracking_error(predictor, predictor.residuals(predictor.velocities({}))) == pytest.approx(
        0.3, rel=0.35
    )


def tracked(recording: Recording, error: float) -> Recording:
    """The same with errors of tracking: that of a frame is in what follows one frame, and at the start of the next."""
    shape = (len(recording.transitions) + 1, *recording.transitions[0].velocities.shape)
    noise = np.random.default_rng(2).normal(0.0, error, shape)
    return replace(
        recording,
        transitions=tuple(
            replace(t, velocities=t.velocities + noise[t.frame], later=t.later + noise[t.frame + 1])
            for t in recording.transitions
        ),
    )


def test_errors_of_tracking_do_not_bias_what_instruments_find(tmp_path: Path):
    """Errors of a tenth of the change of velocity draw least squares far from the truth, but not instruments."""
    model = mm.load_scenario("classic").with_values(
        {"agents": 40, "world.width": 300.0, "world.height": 300.0, "perception.radius": 50.0}
    )
    truth = dict(zip(TRUTH, np.random.default_rng(0).uniform(0.5, 2.0, 3).tolist(), strict=True))
    jitter = {"rules.jitter.enabled": True, "rules.jitter.max_turn_rate": 60.0}
    sim = mm.Simulation(model.with_values({**truth, **jitter}), seed=0, backend="cpu")
    sim.step(200)
    run = record(sim, 200, tmp_path / "run", 1, measures=["polarization"])
    own, recording = observed(run, model)
    change = np.sqrt(np.mean([((t.later - t.velocities) ** 2).mean() for t in recording.transitions]))
    fit = fitted(own, tracked(recording, 0.1 * float(change)), WEIGHTS, 0)
    assert fit.naive is not None
    for one, before in zip(fit.estimates, fit.naive, strict=True):
        assert abs(before.value - truth[one.path]) > 4.0 * before.error
        assert abs(one.value - truth[one.path]) < 3.0 * one.error
        assert one.low < one.value < one.high


@pytest.mark.skipif(size(1, 0) == 1, reason="twenty flocks: only with long tests")
def test_nine_intervals_of_ten_hold_the_truth(tmp_path: Path):
    inside = 0
    model = mm.load_scenario("classic").with_values(
        {"agents": 40, "world.width": 300.0, "world.height": 300.0}
    )
    for seed in range(20):
        truth = dict(zip(TRUTH, np.random.default_rng(seed).uniform(0.5, 2.0, 3).tolist(), strict=True))
        jittery = model.with_values(
            {**truth, "rules.jitter.enabled": True, "rules.jitter.max_turn_rate": 60.0}
        )
        sim = mm.Simulation(jittery, seed=seed, backend="cpu")
        sim.step(200)
        run = record(sim, 200, tmp_path / f"run-{seed}", 1, measures=["polarization"])
        own, recording = observed(run, model)
        found = fitted(own, recording, WEIGHTS, 0).estimates
        inside += sum(e.low <= truth[e.path] <= e.high for e in found)
    assert 45 <= inside <= 60


# Models


def test_the_right_model_predicts_best_what_it_was_not_fitted_to(flock: Run):
    model, recording = observed(flock, quiet(**{"rules.separation.radius": 22.0}), noise=0.2)
    right = fitted(model, recording, WEIGHTS, 0, errors=False)
    wrong = fitted(model.with_values({"perception.radius": 30.0}), recording, WEIGHTS, 0, errors=False)
    gain, error = paired_gain(right.by_time, wrong.by_time)
    assert gain > 3.0 * error > 0.0
    straight = baseline_score(
        right.estimation.predictor, right.estimation.predictor.before, time_folds(right.estimation.predictor)
    )
    assert straight.explained == pytest.approx(0.0, abs=1e-12)
    assert right.by_time.explained > 0.3
    assert right.by_time.likelihood > straight.likelihood


def test_forward_selection_finds_the_planted_rules(flock: Run):
    model, recording = observed(flock, quiet(**{"rules.separation.radius": 22.0}), noise=0.1)
    some = recording.part(list(range(0, 80, 3)))
    rules = ["wander", "alignment", "separation"]
    known = model.with_values({"rules.cohesion.weight": 0.7})
    path = forward_selection(known, some, rules, 0, lambda line: None)
    assert {step["rule"] for step in path[1:] if step["kept"]} == {"alignment", "separation"}
    assert path[-1]["likelihood"] > path[0]["likelihood"]


# A force without a formula


def test_a_planted_force_lies_within_its_band(tmp_path: Path):
    """Attraction that falls with distance, by a rule that no formula of the estimate knows."""

    class Pull(mm.Rule):
        weight: float = 1.0
        clamped = False

        @staticmethod
        def pair(p, me, seen, world):
            from murmura.core.merging import Sum

            return Sum(seen.offset * (seen.inverse * (0.02 - 0.0006 * seen.distance)))

        @staticmethod
        def steer(p, me, found, world):
            return found * p.weight

    mm.register_rule("planted_pull")(Pull)
    try:
        off = {f"rules.{rule}.enabled": False for rule in ("alignment", "cohesion", "separation")}
        model = mm.load_scenario("classic").with_values(
            {
                **SPACE,
                **off,
                "rules.planted_pull": {},
                "motion.max_speed": 30.0,
                "perception.field_of_view": 360.0,
            }
        )
        sim = mm.Simulation(model, seed=2, backend="cpu")
        run = record(sim, 150, tmp_path / "run", 1, measures=["polarization"])
        own, recording = observed(run, model, noise=0.002)
        predictor = Predictor(own, recording)
        found = free_force(predictor, predictor.before, 50.0, bins=10)
    finally:
        del REGISTRY["planted_pull"]
    middles = 0.5 * (found.distances[1:] + found.distances[:-1])
    motion = own.motion
    planted = (
        (0.02 - 0.0006 * middles) * motion.thrust / motion.time_step * (motion.stride / motion.time_step)
    )
    low, high = found.attraction_band[:, :, 0]
    seen = found.counts[:, 0] > 50
    slack = 0.02 * np.abs(planted).max()
    assert np.mean((planted >= low - slack)[seen] & (planted <= high + slack)[seen]) >= 0.9
    assert found.explained > 0.9


def test_a_force_that_depends_on_the_angle_is_seen(flock: Run):
    """Changes of velocity by a force that acts only ahead and within 30 u, summed over all pairs one by one."""
    model, recording = observed(flock, quiet())
    some = recording.part(list(range(0, 80, 2)))
    predictor = Predictor(model, some)
    changes = []
    for t in some.transitions:
        for me in range(len(t.ids)):
            total, heading = np.zeros(2), t.velocities[me] / np.linalg.norm(t.velocities[me])
            for other in range(len(t.ids)):
                way = t.positions[other] - t.positions[me]
                distance = float(np.linalg.norm(way))
                if 0.0 < distance < 30.0 and heading @ way > 0.0:
                    total += 5.0 * way / distance
            changes.append(total)
    moved = np.array(changes) * some.interval + np.random.default_rng(0).normal(0.0, 0.02, (len(changes), 2))
    found = free_forces(predictor, {"planted": moved}, 40.0, bins=8, angles=4)["planted"].by_angle
    middles = 0.5 * (found.distances[1:] + found.distances[:-1])
    planted = 5.0 * (middles < 30.0)[:, None] * np.array([1.0, 1.0, 0.0, 0.0])
    low, high = found.attraction_band
    seen = found.counts > 50
    assert seen.sum() > 16
    assert np.mean((planted >= low - 0.1)[seen] & (planted <= high + 0.1)[seen]) >= 0.9
    np.testing.assert_allclose(found.attraction[seen], planted[seen], atol=0.6)


# The whole task


def test_the_folder_of_an_inference(flock: Run, tmp_path: Path):
    vary = ["rules.alignment.weight", "rules.cohesion.weight=0:2"]
    model = quiet(**{"rules.separation.radius": 22.0, "rules.separation.weight": 1.9})
    made = mm.infer(model, flock, vary, tmp_path / "found", progress=lambda *_: None)
    table = made.table()
    assert table["rules.alignment.weight"]["value"] == pytest.approx(1.3, abs=1e-3)
    assert (tmp_path / "found" / "estimates.csv").read_text(encoding="utf-8").count("\n") == 3
    assert made.models[0]["shares"]["separation"]["loss"] > 0.0
    assert set(made.data["baselines"]) == {"keeps its velocity", "turns back to the wall"}
    assert mm.open_run(tmp_path / "found" / "best").scenario.rules.alignment.weight == pytest.approx(
        1.3, abs=1e-3
    )
    again = mm.infer(model, flock, vary, tmp_path / "found", progress=lambda *_: None)
    assert again.data == made.data
    with pytest.raises(ScenarioError, match="holds another inference"):
        mm.infer(model, flock, vary[:1], tmp_path / "found", progress=lambda *_: None)
    for kind in ("forces", "maps", "scores", "residuals"):
        assert mm.plot(tmp_path / "found", tmp_path / f"{kind}.png", kind) == kind
    with pytest.raises(MurmuraError, match="profiles"):
        mm.plot(tmp_path / "found", tmp_path / "profiles.png", "profiles")
    json.dumps(made.data, allow_nan=False)


def test_a_stopped_inference_continues(flock: Run, tmp_path: Path):
    """Stopped between two stages: the first is not done again, and the result is that of one that ran through."""
    model, vary = quiet(**{"rules.separation.radius": 22.0}), ["rules.alignment.weight"]
    told: list[str] = []

    def stop(line: str) -> None:
        told.append(line)
        if "each rule" in line:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        mm.infer(model, flock, vary, tmp_path / "found", frames=30, progress=lambda *_: None, announce=stop)
    assert len(told) == 2
    assert not (tmp_path / "found" / "infer.json").exists()
    with pytest.raises(ScenarioError, match="not finished, which differs in seed"):
        mm.infer(model, flock, vary, tmp_path / "found", frames=30, seed=1)
    told.clear()
    counts: list[tuple[int, int]] = []
    continued = mm.infer(
        model, flock, vary, tmp_path / "found", frames=30, progress=lambda *now: counts.append(now),
        announce=told.append,
    )  # fmt: skip
    assert told == ["starlings: what each rule adds"]
    assert not (tmp_path / "found" / "stages.json").exists()
    whole = mm.infer(model, flock, vary, tmp_path / "whole", frames=30, progress=lambda *_: None)
    for one, other in zip(continued.models, whole.models, strict=True):
        assert one["estimates"] == other["estimates"]
        assert one["shares"].keys() == other["shares"].keys()
        # The derivatives are taken anew at the estimate.
        assert one["held_out_time"]["likelihood"] == pytest.approx(
            other["held_out_time"]["likelihood"], rel=1e-3
        )
    assert all(done <= end for done, end in counts)


def test_the_progress_of_an_inference_is_told_truly(flock: Run, tmp_path: Path):
    """Half way by its own count, the whole is known within a half."""
    counts: list[tuple[int, int]] = []
    vary = ["rules.alignment.weight", "rules.separation.radius"]
    mm.infer(quiet(), flock, vary, tmp_path / "found", frames=60, shares=False,
             progress=lambda *now: counts.append(now))  # fmt: skip
    whole = counts[-1][0]
    middle = next(end for done, end in counts if done >= whole / 2)
    assert whole / 1.5 <= middle <= whole * 1.5


def test_bounds_without_the_truth_and_sharp_turns_are_told(flock: Run, tmp_path: Path):
    made = mm.infer(quiet(**TRUTH), flock, ["rules.alignment.weight=0:1"], tmp_path / "found", frames=30,
                    shares=False, progress=lambda *_: None)  # fmt: skip
    assert any("lies at the end of its range" in line for line in made.models[0]["warnings"])
    recording = recording_of(flock, quiet(**TRUTH))
    first = recording.transitions[0]
    back = replace(first, later=np.where(np.arange(30)[:, None] < 4, -first.velocities, first.later))
    assert recording_warnings(replace(recording, sharp_turns=_sharp_turns([back])[0]))[0].startswith(
        "4 of 2,4"
    )


@pytest.mark.parametrize(
    ("vary", "words"),
    [
        ([], "nothing to infer"),
        (["world.width=100:300"], "cannot be inferred"),
        (["rules.cohesion.weight=0,1"], "compare choices"),
        (["rules.cohesion.wieght"], "did you mean"),
        (["perception.nearest=2:5"], "cannot be inferred"),
        (["rules.zones.noise"], "switch it on"),
    ],
)
def test_bad_input_is_a_sentence(flock: Run, tmp_path: Path, vary: list[str], words: str):
    with pytest.raises(MurmuraError, match=words):
        mm.infer(quiet(), flock, vary, tmp_path / "found")
    assert not (tmp_path / "found").exists()


def test_runs_that_cannot_be_predicted_are_refused(tmp_path: Path):
    alone = mm.Simulation(quiet(agents=1), seed=1, backend="reference")
    run = record(alone, 12, tmp_path / "alone", 1, measures=["polarization"])
    with pytest.raises(MurmuraError, match="has one animal"):
        mm.infer(quiet(), run, ["rules.cohesion.weight"], tmp_path / "found")
    short = record(
        mm.Simulation(quiet(), seed=1, backend="reference"),
        5,
        tmp_path / "short",
        1,
        measures=["polarization"],
    )
    with pytest.raises(MurmuraError, match="at least 11"):
        mm.infer(quiet(), short, ["rules.cohesion.weight"], tmp_path / "found")
    still = quiet(
        agents=3, **{f"rules.{rule}.enabled": False for rule in ("alignment", "cohesion", "separation")}
    )
    still = still.with_values(
        {"start.speed": 0.0, "rules.boundary.enabled": False, "rules.fear.enabled": False}
    )
    resting = record(
        mm.Simulation(still, 1, "reference"), 12, tmp_path / "resting", 1, measures=["polarization"]
    )
    with pytest.raises(MurmuraError, match="has no velocities"):
        mm.infer(quiet(), resting, ["rules.cohesion.weight"], tmp_path / "found")


def test_numbers_that_say_the_same_are_named(flock: Run):
    """Weight and share of a rule act as one product."""
    model, recording = observed(flock, quiet(**{"rules.separation.radius": 22.0, **TRUTH}), noise=0.2)
    axes = [Axis("rules.alignment.weight", low=0.5, high=2.5), Axis("motion.max_force", low=0.05, high=0.5)]
    estimation = Estimation(Predictor(model, recording), axes)
    thresholds, best = estimation.search()
    assert best.cost < np.inf
    assert all(abs(share) <= 1.0 for *_, share in estimation.correlations(best))
    assert thresholds == {}


def wandering(seed: int, frames: int, rate: float) -> np.ndarray:
    """Positions of 12 particles whose velocities approach each other and are kicked at random, 100 frames a second."""
    rng, dt = np.random.default_rng(seed), 0.01
    places, velocities = rng.uniform(0.0, 20.0, (12, 2)), rng.normal(0.0, 0.3, (12, 2))
    found = []
    for step in range(4 * frames):
        if step % 4 == 0:
            found.append(places.copy())
        pull = rate * (velocities.mean(axis=0) - velocities)
        velocities = velocities + 0.25 * dt * pull + rng.normal(0.0, np.sqrt(0.25 * dt * 0.02), (12, 2))
        places = places + 0.25 * dt * velocities
    return np.array(found)


def test_velocities_from_positions_do_not_bias_the_motion_of_particles(tmp_path: Path):
    # A velocity from neighbouring positions shares its noise with the change that follows: least squares see half.
    np.save(tmp_path / "particles.npy", wandering(0, 2000, 2.0))
    run = mm.load_tracks(tmp_path / "particles.npy", tmp_path / "run", fps=100.0)
    model = mm.load_scenario("cucker-smale").with_values(
        {"rules.cucker_smale.decay": 0.0, "perception.radius": 45.0, "motion.max_speed": 100.0}
    )
    found = mm.infer(
        model, run, ["rules.cucker_smale.strength=0:8"], tmp_path / "found", frames=2000, compared="velocities",
        shares=False, changes={"world.boundary": "open"},
    )  # fmt: skip
    one, naive = found.models[0]["estimates"][0], found.models[0]["naive"][0]
    assert one["low"] < 2.0 < one["high"]
    assert one["high"] - one["low"] < 1.0
    assert naive["high"] < 1.7


def test_the_rounding_of_a_constant_speed_says_nothing(tmp_path: Path):
    # Speeds without noise weigh a million times more than turns, so derivatives made of rounding would decide.
    rng = np.random.default_rng(0)
    model = mm.load_scenario("couzin").with_values({"agents": 40, "rules.zones.noise": 0.0})
    angles = rng.uniform(-np.pi, np.pi, 40)
    sim = mm.Simulation(
        model, seed=1, positions=rng.uniform(30.0, 45.0, (40, 2)),
        velocities=3.0 * np.stack([np.cos(angles), np.sin(angles)], axis=1),
    )  # fmt: skip
    run = record(sim, 20, tmp_path / "run", 1, measures=["polarization"])
    own, recording = observed(run, model)
    axes = [Axis("rules.zones.turning_rate", low=20.0, high=80.0)]
    estimation = Estimation(Predictor(own, recording, 0), axes, smooth=[axes[0].path])
    speed, turn = np.abs(estimation.at(np.array([0.4]), {}).derivatives[0]).max(axis=0)
    assert speed == 0.0
    assert turn > 0.01


def test_no_number_is_known_better_than_single_precision(flock: Run):
    model, recording = observed(flock, quiet(**{"rules.separation.radius": 22.0}))
    for one in fitted(model, recording, WEIGHTS, 0).estimates:
        assert one.high - one.low > 3e-7 * one.value
        assert Estimation.estimate_of(Axis(one.path, low=0.0, high=4.0), 0.5, 0.0, 0.0, 0.0).error > 2e-7
