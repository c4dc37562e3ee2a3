"""How small tables lie in memory: what the species' numbers and their wishes towards each other are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

ONE_REGISTER, TWO_REGISTERS = 16, 32  # entries of a table that lanes look things up in


def pitch_of(entries: int) -> int:
    """How far apart tables of so many entries lie."""
    if entries == 1:
        return 1
    return next((size for size in (ONE_REGISTER, TWO_REGISTERS) if entries <= size), entries)


def laid_out(tables: NDArray[np.float32]) -> NDArray[np.float32]:
    """Tables, one a row, one after the other with their pitch."""
    count, entries = tables.shape
    whole = np.zeros((count, pitch_of(entries)), np.float32)
    whole[:, :entries] = tables
    return whole.reshape(-1)
