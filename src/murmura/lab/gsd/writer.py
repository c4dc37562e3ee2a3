"""Writes GSD files, the molecular dynamics format that OVITO, freud and HOOMD read.

A file is a header, a list of names, an index and data. For every frame and name, the index has the offset, type and
shape of the data; it is sorted, ends at the first entry without an offset, and is copied to the end of the file when
it is full. (GSD specification 2.1, https://gsd.readthedocs.io/en/stable/file-layer.html.)

The `gsd` package is not used because it cannot truncate a file to a checkpoint, because the same frames must give the
same bytes, and because gsd 5.0 overwrites the start of the index if the disk is full when the index grows. Tests read
the files with that package.
"""

from __future__ import annotations

import hashlib
import os
import zlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from murmura.lab.files.safe_open import open_own
from murmura.lab.gsd.layout import CHECK, ENTRY, HEADER, MAGIC, NAME_SIZE, NUMBERS
from murmura.lab.gsd.reader import GsdReader

FIRST_ROOM = 1024


class GsdWriter:
    """Appends frames. Data is passed to the operating system at once; frames count when they are committed."""

    _header: NDArray[Any]
    _end: int

    def __init__(self, file: BinaryIO, names: Iterable[str]) -> None:
        self._file = file
        self._names = [*names]
        self._pending: list[bytes] = []
        self._digest = hashlib.sha256()
        self.frames = self._entries = 0

    @classmethod
    def create(cls, path: Path, names: Iterable[str], application: str) -> GsdWriter:
        """Create a file whose chunks may have these names."""
        writer = cls(open_own(path, create=True), [*names, CHECK])
        text = b"".join(name.encode() + b"\0" for name in writer._names) + b"\0"
        room = -(-len(text) // NAME_SIZE)
        header = np.zeros((), HEADER)
        header["magic"], header["gsd_version"], header["schema_version"] = MAGIC, 2 << 16 | 1, 1 << 16 | 4
        header["application"], header["schema"] = application.encode()[:63], b"hoomd"
        header["names_location"], header["names_room"] = HEADER.itemsize, room
        writer._header = header
        writer._end = HEADER.itemsize + room * NAME_SIZE
        writer._put(HEADER.itemsize, text.ljust(room * NAME_SIZE, b"\0"))
        writer._move_index(FIRST_ROOM)
        return writer

    @classmethod
    def reopen(
        cls, path: Path, mark: Mapping[str, Any], ready: Callable[[], None] = lambda: None
    ) -> GsdWriter:
        """Truncate a file to a mark; everything before it must be intact.

        `ready` is called once that is verified, before anything is changed.
        """
        with GsdReader(path, (mark["index_location"], mark["index_room"])) as reader:
            digest = reader.checked(mark["frames"])
            if digest.hexdigest() != mark["digest"]:
                raise reader.damage(f"its first {mark['frames']} frames are not those that were written")
            writer = cls(open_own(path), reader.names)
            writer._header = reader.header
            writer._entries, writer._end = reader.extent(mark["frames"])
        writer._digest, writer.frames = digest, mark["frames"]
        ready()
        # The order matters: after a crash, the file can be truncated again.
        writer._put(0, writer._header.tobytes())
        free = int(mark["index_room"]) - writer._entries
        writer._put(writer._place(writer._entries), bytes(free * ENTRY.itemsize))
        os.fsync(writer._file.fileno())
        writer._file.truncate(writer._end)
        return writer

    def append(self, chunks: Mapping[str, NDArray[Any]]) -> None:
        """Add a frame. Empty arrays are omitted, because the format does not support them."""
        given = [
            (k, chunks[name]) for k, name in enumerate(self._names) if name in chunks and chunks[name].size
        ]
        if self._entries + len(self._pending) + len(given) + 1 > int(self._header["index_room"]):
            self.commit()
            self._move_index(2 * int(self._header["index_room"]))
        entries, check = [], 0
        for number, array in given:
            check = zlib.crc32(array.data, check)
            entries.append(self._write(number, array))
        entries.append(self._write(len(self._names) - 1, np.array([check], "<u4")))
        self._pending += entries
        self._digest.update(b"".join(entries) + check.to_bytes(4, "little"))
        self.frames += 1

    def _write(self, number: int, array: NDArray[Any]) -> bytes:
        rows, columns = (*array.shape, 1)[:2]
        entry = (self.frames, rows, self._end, columns, number, NUMBERS[array.dtype], 0)
        self._put(self._end, array.data.cast("B"))
        self._end += array.nbytes
        return np.array(entry, ENTRY).tobytes()

    def commit(self) -> None:
        """Flush all frames so far to disk: first the data, then the index that points to them."""
        if not self._pending:
            return
        os.fsync(self._file.fileno())
        self._put(self._place(self._entries), b"".join(self._pending))
        self._entries += len(self._pending)
        self._pending = []
        os.fsync(self._file.fileno())

    def mark(self) -> dict[str, Any]:
        """The mark for `reopen`: after the last committed frame."""
        return {
            "frames": self.frames,
            "index_location": int(self._header["index_location"]),
            "index_room": int(self._header["index_room"]),
            "digest": self._digest.hexdigest(),
        }

    def close(self) -> None:
        self._file.close()

    def _move_index(self, room: int) -> None:
        """Write a larger index at the end of the file; the header points to it only when it is complete."""
        self._end = (
            -(-self._end // ENTRY.itemsize) * ENTRY.itemsize
        )  # no entry spans two pages, so none can be torn
        old = b""
        if self._entries:
            self._file.seek(self._place(0))
            old = self._file.read(self._entries * ENTRY.itemsize)
        self._put(self._end, old.ljust(room * ENTRY.itemsize, b"\0"))
        os.fsync(self._file.fileno())
        self._header["index_location"], self._header["index_room"] = self._end, room
        self._end += room * ENTRY.itemsize
        self._put(0, self._header.tobytes())
        os.fsync(self._file.fileno())

    def _place(self, entry: int) -> int:
        return int(self._header["index_location"]) + entry * ENTRY.itemsize

    def _put(self, place: int, data: bytes | memoryview) -> None:
        self._file.seek(place)
        rest = memoryview(data)
        while rest:
            rest = rest[self._file.write(rest) :]
