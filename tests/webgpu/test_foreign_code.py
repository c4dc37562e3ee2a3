"""The WGSL of a rule is that of the rule as it is now (see tests/compute/test_foreign_code.py)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.compute.changing_rules import WAYS, check_each_gain_acts


@pytest.mark.parametrize("way", WAYS)
def test_a_rule_is_never_served_from_an_older_kernel(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    check_each_gain_acts(way, "webgpu", tmp_path, monkeypatch)
