"""Lesson cards: the shipped ones are valid, and errors in a file are reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from murmura.core.errors import ScenarioError
from murmura.view.wire.lessons import SHIPPED, read_lesson, read_lessons

GOOD = 'title = "T"\nscene = "classic"\n[[steps]]\nsay = "Watch."\n'


def test_ten_lessons_are_shipped_and_each_asks_and_answers():
    lessons = read_lessons([SHIPPED])
    assert len(lessons) == 10
    for lesson in lessons:
        assert any(step["ask"] and step["answer"] for step in lesson["steps"]), lesson["name"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("title = ", "is not a lesson"),
        (GOOD.replace("say", "tell"), "steps.0.say: Field required"),
        (GOOD.replace("classic", "clasic"), "did you mean 'classic'"),
        (GOOD + 'set = { "rules.alignment.wieght" = 1.0 }\n', "wieght"),
        (GOOD.replace('title = "T"\n', ""), "title: Field required"),
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
