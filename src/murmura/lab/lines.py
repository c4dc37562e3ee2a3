"""JSON Lines that survive a crash: rows are added at the end, and a file can go back to where a checkpoint left it."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from murmura.core.errors import RunError

LONGEST_LINE = 2**20


class LinesWriter:
    """Appends rows to a file; each goes to the operating system at once, and to the disk when committed."""

    def __init__(self, path: Path, mode: str = "xb") -> None:
        self._file = path.open(mode, buffering=0)
        self._digest = hashlib.sha256()
        self._size = 0
        self._dirty = False

    @classmethod
    def reopen(cls, path: Path, mark: Mapping[str, Any]) -> LinesWriter:
        """Go back to a mark and forget all that came after; what came before must be whole."""
        digest = checked(path, mark)
        lines = cls(path, "r+b")
        lines._digest, lines._size = digest, mark["bytes"]
        lines._file.truncate(lines._size)
        lines._file.seek(lines._size)
        return lines

    def write(self, row: Mapping[str, Any]) -> None:
        text = json.dumps({key: _known(value) for key, value in row.items()}, allow_nan=False) + "\n"
        rest = memoryview(text.encode())
        self._digest.update(rest)
        self._size += len(rest)
        self._dirty = True
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


def _known(value: Any) -> Any:
    """JSON knows neither NaN nor infinity: what cannot be said is null."""
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def checked(path: Path, mark: Mapping[str, Any]) -> Any:
    """The digest of a file up to a mark, which must be the mark's."""
    digest, left = hashlib.sha256(), int(mark["bytes"])
    try:
        with path.open("rb") as file:
            while left > 0 and (piece := file.read(min(left, 2**20))):
                digest.update(piece)
                left -= len(piece)
    except OSError as error:
        raise RunError(f"cannot read {path}: {error}") from None
    if left or digest.hexdigest() != mark["sha256"]:
        raise RunError(
            f"{path} is damaged: its first {mark['bytes']:,} bytes are not those that were written"
        )
    return digest


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a file, one after the other. A last line without an end is still being written, or was torn."""
    try:
        with path.open("rb") as lines:
            while (line := lines.readline(LONGEST_LINE)).endswith(b"\n"):
                row = json.loads(line)
                if not isinstance(row, dict):
                    raise ValueError(f"expected a table of values in a line, got {line[:60]!r}")
                yield row
            if len(line) == LONGEST_LINE:
                raise ValueError(f"a line is longer than {LONGEST_LINE:,} bytes")
    except (OSError, ValueError, RecursionError) as error:
        raise RunError(f"{path} is damaged: {error}") from None
