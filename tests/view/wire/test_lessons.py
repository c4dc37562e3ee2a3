"""Lesson cards: the shipped ones are valid, and errors in a file are reported."""

from __future__ import annotations

from pathlib import Path

import pytest

import murmura as mm
from murmura.core.errors import ScenarioError
from murmura.engine.reading.surroundings import hunters
from murmura.view.wire.lessons import SHIPPED, lessons_for, read_lesson, read_lessons

GOOD = 'title = "T"\nscene = "classic"\n[[steps]]\nsay = "Watch."\n'


def test_ten_lessons_and_three_tours_are_shipped_and_each_asks_with_choices():
    lessons = read_lessons([SHIPPED])
    assert len(lessons) == 13
    assert sum(lesson["title"].startswith("Tour") for lesson in lessons) == 3
    for lesson in lessons:
        asking = [step for step in lesson["steps"] if step["ask"]]
        assert asking and all(step["answer"] and step["right"] for step in asking), lesson["name"]


def test_the_hawk_attacks_soon_after_its_lesson_has_begun():
    [lesson] = [each for each in read_lessons([SHIPPED]) if each["name"] == "06-a-hawk"]
    simulation = mm.Simulation(lesson["scene"], lesson["seed"], announce=None)
    seconds = simulation.scenario.motion.time_step
    simulation.step(round(lesson["skip"] / seconds))
    states = set()
    for _ in range(28):
        states.add(hunters(simulation)[0]["state"])
        simulation.step(round(0.25 / seconds))
    assert "attacking" in states and any(event["kind"] == "capture" for event in simulation.events())


def test_a_page_gets_the_lessons_of_its_scene_alone():
    assert [lesson["name"] for lesson in lessons_for("vicsek")] == ["05-noise-and-order"]
    assert lessons_for("emergent") == []  # that tour goes to other scenes


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("title = ", "is not a lesson"),
        (GOOD.replace("say", "tell"), "steps.0.say: Field required"),
        (GOOD.replace("classic", "clasic"), "did you mean 'classic'"),
        (GOOD + 'set = { "rules.alignment.wieght" = 1.0 }\n', "wieght"),
        (GOOD.replace('title = "T"\n', ""), "title: Field required"),
        (GOOD + 'choices = ["a"]\nright = 2\n', "right is the number of a choice, 1 to 1, got 2"),
        (GOOD + 'do = "Go"\n', "give set too"),
        (GOOD + 'scene = "clasic"\n', "did you mean 'classic'"),
        (GOOD + 'turn = "rules.alignment.wieght"\n', "turn must be the path of a value"),
    ],
)
def test_what_is_wrong_is_reported(text: str, reason: str, tmp_path: Path):
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(ScenarioError, match=reason) as error:
        read_lesson(path)
    assert str(path) in str(error.value)


def test_own_lessons_come_after_the_shipped_ones(tmp_path: Path):
    (tmp_path / "mine.toml").write_text(GOOD)
    assert read_lessons([SHIPPED, tmp_path])[-1]["name"] == "mine"
    with pytest.raises(ScenarioError, match="takes a folder"):
        read_lessons([tmp_path / "nowhere"])
