"""Many worlds in the launches of one (tests.parity.ensembles)."""

from __future__ import annotations

import pytest

import murmura as mm
from murmura.compute.gpu import worlds
from murmura.compute.webgpu.device import open_device
from murmura.core.errors import BackendError
from tests.parity import ensembles
from tests.sizes import size


@pytest.mark.parametrize("name", size(["ecosystem", "midges"], ensembles.NAMES))
def test_every_world_is_its_own_simulation(name: str):
    ensembles.check_scenario(name, "webgpu")


def test_worlds_may_differ_in_all_that_needs_no_other_kernel():
    ensembles.check_differing_worlds("webgpu")


def test_numbers_change_and_worlds_start_again():
    ensembles.check_changes("webgpu")


def test_columns_are_written():
    ensembles.check_columns("webgpu")


def test_a_broken_world_is_named_and_the_others_are_not_lost():
    ensembles.check_a_broken_world("webgpu")


def test_worlds_that_do_not_fit_are_refused(monkeypatch: pytest.MonkeyPatch):
    scenario = ensembles.scene("starlings")
    monkeypatch.setattr(open_device(), "most_bytes", 40_000)
    with pytest.raises(BackendError, match=r"at most 40,000 bytes, and \w+ of 200 worlds takes .* in parts"):
        mm.Ensemble(scenario, range(200), "webgpu", announce=None)
    monkeypatch.setattr(open_device(), "most_buffers", 8)
    with pytest.raises(
        BackendError, match=r"need 9 storage buffers for each shader, .* has 8: use backend='cpu'"
    ):
        mm.Ensemble(scenario, [1], "webgpu", announce=None)
    monkeypatch.undo()
    monkeypatch.setattr(worlds, "MOST_WORLDS", 3)
    with pytest.raises(
        BackendError, match="webgpu steps at most 3 worlds at once, got 4: step them in parts"
    ):
        mm.Ensemble(scenario, range(4), "webgpu", announce=None)


@pytest.mark.parametrize("seed", range(size(1, 10)))
def test_worlds_of_a_random_scenario(seed: int):
    ensembles.check_a_random_scenario("webgpu", seed)
