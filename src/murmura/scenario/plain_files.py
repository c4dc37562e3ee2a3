"""Reads untrusted files as text and JSON: plain files only, of a bounded size, without duplicate keys.

Devices, pipes and oversized files are rejected before they are read, because reading them might never end.
Duplicate keys are rejected because programs disagree about which one counts.
"""

from __future__ import annotations

import errno
import json
import os
import stat
from pathlib import Path
from typing import Any, BinaryIO


def open_plain_file(path: str | Path) -> BinaryIO:
    """Open a file for reading. Raises OSError where it cannot be read, or is a device, a pipe or a folder."""
    # Without O_NONBLOCK, opening a pipe would wait for a writer.
    flags = (
        os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    )
    handle = os.open(path, flags)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "expected a plain file, found a device, a pipe or a folder", str(path))
    return os.fdopen(handle, "rb")


def read_plain_file(path: str | Path, largest: int) -> bytes:
    """The content of a plain file. Raises OSError, or ValueError where it is larger than `largest` bytes."""
    with open_plain_file(path) as file:
        is_small = os.fstat(file.fileno()).st_size <= largest
        content = file.read(largest + 1) if is_small else b""
    if not is_small or len(content) > largest:
        raise ValueError(f"expected a file of at most {largest // 2**20} MB, found a larger one")
    return content


def parse_json(text: str | bytes) -> Any:
    """Parse JSON. Raises ValueError if it is invalid, nested too deeply, or has a duplicate key."""
    try:
        return json.loads(text, object_pairs_hook=_table)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _table(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r:.80} appears twice in one table")
    return table
