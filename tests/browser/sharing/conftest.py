"""Exported pages for the tests in browsers: files, and a static host for them."""

from __future__ import annotations

import functools
import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import murmura as mm
from murmura.lab.bench.workload import resized
from murmura.view.standalone import scene as scene_files
from murmura.view.standalone import start as start_files
from murmura.view.standalone.live_values import live_values, vector_of
from murmura.view.standalone.page import flock_page

AGENTS, SEED = 120, 7
MOMENT = 40
"""The step at which the page of `classic` begins."""
LIVES = {"shark-and-herring": 60, "emergent": 80, "couzin-space": 60}
"""A hunter; food, births and deaths of two species; a 3-D world."""


def no_sliders(scenario: mm.Scenario) -> dict[str, Any]:
    """Without changeable values: deriving what sliders change takes seconds, for living animals a minute."""
    return {"ranges": {}, "expressions": {}, "vector": vector_of(scenario).tolist()}


def write_page(file: Path, flocks: dict[str, int]) -> Path:
    """A page of scenarios with so many agents, without sliders."""
    scenes = [resized(mm.load_scenario(name), count) for name, count in flocks.items()]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scene_files, "live_values", no_sliders)
        file.write_text(flock_page(scenes, SEED), encoding="utf-8")
    return file


@pytest.fixture(scope="package")
def folder(tmp_path_factory: pytest.TempPathFactory, built: None) -> Path:
    """A file with `classic` and one preset."""
    found = tmp_path_factory.mktemp("standalone")
    scenes = [resized(mm.load_scenario(name), AGENTS) for name in ("classic", "vicsek")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scene_files, "moment_step", lambda s, seed: MOMENT if s.name == "classic" else 0)
        patch.setattr(
            scene_files, "live_values", lambda s: (live_values if s.name == "classic" else no_sliders)(s)
        )
        (found / "flock.html").write_text(flock_page(scenes, SEED), encoding="utf-8")
        patch.setattr(start_files, "MOST_EMBEDDED", 10)
        write_page(found / "large.html", {"mixed": AGENTS})
    return found


@pytest.fixture(scope="package")
def lives(tmp_path_factory: pytest.TempPathFactory, built: None) -> Path:
    """A file with scenarios of hunters, food, births and space."""
    return write_page(tmp_path_factory.mktemp("lives") / "lives.html", LIVES)


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None: ...


@contextmanager
def static_host(folder: Path) -> Iterator[str]:
    """Serves the files of a folder, and nothing else; its address."""
    handler = functools.partial(_Quiet, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
