"""An exported page contains a rule as it is now (see tests/compute/test_foreign_code.py)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from murmura.core.rule import REGISTRY
from murmura.view.standalone.scene import page_scene
from tests.compute.changing_rules import GAINS, WAYS, scenario_with


@pytest.fixture(autouse=True)
def _own_rules() -> Iterator[None]:
    known = dict(REGISTRY)
    yield
    REGISTRY.clear()
    REGISTRY.update(known)


@pytest.mark.parametrize("way", WAYS)
def test_a_page_has_the_rule_as_it_is_now(way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    texts = []
    for gain in (*GAINS, GAINS[0]):
        scene = page_scene(scenario_with(WAYS[way](gain, tmp_path, monkeypatch)), 1)
        [steer] = [kernel["code"] for kernel in scene["kernels"] if kernel["name"] == "steer"]
        texts.append(steer)
    assert texts[0] == texts[2]
    differing = [
        pair for pair in zip(*(text.splitlines() for text in texts[:2]), strict=True) if len({*pair}) == 2
    ]
    assert differing
    assert all("0.8" in first and "0.1" in second for first, second in differing)
