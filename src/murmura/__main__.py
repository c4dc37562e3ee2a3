"""The command `murmura`, also as `python -m murmura`; a Ctrl-C while it loads ends it as quietly as a later one."""

from __future__ import annotations

import gc
import os
import sys
import threading
from contextlib import suppress
from typing import NoReturn


def main() -> NoReturn:
    # Two things that take an eighth of the time to start: looking for garbage where there is little, and for plugins.
    gc.set_threshold(50_000)
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    try:
        from murmura.cli import main as front_door
        from murmura.core import compilations
    except KeyboardInterrupt:
        sys.exit(130)
    try:
        front_door()
    except SystemExit as leaving:
        if compilations.under_way() or _has_threads():  # a kernel that nobody needs any more
            _exit_at_once(leaving.code)
        raise


def _has_threads() -> bool:
    """Whether a thread still works for nobody. Python ends those at exit, which aborts the process if one of them is
    inside Rust or C++, as in pydantic: "exception not rethrown"."""
    return any(each.daemon and each.name.startswith("murmura-") for each in threading.enumerate())


def _exit_at_once(code: object) -> NoReturn:
    """Exit without Python's teardown, which would wait for the compiler and end threads."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(code if isinstance(code, int) else 1)


if __name__ == "__main__":
    main()
