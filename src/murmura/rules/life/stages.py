"""What a state machine's table is made of: which stage may follow which, and when. For readers, docs and tests."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple


class Change(NamedTuple):
    """One arrow of a state machine."""

    before: IntEnum
    after: IntEnum
    when: str
