"""GSD files, the container of molecular dynamics that OVITO, freud and HOOMD read: how bytes lie in one.

A file is a header, a list of names, an index and data. The index says for every frame and name where the data is,
of which type and shape; it is sorted, ends at the first entry without a place, and is copied to the end of the file
when it is full. (GSD specification 2.1, https://gsd.readthedocs.io/en/stable/file-layer.html.)

Written here rather than by the `gsd` package because a run must be able to go back to a checkpoint, which that package
cannot, because the same frames must give the same bytes, and because gsd 5.0 writes over the start of the index
when the disk is full at the moment it wants to grow. Tests read what is written here with that package.
"""

from __future__ import annotations

import hashlib
import os
import threading
import weakref
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from murmura.core.errors import RunError

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
NAME_SIZE, FIRST_ROOM = 64, 1024
CHECK = "log/murmura/crc32"
"""The last chunk of every frame: a sum of all others. A frame without it is not whole."""


class GsdWriter:
    """Appends frames. Data goes to the operating system at once; frames count when they are committed."""

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
        """A new file whose chunks may have these names."""
        writer = cls(path.open("x+b", buffering=0), [*names, CHECK])
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
    def reopen(cls, path: Path, mark: Mapping[str, Any]) -> GsdWriter:
        """Go back to a mark and forget all that came after; what came before must be whole."""
        with GsdReader(path, (mark["index_location"], mark["index_room"])) as reader:
            digest = reader.checked(mark["frames"])
            if digest.hexdigest() != mark["digest"]:
                raise reader.damage(f"its first {mark['frames']} frames are not those that were written")
            writer = cls(path.open("r+b", buffering=0), reader.names)
            writer._header = reader.header
            writer._entries, writer._end = reader.extent(mark["frames"])
        writer._digest, writer.frames = digest, mark["frames"]
        # In this order a crash leaves a file that can be brought back again.
        writer._put(0, writer._header.tobytes())
        free = int(mark["index_room"]) - writer._entries
        writer._put(writer._place(writer._entries), bytes(free * ENTRY.itemsize))
        os.fsync(writer._file.fileno())
        writer._file.truncate(writer._end)
        return writer

    def append(self, chunks: Mapping[str, NDArray[Any]]) -> None:
        """Add a frame. Empty arrays are left out, since the format has none."""
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
        """Make all frames so far last: first their data, then the index that leads to them."""
        if not self._pending:
            return
        os.fsync(self._file.fileno())
        self._put(self._place(self._entries), b"".join(self._pending))
        self._entries += len(self._pending)
        self._pending = []
        os.fsync(self._file.fileno())

    def mark(self) -> dict[str, Any]:
        """Where `reopen` can go back to: after the last frame that was committed."""
        return {
            "frames": self.frames,
            "index_location": int(self._header["index_location"]),
            "index_room": int(self._header["index_room"]),
            "digest": self._digest.hexdigest(),
        }

    def close(self) -> None:
        self._file.close()

    def _move_index(self, room: int) -> None:
        """A larger index at the end of the file; the header names it only when it is whole."""
        self._end = (
            -(-self._end // ENTRY.itemsize) * ENTRY.itemsize
        )  # no entry lies across two pages: none is torn
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


class GsdReader:
    """The chunks of a file, checked before they are believed; sizes are compared before anything is allocated."""

    def __init__(self, path: Path, index: tuple[int, int] | None = None) -> None:
        self.path = path
        self._lock = threading.Lock()
        try:
            self._file = path.open("rb")
        except OSError as error:
            raise RunError(f"cannot read {path}: {error}") from None
        weakref.finalize(
            self, self._file.close
        )  # frames are handed about; nobody knows who is the last to look
        try:
            self._size = os.fstat(self._file.fileno()).st_size
            self._read_tables(index)
        except BaseException:
            self.close()
            raise

    def _read_tables(self, index: tuple[int, int] | None) -> None:
        self.header = np.frombuffer(self._bytes(0, HEADER.itemsize), HEADER)[0].copy()
        if self.header["magic"] != MAGIC or self.header["gsd_version"] >> 16 != 2:
            raise self.damage("it is not a GSD file of version 2")
        if index is not None:
            self.header["index_location"], self.header["index_room"] = index
        names = self._bytes(int(self.header["names_location"]), int(self.header["names_room"]) * NAME_SIZE)
        self.names = [text.decode("utf-8", "replace") for text in names.split(b"\0\0")[0].split(b"\0")]
        if self.names[-1] != CHECK:
            raise self.damage("its frames carry no sums: it was not written by murmura")
        room = int(self.header["index_room"]) * ENTRY.itemsize
        entries = np.frombuffer(self._bytes(int(self.header["index_location"]), room), ENTRY)
        unused = np.flatnonzero(entries["location"] == 0)
        self._entries = entries[: unused[0]] if unused.size else entries
        known = (self._entries["name"] < len(self.names)) & np.isin(self._entries["type"], [*TYPES])
        whole = np.flatnonzero(self._entries["name"] == len(self.names) - 1)
        starts = np.concatenate([[0], whole + 1])
        frames = np.repeat(np.arange(len(whole)), np.diff(starts))
        used = self._entries[: starts[-1]]
        if not known[: len(used)].all() or (used["frame"] != frames).any() or (used["flags"] != 0).any():
            raise self.damage("its index makes no sense")
        self._starts = starts

    def __len__(self) -> int:
        return len(self._starts) - 1

    def has(self, frame: int, name: str) -> bool:
        return self._entry(frame, name) is not None

    def type_of(self, name: str) -> np.dtype[Any] | None:
        """The type of a chunk, as the first that there is says it."""
        found = self._entries["type"][self._entries["name"] == self.names.index(name)]
        return TYPES[int(found[0])] if len(found) else None

    def read(self, frame: int, name: str) -> NDArray[Any] | None:
        """A chunk of a frame, shape (n,) or (n, m), or none."""
        entry = self._entry(frame, name)
        return None if entry is None else self._array(entry)

    def check(self, frame: int) -> bytes:
        """Compare a frame with its sum; return that sum."""
        *entries, last = self._entries[self._starts[frame] : self._starts[frame + 1]]
        found = 0
        for entry in entries:
            found = zlib.crc32(self._array(entry).data, found)
        if self._array(last).tolist() != [found]:
            raise self.damage(f"frame {frame} does not match its sum")
        return found.to_bytes(4, "little")

    def checked(self, frames: int) -> Any:
        """The digest of the first frames, each compared with its sum."""
        if not 0 <= frames <= len(self):
            raise self.damage(f"it has {len(self)} frames, expected {frames} at least")
        digest = hashlib.sha256()
        for frame in range(frames):
            digest.update(
                self._entries[self._starts[frame] : self._starts[frame + 1]].tobytes() + self.check(frame)
            )
        return digest

    def extent(self, frames: int) -> tuple[int, int]:
        """How many entries the first frames have, and where the file ended when they were all."""
        entries = int(self._starts[frames])
        end = int(self.header["index_location"]) + int(self.header["index_room"]) * ENTRY.itemsize
        if entries:
            last = self._entries[entries - 1]
            end = max(end, int(last["location"]) + TYPES[int(last["type"])].itemsize)
        return entries, end

    def _entry(self, frame: int, name: str) -> Any:
        entries = self._entries[self._starts[frame] : self._starts[frame + 1]]
        found = entries[entries["name"] == self.names.index(name)] if name in self.names else entries[:0]
        return found[0] if len(found) else None

    def _array(self, entry: Any) -> NDArray[Any]:
        dtype, shape = TYPES[int(entry["type"])], (int(entry["rows"]), int(entry["columns"]))
        content = self._bytes(int(entry["location"]), shape[0] * shape[1] * dtype.itemsize)
        array = np.frombuffer(content, dtype)
        return array.reshape(shape) if shape[1] > 1 else array

    def _bytes(self, place: int, count: int) -> bytes:
        if place < 0 or place + count > self._size:
            raise self.damage("parts of it lie beyond its end")
        with self._lock:
            self._file.seek(place)
            content = self._file.read(count)
        if len(content) != count:
            raise self.damage("it ends too early")
        return content

    def damage(self, what: str) -> RunError:
        return RunError(f"{self.path} is damaged: {what}")

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> GsdReader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
