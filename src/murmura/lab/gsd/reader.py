"""Reads and validates the chunks of a GSD file; sizes are checked before anything is allocated.

Damage to one frame, in its data or its entries of the index, affects that frame only: the others can be read.
"""

from __future__ import annotations

import hashlib
import os
import threading
import weakref
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.core.errors import RunError
from murmura.lab.damage import Damage, DamageError
from murmura.lab.gsd.layout import CHECK, ENTRY, HEADER, MAGIC, NAME_SIZE, TYPES
from murmura.scenario.models import MOST_AGENTS
from murmura.scenario.plain_files import open_plain_file

PIECE = 2**16
"""Entries of the index that are read at a time."""
MOST_NAMES = 2**12
"""Greatest room for names of chunks, in pieces of `NAME_SIZE` bytes; a run has about twenty names."""
LARGEST_CHUNK = 4 * 8 * MOST_AGENTS
"""[bytes] Four numbers for each agent: no chunk of a frame is larger."""


class GsdReader:
    """Frames of a file by number, and their chunks by name."""

    def __init__(self, path: Path, index: tuple[int, int] | None = None) -> None:
        self.path = path
        self._lock = threading.Lock()
        try:
            self._file = open_plain_file(path)
        except OSError as error:
            raise RunError(f"cannot read {path}: {error}") from None
        weakref.finalize(
            self, self._file.close
        )  # frames are passed around, so the file stays open as long as it is referenced
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
        if self.header["names_room"] > MOST_NAMES:
            raise self.damage(f"its list of names claims {self.header['names_room']:,} x {NAME_SIZE} bytes")
        names = self._bytes(int(self.header["names_location"]), int(self.header["names_room"]) * NAME_SIZE)
        self.names = [text.decode("utf-8", "replace") for text in names.split(b"\0\0")[0].split(b"\0")]
        if self.names[-1] != CHECK:
            raise self.damage("its frames have no checksums: it was not written by murmura")
        self._places, self._entries = self._index(
            int(self.header["index_location"]), int(self.header["index_room"])
        )
        frames = _frames(self._entries["frame"])
        is_sum = self._entries["name"] == len(self.names) - 1
        # After the last checksum there is at most one incomplete frame.
        count = int(frames[is_sum].max(initial=-1)) + 1
        self._starts = np.searchsorted(frames, np.arange(count + 1))
        known = (self._entries["name"] < len(self.names)) & np.isin(self._entries["type"], [*TYPES])
        sane = known & (self._entries["frame"] == frames) & (self._entries["flags"] == 0)
        gone = np.diff(self._starts) == 0
        last = np.zeros(len(sane), bool)
        last[self._starts[1:][~gone] - 1] = True
        senseless = frames[~sane | (is_sum != last)]
        self._senseless = {*senseless[senseless < count].tolist(), *np.flatnonzero(gone).tolist()}

    def _index(self, place: int, room: int) -> tuple[NDArray[np.int64], NDArray[Any]]:
        """The places of all entries, and the entries, read in pieces: a file with a hole may claim room without end.

        An index ends at its first entry without an offset. If others follow, that one was damaged: they are read.
        """
        self._within(place, room * ENTRY.itemsize)
        places, entries = [np.empty(0, np.int64)], [np.empty(0, ENTRY)]
        found = 0
        for begin in range(0, room, PIECE):
            # An index is doubled when it is full, so half of its room is used.
            if begin > 4 * found + 2 * PIECE:
                raise self.damage(f"its index claims room for {room:,} chunks, and has {found:,}")
            count = min(PIECE, room - begin)
            piece = np.frombuffer(self._bytes(place + begin * ENTRY.itemsize, count * ENTRY.itemsize), ENTRY)
            here = np.flatnonzero(piece["location"] != 0)
            places.append(here + begin)
            entries.append(piece[here])
            found += len(here)
        return np.concatenate(places), np.concatenate(entries)

    def __len__(self) -> int:
        return len(self._starts) - 1

    def has(self, frame: int, name: str) -> bool:
        return self._entry(frame, name) is not None

    def type_of(self, name: str) -> np.dtype[Any] | None:
        """The type of a chunk, from its first occurrence."""
        found = self._entries["type"][self._entries["name"] == self.names.index(name)]
        return next((TYPES[int(number)] for number in found if int(number) in TYPES), None)

    def read(self, frame: int, name: str) -> NDArray[Any] | None:
        """A chunk of a frame, shape (n,) or (n, m), or None."""
        entry = self._entry(frame, name)
        return None if entry is None else self._array(entry, frame)

    def check(self, frame: int) -> bytes:
        """Compare a frame with its checksum; return the checksum."""
        *entries, last = self._of(frame)
        found = 0
        for entry in entries:
            found = zlib.crc32(self._array(entry, frame).data, found)
        if self._array(last, frame).tolist() != [found]:
            raise self.damage("it does not match its checksum", frame)
        return found.to_bytes(4, "little")

    def checked(self, frames: int) -> Any:
        """The digest of the first frames, each compared with its checksum."""
        if not 0 <= frames <= len(self):
            raise self.damage(f"it has {len(self)} frames, expected at least {frames}")
        digest = hashlib.sha256()
        for frame in range(frames):
            digest.update(self._of(frame).tobytes() + self.check(frame))
        if (self._places[: self._starts[frames]] != np.arange(self._starts[frames])).any():
            raise self.damage("its index has a gap")
        return digest

    def extent(self, frames: int) -> tuple[int, int]:
        """The number of entries of the first frames, and the file's length after them."""
        entries = int(self._starts[frames])
        end = int(self.header["index_location"]) + int(self.header["index_room"]) * ENTRY.itemsize
        if entries:
            last = self._entries[entries - 1]
            end = max(end, int(last["location"]) + TYPES[int(last["type"])].itemsize)
        return entries, end

    def _of(self, frame: int) -> NDArray[Any]:
        """The entries of a frame, its checksum last."""
        if frame in self._senseless:
            raise self.damage("its entries in the index are invalid", frame)
        return self._entries[self._starts[frame] : self._starts[frame + 1]]

    def _entry(self, frame: int, name: str) -> Any:
        entries = self._of(frame)
        found = entries[entries["name"] == self.names.index(name)] if name in self.names else entries[:0]
        return found[0] if len(found) else None

    def _array(self, entry: Any, frame: int) -> NDArray[Any]:
        dtype, shape = TYPES[int(entry["type"])], (int(entry["rows"]), int(entry["columns"]))
        size = shape[0] * shape[1] * dtype.itemsize
        if size > LARGEST_CHUNK:
            raise self.damage(
                f"a chunk of it claims {size:,} bytes, expected at most {LARGEST_CHUNK:,}", frame
            )
        content = self._bytes(int(entry["location"]), size, frame)
        array = np.frombuffer(content, dtype)
        return array.reshape(shape) if shape[1] > 1 else array

    def _bytes(self, place: int, count: int, frame: int | None = None) -> bytes:
        self._within(place, count, frame)
        with self._lock:
            self._file.seek(place)
            content = self._file.read(count)
        if len(content) != count:
            raise self.damage("the file ends too early", frame)
        return content

    def _within(self, place: int, count: int, frame: int | None = None) -> None:
        if place < 0 or place + count > self._size:
            raise self.damage("parts of it are beyond the end of the file", frame)

    def damage(self, what: str, frame: int | None = None) -> DamageError:
        return DamageError(Damage(self.path, what, frame=frame))

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> GsdReader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _frames(said: NDArray[np.uint64]) -> NDArray[np.int64]:
    """The frame of each entry: its own number, as far as that fits between its neighbours.

    Numbers begin at 0 and increase by one. An entry with another number that the next entry does not confirm counts as
    part of the frame before it, which then does not match its checksum; later frames are not affected.
    """
    found = np.minimum(said, len(said)).astype(np.int64)
    steps = np.diff(found, prepend=0)
    if ((steps == 0) | (steps == 1)).all():
        return found
    now, numbers = 0, found.tolist()
    for row, number in enumerate(numbers):
        borne_out = row + 1 < len(numbers) and numbers[row + 1] - number in (0, 1)
        if number in (now, now + 1) or (number > now and borne_out):
            now = number
        found[row] = now
    return found
