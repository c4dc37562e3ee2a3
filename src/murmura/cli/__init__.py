"""The front door. Commands are thin: they read words, call the library and print what it returns.

Each command is a file of this folder. Exit codes: 0 on success, 1 when a run failed, 2 on bad input, 130 after
Ctrl-C. A user's mistake never shows a traceback.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any, NoReturn

from cyclopts.exceptions import CycloptsError

from murmura.cli import (
    bench,
    compare,
    export,
    facts,
    live,
    optimize,
    plot,
    render,
    replay,
    resume,
    run,
    sensitivity,
    sweep,
)
from murmura.cli.words import app
from murmura.core.errors import MurmuraError
from murmura.core.saying import say

__all__ = [
    "app",
    "bench",
    "compare",
    "export",
    "facts",
    "live",
    "main",
    "optimize",
    "plot",
    "render",
    "replay",
    "resume",
    "run",
    "sensitivity",
    "sweep",
]


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line and exit."""
    sys.exit(
        _outcome(lambda: app(arguments, exit_on_error=False, print_error=False, result_action="return_value"))
    )


def _outcome(act: Callable[[], Any]) -> int:
    try:
        act()
        sys.stdout.flush()
    except CycloptsError as error:
        say(" ".join(str(error).split()))
        return 2
    except MurmuraError as error:
        say(str(error))
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader left. What is still in the buffer goes nowhere, or Python would complain at its exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return 0
