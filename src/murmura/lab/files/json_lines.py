"""JSON Lines that survive a crash: rows are appended, and a file can be truncated to where a checkpoint left it.

Every line ends with a checksum of the bytes before it, the key `crc32`. Damaged lines are reported, and the others are
read.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from murmura.core.errors import RunError
from murmura.lab.damage import MOST_NAMED, Damage, OnDamage, warn_of_damage
from murmura.lab.files.safe_open import open_own
from murmura.scenario.plain_files import open_plain_file

LONGEST_LINE = 2**20
SUM = re.compile(rb', "crc32": "([0-9a-f]{8})"\}\n\Z')
SUM_SIZE = 23
Row = dict[str, Any]
Found = TypeVar("Found")


class LinesWriter:
    """Appends rows to a file: each is passed to the operating system at once, and flushed to disk by `commit`."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._digest = hashlib.sha256()
        self._size = 0
        self._dirty = False
        self.rows = 0

    @classmethod
    def create(cls, path: Path) -> LinesWriter:
        """A new file."""
        return cls(open_own(path, create=True))

    @classmethod
    def reopen(cls, path: Path, mark: Mapping[str, Any]) -> LinesWriter:
        """Truncate a file to a mark; everything before it must be intact."""
        digest, rows = checked(path, mark)
        lines = cls(open_own(path))
        lines._digest, lines._size, lines.rows = digest, mark["bytes"], rows
        lines._file.truncate(lines._size)
        lines._file.seek(lines._size)
        return lines

    def write(self, row: Mapping[str, Any]) -> None:
        rest = memoryview(line_of({key: _known(value) for key, value in row.items()}))
        self._digest.update(rest)
        self._size += len(rest)
        self._dirty = True
        self.rows += 1
        while rest:
            rest = rest[self._file.write(rest) :]

    def commit(self) -> None:
        if self._dirty:
            os.fsync(self._file.fileno())
            self._dirty = False

    def mark(self) -> dict[str, Any]:
        return {"bytes": self._size, "sha256": self._digest.hexdigest()}

    def close(self) -> None:
        self._file.close()


def line_of(row: Mapping[str, Any]) -> bytes:
    """A row as a line with its checksum."""
    text = json.dumps(row, allow_nan=False).encode()
    return text[:-1] + b', "crc32": "%08x"}\n' % zlib.crc32(text[:-1])


def text_of(line: bytes) -> bytes:
    """A line without its checksum; raises ValueError if it does not match."""
    found = SUM.search(line, max(0, len(line) - SUM_SIZE))
    if found is None:
        raise ValueError("it does not end in a checksum")
    if zlib.crc32(line[:-SUM_SIZE]) != int(found[1], 16):
        raise ValueError("it does not match its checksum")
    return line[:-SUM_SIZE] + b"}\n"


def row_of(line: bytes) -> Row:
    """The row in a line; raises ValueError if the checksum does not match."""
    line = text_of(line)
    try:
        row = json.loads(line)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8") from None
    if not isinstance(row, dict):
        raise ValueError(f"expected a JSON object, got {line[:60]!r}")
    return row


def _known(value: Any) -> Any:
    """Replace NaN and infinity, which JSON does not have, by null."""
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def checked(path: Path, mark: Mapping[str, Any]) -> tuple[Any, int]:
    """The digest of a file up to a mark, which must match that of the mark, and the number of lines."""
    digest, left, lines = hashlib.sha256(), int(mark["bytes"]), 0
    try:
        with open_plain_file(path) as file:
            while left > 0 and (piece := file.read(min(left, 2**20))):
                digest.update(piece)
                lines += piece.count(b"\n")
                left -= len(piece)
    except OSError as error:
        raise RunError(f"cannot read {path}: {error}") from None
    if left or digest.hexdigest() != mark["sha256"]:
        raise RunError(
            f"{path} is damaged: its first {mark['bytes']:,} bytes are not those that were written"
        )
    return digest, lines


def raw_lines(lines: BinaryIO) -> Iterator[tuple[int, int, bytes | None]]:
    """Number, offset and bytes of each complete line; None in place of the bytes of a line too long to read.

    A last line without a newline is still being written, or was torn, and is left out.
    """
    number = place = 0
    while line := lines.readline(LONGEST_LINE):
        size, too_long = len(line), len(line) == LONGEST_LINE and not line.endswith(b"\n")
        while not line.endswith(b"\n") and (line := lines.readline(LONGEST_LINE)):
            size += len(line)
        number += 1
        if line.endswith(b"\n") or too_long:
            yield number, place, None if too_long else line
        place += size


def read_rows(
    path: Path,
    count: int | None = None,
    check: Callable[[Row], None] | None = None,
    on_damage: OnDamage = warn_of_damage,
) -> Iterator[Row]:
    """Iterate over the rows of a file; damaged lines are reported and skipped.

    Args:
        path: The file.
        count: The expected number of lines, if it is known.
        check: Raises ValueError for an invalid row.
        on_damage: Called with each damage.
    """
    return _read(path, lambda line: _checked_row(line, check), count, on_damage)


def read_text(path: Path, count: int | None = None, on_damage: OnDamage = warn_of_damage) -> bytes:
    """The lines of a file without their checksums, for other programs; damaged ones are reported and skipped."""
    return b"".join(_read(path, text_of, count, on_damage))


def _read(
    path: Path, take: Callable[[bytes], Found], count: int | None, on_damage: OnDamage
) -> Iterator[Found]:
    """Apply `take` to each line; if it raises ValueError, report the line."""
    found = damaged = 0
    try:
        with open_plain_file(path) as lines:
            for number, _, line in raw_lines(lines):
                found += 1
                try:
                    if line is None:
                        raise ValueError(f"it is longer than {LONGEST_LINE:,} bytes")
                    taken = take(line)
                except ValueError as error:
                    damaged += 1
                    if damaged <= MOST_NAMED:
                        on_damage(Damage(path, str(error), line=number))
                    continue
                yield taken
    except OSError as error:
        raise RunError(f"cannot read {path}: {error}") from None
    if damaged > MOST_NAMED:
        on_damage(Damage(path, f"{damaged - MOST_NAMED:,} more lines"))
    if count is not None and found != count:
        on_damage(Damage(path, f"it has {found:,} complete lines, expected {count:,}"))


def _checked_row(line: bytes, check: Callable[[Row], None] | None) -> Row:
    row = row_of(line)
    if check is not None:
        try:
            check(row)
        except (LookupError, TypeError, ArithmeticError) as error:
            raise ValueError(f"{type(error).__name__}: {error}") from None
    return row
