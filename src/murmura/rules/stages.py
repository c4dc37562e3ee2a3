"""What a state machine's table is made of: which stage may follow which, and when. For readers, docs and tests."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple


class Change(NamedTuple):
    """One arrow of a state machine."""

    before: IntEnum
    after: IntEnum
    when: str


NOWHERE = 1.0e38
"""Squared distances beyond this mean that nobody was found; `FAR` is what such a one contributes."""
FAR = 3.0e38
