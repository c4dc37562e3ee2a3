"""How a user is told something while a program runs: a line on standard error, which no output is mixed with."""

from __future__ import annotations

import sys


def say(text: str) -> None:
    print(f"murmura: {text}", file=sys.stderr, flush=True)
