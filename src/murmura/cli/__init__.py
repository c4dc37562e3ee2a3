"""The command line. Commands are thin: they parse options, call the library and print the result.

Each command is a file of this folder. Exit codes: 0 on success, 1 when a run failed, 2 on bad input, 130 after
Ctrl-C. A user's mistake never shows a traceback.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, NoReturn

from cyclopts.exceptions import CycloptsError

from murmura.cli.options import app
from murmura.core.errors import MurmuraError, RunError
from murmura.core.notices import print_notice

__all__ = ["app", "main"]

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line and exit."""
    act = partial(app, arguments, exit_on_error=False, print_error=False, result_action="return_value")
    told: set[str] = set()
    with warnings.catch_warnings():
        warnings.showwarning = partial(_show, told)
        code = _outcome(act)
        if code == 0 and told:
            code = RunError.exit_code  # the command succeeded, but part of its input was damaged
    sys.exit(code)


def _show(told: set[str], message: Warning | str, category: type[Warning], *place: Any) -> None:
    """Print each damage in one line, like other errors. Other warnings are for developers."""
    if category.__name__ != "DamageWarning" or str(message) in told:
        return
    told.add(str(message))
    print_notice(str(message))


def _outcome(act: Callable[[], Any]) -> int:
    try:
        act()
        if sys.stdout is not None:
            sys.stdout.flush()
    except CycloptsError as error:
        print_notice(" ".join(str(error).split()))
        return 2
    except MurmuraError as error:
        print_notice(str(error))
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        _discard_output()
        return 0
    except OSError as error:
        if not _output_is_stuck():
            raise
        _discard_output()
        print_notice(f"cannot write to standard output: {error}")
        return 1
    return 0


def _output_is_stuck() -> bool:
    """Whether writing to standard output fails, because its disk is full."""
    try:
        sys.stdout.flush()
        os.write(sys.stdout.fileno(), b"\n")
    except (OSError, ValueError, AttributeError):
        return True
    return False


def _discard_output() -> None:
    """Discard the rest of the output buffer; otherwise Python reports an error at exit."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
