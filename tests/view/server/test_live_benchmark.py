"""benchmarks/live.py, small: a real server in its own process, healthy and stalled clients."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from murmura.view.server import app as server
from tests.cli.terminal import ROOT, python_says

REAL_PAGE = Path(server.__file__).parents[1] / "static"


@pytest.mark.skipif(not (REAL_PAGE / "index.html").exists(), reason="the page was not built")
def test_it_tells_what_a_page_gets(tmp_path: Path):
    words = "--agents 300 --seconds 2 --clients 2 --stalled 3 --backend reference"
    done = python_says(ROOT / "benchmarks" / "live.py", *words.split(), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    row = json.loads(done.stdout)
    assert (row["agents"], row["clients"], row["stalled"]) == (300, 2, 3)
    assert (row["bytes_in_a_frame"], row["bytes_for_an_agent"]) == (48 + 8 * 300, 8.0)
    assert 0.0 < row["frames_per_second"] <= 75.0 and row["steps_per_second"] > 0.0
    assert 0.0 < row["gap_median_ms"] <= row["gap_p99_ms"] <= row["gap_most_ms"]
    assert row["first_frame_s"] > 0.0
