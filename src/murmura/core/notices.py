"""Notices to the user while a program runs: lines on standard error, so that they never mix with output.

Notebooks show standard error in red, like a failure, so a notice there is plain text in the cell.
"""

from __future__ import annotations

import re
import sys
from typing import Any

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Escape sequences begin with these, and some turn the direction of what follows; tabs and new lines are none."""


def in_notebook() -> bool:
    """Whether this process is the kernel of a notebook."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return getattr(shell, "kernel", None) is not None


def printable(text: str) -> str:
    """A text that may contain names from any file, without characters that control a terminal: they are spelled out."""
    return CONTROL.sub(lambda found: ascii(found[0])[1:-1], text)


def print_notice(text: str) -> None:
    if in_notebook():
        ChangingLine().end(text)
    else:
        print(f"murmura: {printable(text)}", file=sys.stderr, flush=True)


class ChangingLine:
    """A line that can be overwritten, in a notebook's cell and on a terminal."""

    def __init__(self) -> None:
        self._is_notebook = in_notebook()
        self.can_change = self._is_notebook or sys.stderr.isatty()
        self._handle: Any = None

    def show(self, text: str) -> None:
        line = f"murmura: {printable(text)}"
        if not self._is_notebook:
            print(f"\r\x1b[K{line} " if self.can_change else f"{line}\n", end="", file=sys.stderr, flush=True)
        elif self._handle is None:
            import IPython.display as output

            show: Any = output.display
            self._handle = show({"text/plain": line}, raw=True, display_id=True)
        else:
            self._handle.update({"text/plain": line}, raw=True)

    def end(self, text: str) -> None:
        """Show a final text; later texts start a new line."""
        self.show(text)
        self._handle = None
        if self.can_change and not self._is_notebook:
            print(file=sys.stderr, flush=True)
