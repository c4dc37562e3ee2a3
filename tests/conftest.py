"""Setup for all tests: Ctrl-C works as in a terminal, even if the suite was started with SIGINT ignored; Hypothesis
tries the same examples every time; and workers, which share nothing, get whole files."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.sizes import IS_LONG
from tests.statements import Statements, statements_of_the_documents

# The same examples every time, and no limit in seconds: a busy machine must not fail a property. The long versions draw
# new examples.
settings.register_profile(
    "gate", deadline=None, derandomize=not IS_LONG, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("gate")


LONG = (
    "browser", "docs/test_pages", "docs/test_notebooks", "docs/test_site", "parity/test_random_scenarios",
    "golden/test_hashes", "parity/test_scenes", "webgpu/test_definition", "cuda/parity/test_definition", "validate",
    "cli", "lab/sweeps", "lab/films", "rules/evolution/test_stances", "engine/simulation/test_hunters",
)  # fmt: skip
"""What takes longest, in this order: if it began last, one worker would run it while the others are idle."""


def pytest_configure(config: pytest.Config) -> None:
    gc.disable()  # until all tests are known, and they stay: see pytest_collection_finish
    config.pluginmanager.register(Statements(statements_of_the_documents()))
    config.option.loadscopereorder = False  # xdist would begin with the files that have the most tests
    # A shell without job control starts `pytest &` with SIGINT ignored, and every child would inherit that.
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection(session: pytest.Session) -> None:
    """Each worker begins with different test modules: what one has compiled, the others load.

    Rewriting all assertions takes longer than anything else before the first test.
    """
    config = session.config
    if hasattr(config, "workerinput"):
        first, step = int(config.workerinput["workerid"][2:]), config.workerinput["workercount"]
        for path in sorted(path for name in config.args for path in Path(name).rglob("test_*.py"))[
            first::step
        ]:
            with contextlib.suppress(Exception, pytest.skip.Exception):  # collection will report the reason
                import_module(".".join(path.resolve().relative_to(config.rootpath).with_suffix("").parts))


def pytest_collection_finish() -> None:
    """Half a million objects of modules and tests live to the end: looking through them for garbage again and again
    takes a tenth of the time."""
    gc.freeze()
    gc.set_threshold(50_000, 10, 10)
    gc.enable()


@pytest.fixture(scope="module", params=["reference", "cpu"])
def backend(request: pytest.FixtureRequest) -> str:
    """The reference and the CPU: a test with a `backend` runs on both."""
    return str(request.param)


@pytest.hookimpl(tryfirst=True)  # before pytest deselects by marker
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    def rank(item: pytest.Item) -> int:
        share = _share(item.nodeid).removeprefix("tests/")
        return next((k for k, long in enumerate(LONG) if share.startswith(long)), len(LONG))

    items.sort(key=rank)
    for item in items:
        if _drives_a_browser(item.nodeid):
            item.add_marker("browser")


FIRST_HALF = tuple(f"tests/browser/{part}" for part in ("panel/", "start/", "tools/", "test_"))
"""About as long as the rest: each half takes a worker most of the time."""


def _drives_a_browser(test: str) -> bool:
    file, _, name = test.partition("::")
    return file.startswith("tests/browser/") or "in_a_real_browser" in name


def _share(test: str) -> str:
    """What goes to one worker together: a file, whose tests share kernels, runs and servers; and tests that drive the
    same browser, in two halves. Exported pages need others: with WebGPU, and Firefox."""
    file = test.partition("::")[0]
    if file in ("tests/browser/sharing/test_standalone.py", "tests/browser/sharing/test_firefox.py"):
        return "pages"
    if file.startswith(FIRST_HALF):
        return "browser, first half"
    return "browser" if _drives_a_browser(test) else file


@pytest.hookimpl(optionalhook=True)  # of pytest-xdist
def pytest_xdist_auto_num_workers() -> int:
    """Two more than there are cores: tests of browsers and processes often wait."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return cores + 2


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    from xdist.scheduler import LoadScopeScheduling

    class ByShare(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return _share(nodeid)

    return ByShare(config, log)
