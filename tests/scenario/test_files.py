"""Scenario files: config snapshots in JSON and TOML, and files that are not scenarios."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import murmura as mm
from murmura.core.errors import MurmuraError, ScenarioError, UnknownNameError
from murmura.rules.environment.terrain import Attractor, Circle, Polygon, Wall
from murmura.rules.life.panic import Threat
from tests.sizes import size

RICH = {
    "title": 'Quotes " and \\ and\nnewlines, umlauts äöü, an emoji 🐦 and a tab\t.',
    "obstacles": [
        {"x": 100.0, "y": 100.0, "radius": 12.5},
        {"points": [[200.0, 200.0], [250.0, 200.0], [225.0, 250.0]]},
        {"points": [[300.0, 300.0], [350.0, 350.0]]},
        {"kind": "wall", "points": [[400.0, 300.0], [450.0, 350.0], [400.0, 400.0]]},
    ],
    "rules.attractors.points": [{"x": 10.0, "y": 20.0, "strength": -1.5, "radius": 30.0}],
    "rules.fear.enabled": True,
    "rules.fear.threats": [{"x": 1.0, "y": 2.0}],
    "perception.nearest": 7,
    "motion.time_step": 1 / 120,
    "species": [
        {"name": "a", "share": 2.0, "values": {"motion.max_speed": 2.5}, "towards": {"b": "flee"}},
        {"name": "b", "towards": {"a": {"separation": 0.5, "chase": 1.0}}, "color": "#00ff00"},
    ],
}


# S4-71
@pytest.mark.parametrize("suffix", [".json", ".toml"])
def test_a_snapshot_keeps_every_part(suffix: str, tmp_path: Path) -> None:
    scenario = mm.load_scenario("classic").with_values(RICH)
    mm.save_scenario(scenario, tmp_path / f"rich{suffix}")
    again = mm.load_scenario(tmp_path / f"rich{suffix}")
    assert again == scenario
    assert [type(shape) for shape in again.obstacles] == [Circle, Polygon, Wall, Wall]
    assert again.rules.attractors.points == (Attractor(x=10.0, y=20.0, strength=-1.5, radius=30.0),)
    assert again.rules.fear.threats == (Threat(x=1.0, y=2.0),)
    assert again.perception.nearest == 7
    assert again.species[1].interaction("a").chase == 1.0


# S4-71
def test_a_snapshot_reproduces_the_run(tmp_path: Path) -> None:
    tuned = mm.load_scenario("roadmap").with_values({"agents": 30, "rules.alignment.weight": 1.37})
    hashes = []
    for path in (tmp_path / "a.json", tmp_path / "a.toml"):
        mm.save_scenario(tuned, path)
        simulation = mm.Simulation(path, seed=3, backend="reference")
        simulation.step(5)
        hashes.append(simulation.state_hash())
    simulation = mm.Simulation(tuned, seed=3, backend="reference")
    simulation.step(5)
    assert hashes == [simulation.state_hash()] * 2


@settings(
    max_examples=size(30, 60),
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    title=st.text(st.characters(blacklist_categories=["Cs"]), max_size=60),
    weight=st.floats(0.0, 1e9),
    step=st.floats(1e-6, 1.0),
    suffix=st.sampled_from([".json", ".toml"]),
)
def test_any_text_and_any_number_survive_a_round_trip(
    title: str, weight: float, step: float, suffix: str, tmp_path: Path
) -> None:
    values = {"title": title, "rules.alignment.weight": weight, "motion.time_step": step}
    scenario = mm.load_scenario("classic").with_values(values)
    mm.save_scenario(scenario, tmp_path / f"any{suffix}")
    assert mm.load_scenario(tmp_path / f"any{suffix}") == scenario


def test_a_file_may_leave_out_defaults(tmp_path: Path) -> None:
    path = tmp_path / "short.toml"
    path.write_text('name = "short"\nagents = 5\n[rules.alignment]\nweight = 2\n', encoding="utf-8")
    scenario = mm.load_scenario(path)
    assert scenario == mm.Scenario(name="short", agents=5).with_values({"rules.alignment.weight": 2.0})


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.json", "{", ["a.json", "JSON"]),
        ("a.json", "", ["a.json", "JSON"]),
        ("a.json", "[1, 2]", ["a.json", "table", "list"]),
        ("a.json", "[" * 100_000, ["a.json", "JSON"]),
        ("a.json", '{"title": ' + "[" * 900 + "]" * 900 + "}", ["a.json"]),
        ("a.json", '{"agents": NaN}', ["a.json", "agents", "nan"]),
        ("a.json", '{"motion": {"max_speed": 1e999}}', ["a.json", "motion.max_speed", "finite"]),
        ("a.json", '{"title": "\\ud800"}', ["a.json"]),
        ("a.toml", "agents = ", ["a.toml", "TOML"]),
        ("a.toml", "agents = 1\nagents = 2", ["a.toml", "TOML"]),
        ("a.toml", "title = 1979-05-27", ["a.toml", "text", "date"]),
        ("a.toml", "[motion]\nmax_speed = inf", ["a.toml", "motion.max_speed", "finite"]),
        ("a.toml", "[rules.separation]\nwieght = 1", ["a.toml", "rules.separation.wieght", "'weight'"]),
    ],
)
def test_an_invalid_file_is_reported_with_the_reason(
    name: str, text: str, words: list[str], tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(ScenarioError) as error:
        mm.load_scenario(tmp_path / name)
    for word in words:
        assert word in str(error.value)


def test_bytes_that_are_not_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b'\xff\xfe{"agents": 1}')
    with pytest.raises(ScenarioError, match="cannot read"):
        mm.load_scenario(tmp_path / "a.json")


def test_an_endless_file_is_refused_unread(tmp_path: Path) -> None:
    with (tmp_path / "a.json").open("wb") as file:
        file.truncate(17 * 2**20)
    with pytest.raises(ScenarioError, match="at most 16 MB"):
        mm.load_scenario(tmp_path / "a.json")


@pytest.mark.parametrize("wrong", ["missing.toml", "missing.json"])
def test_a_missing_file_is_reported(wrong: str, tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match=wrong):
        mm.load_scenario(tmp_path / wrong)


@pytest.mark.parametrize(
    ("wrong", "meant"), [("starling", "starlings"), ("clasic", "classic"), ("Fish", "fish")]
)
def test_an_unknown_name_is_answered_with_the_nearest(wrong: str, meant: str) -> None:
    with pytest.raises(UnknownNameError) as error:
        mm.load_scenario(wrong)
    assert f"did you mean {meant!r}?" in str(error.value)
    assert "`murmura scenarios` lists all" in str(error.value)
    assert len(str(error.value)) < 200


@pytest.mark.parametrize("name", ["../classic", "/etc/passwd", "", "classic\0", "scenarios/classic"])
def test_a_name_is_not_a_path_into_the_package(name: str) -> None:
    with pytest.raises(UnknownNameError, match="no scenario is called"):
        mm.load_scenario(name)


def test_saving_needs_a_known_suffix(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match=r"\.json or \.toml, got 'a.yaml'"):
        mm.save_scenario(mm.load_scenario("classic"), tmp_path / "a.yaml")
    assert list(tmp_path.iterdir()) == []


def test_saved_json_is_plain_json(tmp_path: Path) -> None:
    mm.save_scenario(mm.load_scenario("mixed"), tmp_path / "a.json")

    def refuse(word: str) -> Any:
        raise AssertionError(word)

    data = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"), parse_constant=refuse)
    assert data["rules"]["alignment"]["weight"] == 1.0
    assert mm.Scenario.from_data(data) == mm.load_scenario("mixed")


def test_all_errors_share_a_base_class() -> None:
    assert issubclass(ScenarioError, MurmuraError)
    assert issubclass(UnknownNameError, MurmuraError)
    assert MurmuraError.exit_code == 2
