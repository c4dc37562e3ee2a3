"""What all tests need: Ctrl-C means what it means in a terminal, also where the suite was started with it ignored."""

from __future__ import annotations

import signal


def pytest_configure() -> None:
    # A shell without job control starts `pytest &` with SIGINT ignored, and every child would inherit that.
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
