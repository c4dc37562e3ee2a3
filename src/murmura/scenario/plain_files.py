"""Reads untrusted files as text and JSON: plain files only, of a bounded size, without duplicate keys. Writes files
whole or not at all.

Devices, pipes and oversized files are rejected before they are read, because reading them might never end.
Duplicate keys are rejected because programs disagree about which one counts.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO


def open_plain_file(path: str | Path) -> BinaryIO:
    """Open a file for reading. Raises OSError where it cannot be read, or is a device, a pipe, a socket or a folder."""
    # Without O_NONBLOCK, opening a pipe would wait for a writer.
    flags = (
        os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    )
    try:
        handle = os.open(path, flags)
    except OSError as error:
        if error.errno in (errno.ENXIO, errno.EOPNOTSUPP):  # a socket, or a device without its driver
            raise OSError(
                errno.EINVAL, "expected a plain file, found a device or a socket", str(path)
            ) from None
        raise
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
        most = f"{largest // 2**20} MB" if largest >= 2**20 else f"{largest:,} bytes"
        raise ValueError(f"expected a file of at most {most}, found a larger one")
    return content


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file so that a crash leaves either the old one or the new one."""
    with atomic_file(path) as file:
        file.write(content)


def file_hash(path: Path) -> str:
    """The SHA-256 of a plain file of any size."""
    digest = hashlib.sha256()
    with open_plain_file(path) as file:
        while piece := file.read(2**20):
            digest.update(piece)
    return digest.hexdigest()


@contextmanager
def atomic_file(path: Path) -> Iterator[BinaryIO]:
    """Open a temporary file that is flushed to disk and renamed at the end; the folder is flushed too."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.unlink(missing_ok=True)  # left by a killed process with the same id
        # Exclusively created: a hostile folder may contain a link of that name.
        handle = os.open(
            temporary,
            os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0),
            0o666,
        )
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if os.name == "posix":  # other systems cannot open a folder
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


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
