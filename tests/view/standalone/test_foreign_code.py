"""An exported page contains a rule as it is now (see tests/compute/test_foreign_code.py)."""

from __future__ import annotations

import base64
import struct
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
    codes = []
    for gain in (*GAINS, GAINS[0]):
        scene = page_scene(scenario_with(WAYS[way](gain, tmp_path, monkeypatch)), 1)
        codes.append(base64.b64decode(scene["wasm"]["code"]))
    assert codes[0] == codes[2]
    for code, own, other in zip(codes, GAINS, GAINS[::-1], strict=False):
        assert struct.pack("<f", own) in code
        assert struct.pack("<f", other) not in code
