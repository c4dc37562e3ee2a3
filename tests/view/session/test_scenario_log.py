"""A page that moved one number gets that number (issue 36, point 13)."""

from __future__ import annotations

import json
from itertools import pairwise
from random import Random
from typing import Any

import pytest

import murmura as mm
from murmura.scenario import scenario_names
from murmura.view.session.scenario_log import KEPT, ScenarioLog, changed_values
from murmura.view.session.session import Session
from murmura.view.session.subscriber import Subscriber
from tests.view.live import flock
from tests.view.session.test_session import obey


def data(scenario: mm.Scenario) -> dict[str, Any]:
    return scenario.model_dump(mode="json")


def changed(before: dict[str, Any], values: dict[str, Any]) -> dict[str, Any]:
    """What a page makes of it."""
    after: dict[str, Any] = json.loads(json.dumps(before))
    for path, value in json.loads(json.dumps(values)).items():
        *outer, last = path.split(".")
        inner = after
        for part in outer:
            inner = inner[part]
        inner[last] = value
    return after


@pytest.mark.parametrize("name", ["starlings", "ecosystem", "couzin-space", "mixed"])
def test_the_changed_values_lead_from_one_scenario_to_any_other(name: str):
    others = [name, *Random(36).sample(scenario_names(), 5)]
    for before, after in pairwise(others):
        one, other = data(mm.load_scenario(before)), data(mm.load_scenario(after))
        assert changed(one, changed_values(one, other)) == other
    assert changed_values(one, one) == {}


def test_a_list_and_a_table_by_dotted_names_are_one_value_each():
    before = {"a": {"b": [1, 2], "c": 1}, "of": {"x.y": 1}, "n": None, "t": 1}
    after = {"a": {"b": [1, 3], "c": 1}, "of": {"x.y": 2}, "n": {"k": 1}, "t": True}
    assert changed_values(before, after) == {"a.b": [1, 3], "of": {"x.y": 2}, "n": {"k": 1}, "t": True}


def test_whoever_is_far_behind_gets_everything():
    log, scenario = ScenarioLog(), flock(10)
    assert log.since(0) is None
    for k in range(KEPT + 5):
        scenario, before = scenario.with_values({"rules.cohesion.weight": 0.01 * k + 2.0}), scenario
        log.note(before, scenario)
    newest = KEPT + 5
    assert log.since(newest) is None
    assert log.since(newest - 3) == (newest, {"rules.cohesion.weight": scenario.rules.cohesion.weight})
    assert log.since(newest - KEPT) is not None and log.since(newest - KEPT - 1) is None


def test_the_answer_to_one_number_is_that_number():
    session = Session(flock(20), 1, "reference")
    pages = [Subscriber(session, lambda: None) for _ in range(2)]
    for page in pages:
        list(page.updates())
    whole = data(session.scenario)
    for k in range(3):
        assert obey(session, {"type": "set", "values": {"rules.cohesion.weight": 0.25 + k}}) == []
        session._follow_scene()
        [told] = [text for text in pages[0].updates() if isinstance(text, str)]
        assert len(told) < 80 and json.loads(told)["values"] == {"rules.cohesion.weight": 0.25 + k}
        whole = changed(whole, json.loads(told)["values"])
    assert whole == data(session.scenario)
    # The other page was away meanwhile: it gets the result of all three.
    [told] = [text for text in pages[1].updates() if isinstance(text, str)]
    assert json.loads(told) == {"type": "values", "values": {"rules.cohesion.weight": 2.25}}


def test_rules_that_a_change_switched_on_are_told_when_they_are_new():
    session = Session(flock(20), 1, "reference")
    page = Subscriber(session, lambda: None)
    list(page.updates())
    told = []
    for values in ({"rules.mating.enabled": True}, {"rules.cohesion.weight": 0.5}):
        assert obey(session, {"type": "set", "values": values}) == []
        session._follow_scene()
        told.append(json.loads(next(iter(page.updates()))))
    assert told[0]["switched_on"] == session.scenario.switched_on() != []
    assert "switched_on" not in told[1]
