"""The experiments run, and reproduce the published results at a small size."""

from __future__ import annotations

import csv
import importlib
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import murmura as mm

FOLDER = Path(__file__).parents[2] / "experiments"
OF_OURS = {
    "ecosystem": ("evolution.md", "ecosystem"),
    "selection": ("evolution.md", "selection"),
    "fit_recovery": ("fit.md", "fit-recovery"),
    "fit_zebrafish": ("fit.md", "fit-zebrafish-corner"),
    "infer_recovery": ("infer.md", "infer-recovery"),
    "infer_zebrafish": ("infer.md", "infer-zebrafish"),
}
"""Experiments that do not reproduce a publication: the page about each, and its picture."""
NAMES = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem not in {"report", "versions", *OF_OURS})


@pytest.fixture(autouse=True)
def experiments_at_hand(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(FOLDER))
    yield
    for name in [*NAMES, "report", "versions"]:
        sys.modules.pop(name, None)


def experiment(name: str) -> ModuleType:
    return importlib.import_module(name)


@pytest.mark.parametrize("name", NAMES)
def test_every_experiment_says_what_was_published_and_has_its_page_and_picture(name: str) -> None:
    text = experiment(name).__doc__ or ""
    assert "Published" in text
    assert f"python experiments/{name}.py" in text
    kept = name.replace("_", "-")
    page = (FOLDER.parent / "docs" / "experiments.md").read_text(encoding="utf-8")
    assert f"experiments/{name}.py" in page
    assert f"images/{kept}.png" in page
    picture = FOLDER.parent / "docs" / "images" / f"{kept}.png"
    assert 5_000 < picture.stat().st_size < 150_000
    assert (FOLDER / "results" / f"{kept}.csv").stat().st_size < 150_000


@pytest.mark.parametrize("name", sorted(OF_OURS))
def test_an_own_experiment_has_its_page_and_picture(name: str) -> None:
    assert f"python experiments/{name}.py" in (experiment(name).__doc__ or "")
    home, picture = OF_OURS[name]
    page = (FOLDER.parent / "docs" / home).read_text(encoding="utf-8")
    assert f"experiments/{name}.py" in page
    assert f"images/{picture}.png" in page
    assert 5_000 < (FOLDER.parent / "docs" / "images" / f"{picture}.png").stat().st_size < 250_000
    assert (FOLDER / "results" / f"{name.replace('_', '-')}.csv").stat().st_size < 150_000


def test_a_quick_experiment_writes_table_and_figure_to_the_given_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["vicsek.py", "--quick", "--out", str(tmp_path)])
    runpy.run_path(str(FOLDER / "vicsek.py"), run_name="__main__")
    assert "nan" not in "".join(capsys.readouterr())
    with (tmp_path / "vicsek.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert (tmp_path / "vicsek.png").read_bytes().startswith(b"\x89PNG")
    by_noise = {
        float(r["eta"]): float(r["order"]) for r in rows if r["agents"] == "400" and r["side"] == "10"
    }
    # Vicsek et al. 1995, figure 2a, N = 400: near 1 without noise, about 0.8 at 2, near 0 at 5.
    assert by_noise[0.0] > 0.99
    assert by_noise[2.0] == pytest.approx(0.8, abs=0.1)
    assert by_noise[5.0] < 0.15


def test_the_same_zones_hold_a_torus_or_a_parallel_group() -> None:
    couzin = experiment("couzin")
    torus = couzin.group(7.0, 2)
    p, m, _ = couzin.look(torus, 4_000)
    assert p < 0.5
    assert m > 0.5
    school = couzin.group(14.0, 2)
    p, m, _ = couzin.look(school, 3_000)
    assert p > 0.95
    school.retune({"rules.zones.orientation": 7.0})
    p, m, _ = couzin.look(school, 3_000)
    assert p > 0.9
    assert m < 0.2


def test_two_agents_that_separate_follow_the_differential_equation() -> None:
    model = experiment("cucker_smale")
    for decay, speed in ((0.25, 3.0), (1.0, 0.6), (1.0, 2.0)):
        assert model.pair_after(decay, speed, 20.0) == pytest.approx(
            model.theory(decay, speed, 20.0), abs=0.01
        )
    # Above the threshold they separate for ever, below it they do not.
    assert model.theory(1.0, 2.0, 1e4) == pytest.approx(2.0 - model.threshold(1.0), abs=0.01)


def test_a_threat_breaks_up_a_metric_flock_but_not_a_topological_one() -> None:
    flocks = experiment("topological")
    seeds = (1_000, 1_002)
    whole = [flocks.attacked(flocks.flock_of(7, 1e4, flocks.USUAL, seed))[0] for seed in seeds]
    broken = [flocks.attacked(flocks.flock_of(None, 29.0, flocks.USUAL, seed))[0] for seed in seeds]
    assert np.mean(whole) < np.mean(broken)
    assert 1 in whole


def test_vision_alone_keeps_a_distance_and_creates_order() -> None:
    eyes = experiment("vision")
    # At 5 body lengths a body covers 11.5 degrees. Bins of a tenth of a degree let it drift by a hundredth.
    assert eyes.distance_behind(0.1) == pytest.approx(5.0, rel=0.01)
    school, swarm = eyes.group(0.5, 0.2, 2, 4_000), eyes.group(0.02, 1.0, 1, 4_000)
    assert school[0] > 0.95
    assert swarm[0] < 0.6
    assert min(school[2], swarm[2]) > 1.0


def test_a_dog_brings_sheep_home_that_mind_most_others_and_not_those_that_mind_few() -> None:
    herd = experiment("sheep")
    many, few = herd.flock(20, 12), herd.flock(20, 6)
    assert all(np.isfinite(herd.time_home(many, seed, 2_000)) for seed in range(500, 505))
    assert sum(np.isfinite(herd.time_home(few, seed, 2_000)) for seed in range(500, 505)) <= 1


def test_pedestrians_form_lanes_where_the_step_in_their_potential_is_short() -> None:
    model = experiment("lanes")
    sim = mm.Simulation(model.walkway(11.0, 0.5), seed=50, announce=None)
    sim.step(2_000)
    way = 1.0 - 2.0 * sim.column("species")
    shuffled = np.random.default_rng(2).permutation(way)
    assert model.order(sim.positions, way) > 3.0 * model.order(sim.positions, shuffled)
    # Those in the lower half walk one way, those in the upper half the other.
    y = np.tile(np.linspace(0.05, 9.95, 100), 5)
    places = np.c_[np.repeat((5.0, 15.0, 25.0, 35.0, 45.0), 100), y]
    assert model.lanes(places, np.sign(y - 5.0), 10.0, 0.25) == 2.0
