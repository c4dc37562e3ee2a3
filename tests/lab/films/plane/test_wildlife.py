"""Films show food, carcasses, hunters and the time of day, like the live view."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.engine.reading.frame import Frame
from murmura.engine.reading.surroundings import food, hunters, surroundings
from murmura.lab.films.film_frames import frame_of, mixed
from murmura.lab.films.picture import Look, Painter
from murmura.lab.runs.recording import record
from murmura.rules.predators.row import LAYOUT
from murmura.scenario import Scenario
from murmura.view.playback.recorded import state_of
from tests.lab.film_scenes import FIELD, moment

BARE = Look(size=(1280, 720), trails=0.0, labels=False)
ZOOM = 1280 / 1600 * 0.98
NOBODY = moment(np.empty((0, 2)), [0.0, 0.0])


def of(rules: dict[str, Any]) -> Scenario:
    data = FIELD.model_dump(mode="json")
    return Scenario.from_data(data | {"agents": 4, "rules": data["rules"] | rules})


def seen(scenario: Scenario, one: Frame, look: Look = BARE) -> np.ndarray:
    return Painter(scenario, look).paint(one, 1 / 30).astype(float)


def around(pixels: np.ndarray, x: float, y: float, reach: int) -> np.ndarray:
    row, column = int((y - 450) * ZOOM + 360), int((x - 800) * ZOOM + 640)
    return pixels[:, row - reach : row + reach + 1, column - reach : column + reach + 1]


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_food_is_green_and_the_fuller_the_more_of_it(theme: str):
    look = Look(size=(1280, 720), trails=0.0, labels=False, theme=theme)  # type: ignore[arg-type]
    source = {"enabled": True, "count": 0, "sources": [{"x": 400.0, "y": 300.0}]}
    scenario = of({"feeding": source, "energy": {"enabled": True}})
    rows = mm.Simulation(scenario, 1, "reference").state.items["feeding"]
    sky = seen(FIELD, NOBODY, look)
    marks = []
    for share in (1.0, 0.5, 0.0):
        some = rows.copy()
        some[0, 8] *= share  # the amount left
        changed = seen(scenario, Frame(**{**vars(NOBODY), "items": {"feeding": some}}), look) - sky
        away = np.abs(changed).sum(axis=0)
        assert away.sum() == pytest.approx(np.abs(around(changed, 400.0, 300.0, 14)).sum())
        marks.append(away.sum())
        if share:
            red, green, blue = np.abs(around(changed, 400.0, 300.0, 14)).sum(axis=(1, 2))
            assert (green > max(red, blue)) == (theme == "dark")  # light on the dark, ink on the pale
    assert marks[0] > 1.3 * marks[1] > 0.0
    assert marks[2] == 0.0


def rows_of_hunters(simulation: mm.Simulation) -> dict[str, float]:
    (row,) = simulation.state.items["predators"].tolist()
    return dict(zip(LAYOUT.columns, row, strict=True))


def test_hunters_are_drawn_where_they_are_and_look_different_when_they_hunt():
    hawk = {"enabled": True, "hunters": [{"kind": "hawk", "x": 900.0, "y": 500.0}]}
    scenario = of({"predators": hawk, "fear": {"enabled": True}})
    simulation = mm.Simulation(scenario, 1, "reference")
    one = Frame(**{**vars(NOBODY), "items": {"predators": simulation.state.items["predators"]}})
    changed = np.abs(seen(scenario, one) - seen(FIELD, NOBODY))
    assert around(changed, 900.0, 500.0, 8).max() > 150.0
    fright = rows_of_hunters(simulation)["fright"] * ZOOM
    away = np.hypot(
        *(np.indices((720, 1280)) + 0.5 - np.array([360 + 50 * ZOOM, 640 + 100 * ZOOM])[:, None, None])
    )
    assert changed[:, away > fright + 2.0].sum() == 0.0, "nothing beyond the radius in which it frightens"
    rim = changed.max(axis=0)[np.abs(away - fright) < 1.0]
    assert 0.15 < np.mean(rim > 20.0) < 0.6, "a dashed line"
    assert changed[:, (away > 40.0) & (away < fright - 2.0)].max() < 15.0
    named = Look(size=(1280, 720), trails=0.0, labels=True)
    words = np.abs(seen(scenario, one, named) - seen(scenario, one, BARE))[
        :, :600
    ]  # not those in the corners
    row = int((500.0 - 450) * ZOOM + 360)
    assert words[:, row + 20 : row + 50].sum() == words.sum() > 0.0
    dead = simulation.state.items["predators"].copy()
    dead[:, LAYOUT.place["alive"]] = 0.0
    gone = Frame(**{**vars(NOBODY), "items": {"predators": dead}})
    assert np.array_equal(seen(scenario, gone), seen(FIELD, NOBODY))


def test_carcasses_are_reported_and_drawn_while_they_feed():
    scenario = mm.load_scenario("ecosystem").with_values({"agents": 5})
    rows = mm.Simulation(scenario, 1, "reference").state.items["remains"].copy()
    assert not [it for it in surroundings(scenario, {"remains": rows}, 0.0) if it["kind"] == "carcass"]
    rows[3, 1:4] = 1000.0, 2000.0, 0.4
    told = [it for it in surroundings(scenario, {"remains": rows}, 0.0) if it["kind"] == "carcass"]
    full = scenario.rules.remains.share
    assert told == [
        {"kind": "carcass", "x": 1000.0, "y": 2000.0, "amount": pytest.approx(0.4), "capacity": full}
    ]
    look = Look(size=(720, 720), trails=0.0, labels=False)
    changed = np.abs(
        seen(scenario, Frame(**{**vars(NOBODY), "items": {"remains": rows}}), look)
        - seen(scenario, NOBODY, look)
    ).sum(axis=0)
    zoom = 720 / 3000 * 0.98
    y, x = np.nonzero(changed)
    assert (
        np.hypot(x + 0.5 - ((1000 - 1500) * zoom + 360), y + 0.5 - ((2000 - 1500) * zoom + 360)).max() < 12.0
    )


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_nights_are_darker_than_days_and_home_ranges_are_seen(theme: str):
    look = Look(size=(640, 360), trails=0.0, labels=False, theme=theme)  # type: ignore[arg-type]
    scenario = of({"daylight": {"enabled": True, "length": 100.0, "start": 0.0}})
    painter = Painter(scenario, look)
    steps = {hour: round(hour * 100.0 / scenario.motion.time_step) for hour in (0.1, 0.3975, 0.7)}
    light = {
        hour: painter.paint(Frame(**{**vars(NOBODY), "step": step}), 1 / 30).astype(float).mean(axis=(1, 2))
        for hour, step in steps.items()
    }
    night, dawn, day = (light[hour] for hour in steps)
    assert night.sum() < 0.95 * day.sum()
    assert dawn[0] / dawn[2] > 1.02 * night[0] / night[2]  # red grows before blue does
    home = of({"territory": {"enabled": True, "homes": [{"x": 800.0, "y": 450.0, "radius": 300.0}]}})
    changed = np.abs(seen(home, NOBODY, look) - seen(FIELD, NOBODY, look)).sum(axis=0)
    y, x = np.nonzero(changed > 20.0)
    away = np.hypot(x + 0.5 - 320.0, y + 0.5 - 180.0) / (0.4 * 0.98)
    assert len(away) > 100 and (np.abs(away - 300.0) < 5.0).all()


def test_wind_is_seen_and_moves_with_time():
    scenario = of({"wind": {"enabled": True, "speed": 5.0, "direction": 0.0}})
    still = seen(FIELD, NOBODY)
    pictures = [seen(scenario, Frame(**{**vars(NOBODY), "step": step})) for step in (0, 30)]
    assert all(np.abs(picture - still).sum() > 1e4 for picture in pictures)
    assert np.abs(pictures[0] - pictures[1]).sum() > 1e4


@pytest.fixture(scope="module")
def hunted(tmp_path_factory: pytest.TempPathFactory) -> tuple[mm.Run, Scenario]:
    scenario = mm.load_scenario("sky-and-sea").with_values({"agents": 60})
    simulation = mm.Simulation(scenario, 3, "cpu")
    return record(simulation, 120, tmp_path_factory.mktemp("runs") / "hunted", every=60), scenario


def test_a_run_keeps_what_lives_beside_the_flock(hunted: tuple[mm.Run, Scenario]):
    """Films and replays show hunters and food at their exact positions."""
    import gsd.hoomd

    run, scenario = hunted
    simulation = mm.Simulation(scenario, 3, "cpu")
    for frame in run.frames:
        simulation.step(frame.step - simulation.step_count)
        assert set(frame.items) == set(simulation.state.items) >= {"feeding", "predators"}
        for name, rows in simulation.state.items.items():
            assert np.array_equal(frame.items[name], rows)
        played = mm.Simulation(scenario, 3, "reference")
        played.load_state(state_of(frame))
        assert (hunters(played), food(played)) == (hunters(simulation), food(simulation))
    with gsd.hoomd.open(run.folder / "run.gsd") as trajectory:
        for theirs, ours in zip(trajectory, run.frames, strict=True):
            assert np.array_equal(theirs.log["items/predators"], ours.items["predators"])


def test_hunters_move_smoothly_between_two_frames(hunted: tuple[mm.Run, Scenario]):
    _, scenario = hunted
    simulation = mm.Simulation(scenario, 3, "cpu")
    first = frame_of(simulation)
    simulation.step(60)
    second = frame_of(simulation)
    between = mixed(first, second, 0.25, scenario).items["predators"]
    a, b = first.items["predators"], second.items["predators"]
    lives = (a[:, LAYOUT.place["alive"]] > 0.0) & (b[:, LAYOUT.place["alive"]] > 0.0)
    assert lives.sum() >= 4
    for field in LAYOUT.columns_of("position"):
        assert between[lives, field] == pytest.approx(
            0.75 * a[lives, field] + 0.25 * b[lives, field], abs=1e-3
        )


def test_an_mp4_is_made_from_the_colours_of_its_standard(tmp_path: Path):
    """Lightness and colour differences of BT.709 in limited range, from its own formulas (ITU-R BT.709-6, 3)."""
    from murmura.compute.raster.plane import to_yuv

    rng = np.random.default_rng(1)
    pixels = rng.integers(0, 256, (3, 24, 32), np.uint8)
    pixels[:, :2, :2] = np.array([255, 0, 0])[:, None, None]
    pixels[:, :2, 2:4] = 255
    pixels[:, :2, 4:6] = 0
    found = np.empty(24 * 32 * 3 // 2, np.uint8)
    to_yuv(pixels, found)
    r, g, b = pixels / 255.0
    light = 0.2126 * r + 0.7152 * g + 0.0722 * b
    small = light.reshape(12, 2, 16, 2).mean(axis=(1, 3))
    blue, red = (plane.reshape(12, 2, 16, 2).mean(axis=(1, 3)) for plane in (b, r))
    wanted = [
        16.0 + 219.0 * light,
        128.0 + 224.0 * (blue - small) / 1.8556,
        128.0 + 224.0 * (red - small) / 1.5748,
    ]
    for plane, part in zip(wanted, np.split(found, [24 * 32, 24 * 32 * 5 // 4]), strict=True):
        assert np.abs(part.reshape(plane.shape) - plane).max() <= 1.5
