"""Defers Ctrl-C until the current steps are done."""

from __future__ import annotations

import signal
import threading


class Interrupts:
    """Defers Ctrl-C until the current steps are complete and counted; a second Ctrl-C acts at once."""

    def __enter__(self) -> Interrupts:
        self.requested = False
        self._holds = (
            threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        )
        if self._holds:
            signal.signal(signal.SIGINT, self._request)
        return self

    def _request(self, *_: object) -> None:
        if self.requested:
            raise KeyboardInterrupt
        self.requested = True

    def __exit__(self, *_: object) -> None:
        if self._holds:
            signal.signal(signal.SIGINT, signal.default_int_handler)
