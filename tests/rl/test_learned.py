"""The policy of docs/learn.md is what it says: far better than doing nothing, in worlds it was not trained in."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np

from murmura.rl import Arena
from murmura.rl.tasks import formation

DOCS = Path(__file__).parents[2] / "docs"


def test_the_saved_policy_flies_in_formation():
    act = runpy.run_path(str(DOCS / "make_learning.py"))["policy_of"](str(DOCS / "learn-formation.npz"))
    arena = Arena(formation(), 16, seed=77)
    earned = np.array([arena.step(act(arena)).rewards.mean() for _ in range(100)])
    assert earned.mean() > 0.65 and earned[-25:].mean() > 0.85
