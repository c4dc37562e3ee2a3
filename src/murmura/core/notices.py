"""Notices to the user while a program runs: lines on standard error, so that they never mix with output."""

from __future__ import annotations

import sys


def print_notice(text: str) -> None:
    print(f"murmura: {text}", file=sys.stderr, flush=True)
