"""Entries of a state machine's table, for docs and tests: which stage may follow which, and when."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple


class Change(NamedTuple):
    """One arrow of a state machine."""

    before: IntEnum
    after: IntEnum
    when: str
