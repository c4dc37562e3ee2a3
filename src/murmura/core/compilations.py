"""Keeps a process from exiting while one of its threads compiles.

A compiler cannot be interrupted, and its static data is destroyed when the process exits: a thread that is still
inside it then crashes the process. So the interpreter waits for compiling threads before it exits. A command that
must end immediately checks `under_way` and skips the interpreter's teardown.
"""

from __future__ import annotations

import atexit
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_changed = threading.Condition()
_compiling = 0
_is_exiting = False


@contextmanager
def compilation() -> Iterator[None]:
    """A context that must enclose every use of a compiler."""
    global _compiling
    with _changed:
        if _is_exiting and threading.current_thread().daemon:
            _changed.wait_for(lambda: False)  # the process is about to end, and nothing waits for this thread
        _compiling += 1
    try:
        yield
    finally:
        with _changed:
            _compiling -= 1
            _changed.notify_all()


def under_way() -> bool:
    """Whether some thread is compiling now."""
    return _compiling > 0


@atexit.register
def _wait() -> None:
    global _is_exiting
    with _changed:
        _is_exiting = True
        _changed.wait_for(lambda: _compiling == 0)
