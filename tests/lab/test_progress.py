"""Reliable progress: no estimate before the rate is known, and no silence."""

from __future__ import annotations

from pathlib import Path

import pytest

import murmura as mm
from murmura.lab import progress
from murmura.lab.progress import Progress


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().err.splitlines()


def test_the_first_line_promises_nothing(capsys: pytest.CaptureFixture[str]):
    """The kernel took 20 s and the first step is done, which says nothing about the other 1,199."""
    clock = Clock()
    with Progress(clock=clock) as told:
        clock.now += 20.0
        told.update(1, 1200)
        assert lines(capsys) == ["murmura: step 1 of 1,200"]
        clock.now += 6.0
        told.update(601, 1200)
        assert lines(capsys) == ["murmura: step 601 of 1,200, 100 steps/s, 6 s left"]


def test_what_continues_in_the_middle_has_the_pace_of_now(capsys: pytest.CaptureFixture[str]):
    clock = Clock()
    with Progress("runs", clock=clock) as told:
        for done in (5000, 5001, 5002):
            clock.now += 4.0
            told.update(done, 5004)
    assert lines(capsys) == ["murmura: run 5,001 of 5,004, 0.25 runs/s, 12 s left"]


def test_a_long_first_thing_is_explained(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(progress, "WAIT_SECONDS", 0.0)
    with Progress("pictures", "compiling the renderer") as told:
        assert told._alarm is not None
        told._alarm.join(20.0)
        told.update(1, 3)
    assert lines(capsys) == ["murmura: compiling the renderer"]


def test_a_sweep_in_python_tells_its_progress(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(progress, "LINE_SECONDS", -1.0)
    small = mm.load_scenario("classic").with_values({"agents": 10})
    options = {"workers": 0, "backend": "reference", "measures": ["polarization"]}
    mm.sweep(small, {"rules.cohesion.weight": [0.5, 1.0]}, 2, tmp_path / "s", **options)
    assert [line for line in lines(capsys) if "run" in line] == ["murmura: run 1 of 2", "murmura: run 2 of 2"]
