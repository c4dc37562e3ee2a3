"""The byte layout of a GSD file: its header, the entries of its index, and the types of chunks (specification 2.1)."""

from __future__ import annotations

import numpy as np

MAGIC = 0x65DF65DF65DF65DF
HEADER = np.dtype(
    [("magic", "<u8"), ("index_location", "<u8"), ("index_room", "<u8"), ("names_location", "<u8"),
     ("names_room", "<u8"), ("schema_version", "<u4"), ("gsd_version", "<u4"), ("application", "S64"),
     ("schema", "S64"), ("reserved", "V80")]
)  # fmt: skip
ENTRY = np.dtype(
    [("frame", "<u8"), ("rows", "<u8"), ("location", "<i8"), ("columns", "<u4"), ("name", "<u2"), ("type", "u1"),
     ("flags", "u1")]
)  # fmt: skip
TYPES = {
    number: np.dtype(code)
    for number, code in enumerate(
        ("u1", "<u2", "<u4", "<u8", "i1", "<i2", "<i4", "<i8", "<f4", "<f8", "u1"), start=1
    )
}
NUMBERS = {dtype: number for number, dtype in reversed(TYPES.items())}
NAME_SIZE = 64
CHECK = "log/murmura/crc32"
"""The last chunk of every frame: a checksum of all others. A frame without it is incomplete."""
