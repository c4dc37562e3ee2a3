"""Sizes of tests: small by default, as large as promised with MURMURA_LONG=1.

    MURMURA_LONG=1 pytest tests/view/server/test_endurance.py

The small size is the smallest at which the test still fails when it should.
"""

from __future__ import annotations

import os
from typing import TypeVar

IS_LONG = os.environ.get("MURMURA_LONG") == "1"
Size = TypeVar("Size")


def size(small: Size, long: Size) -> Size:
    return long if IS_LONG else small
