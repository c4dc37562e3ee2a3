"""The rows of a sweep on disk: one line of JSON for each finished run, safe against being killed at any moment.

Rows are appended in whatever order runs end, and are on the disk before they count. A line that was cut short
is cut off when the file is opened again; its run is then done again, with the same result. Only the place of
each row is kept in memory, so a million of them cost eight megabytes.
"""

from __future__ import annotations

import json
import os
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from murmura.core.errors import RunError

Row = dict[str, Any]
NOWHERE = -1
LINE = 4096  # bytes to read at once: most rows are shorter


class Rows:
    """Rows by the number of their run. The last row of a run is the one that counts."""

    def __init__(self, path: Path, run_count: int, writable: bool = False) -> None:
        self.path = path
        self._places = array("q", [NOWHERE]) * run_count
        self._failed: set[int] = set()
        try:
            if writable:
                path.touch()
            # Without a buffer, which would hold back what failed to be written and try again when closed.
            self._file = path.open("r+b" if writable else "rb", buffering=0)
        except OSError as error:
            raise RunError(f"cannot open {path}: {error}") from None
        try:
            with path.open("rb") as lines:
                self._end = self._read(lines)
            if writable:
                self._file.truncate(self._end)
        except BaseException:
            self.close()
            raise

    def _read(self, lines: BinaryIO) -> int:
        """Find every row; return where whole lines end."""
        end = 0
        for number, line in enumerate(lines, 1):
            if not line.endswith(b"\n"):
                break
            try:
                self._take(json.loads(line), end)
            except (ValueError, KeyError, TypeError, IndexError):
                raise RunError(
                    f"line {number} of {self.path} is damaged: {line[:60]!r}. Remove the line and run the sweep again: "
                    "only its run is repeated"
                ) from None
            end += len(line)
        return end

    def _take(self, row: Row, place: int) -> None:
        run = row["run"]
        if not isinstance(run, int) or not 0 <= run < len(self._places):
            raise ValueError(f"no run {run}")
        if "error" in row:
            self._failed.add(run)
        else:
            row["measures"]
            self._failed.discard(run)
        self._places[run] = place

    def append(self, rows: list[Row]) -> None:
        """Write rows and return when they are on the disk."""
        lines = [json.dumps(row).encode() + b"\n" for row in rows]
        data = b"".join(lines)
        try:
            # Past the end nothing counts yet, so a write that fails half-way has done no harm.
            self._file.seek(self._end)
            written = self._file.write(data)
            if written < len(data):
                raise OSError(f"only {written} of {len(data)} bytes fitted")
            os.fsync(self._file.fileno())
        except OSError as error:
            raise RunError(
                f"cannot write to {self.path}: {error}. What was written before is safe; make room and run the same "
                "command again"
            ) from None
        for row, line in zip(rows, lines, strict=True):
            self._take(row, self._end)
            self._end += len(line)

    def __contains__(self, run: int) -> bool:
        """Whether a run is done, and well."""
        return self._places[run] != NOWHERE and run not in self._failed

    def __len__(self) -> int:
        """How many runs are done, well or not."""
        return len(self._places) - self._places.count(NOWHERE)

    @property
    def failed(self) -> set[int]:
        return self._failed

    def get(self, run: int) -> Row | None:
        """The row of a run; none if it is not done."""
        if self._places[run] == NOWHERE:
            return None
        data = b""
        self._file.seek(self._places[run])
        while b"\n" not in data:
            data += self._file.read(LINE)
        row: Row = json.loads(data[: data.index(b"\n")])
        return row

    def __iter__(self) -> Iterator[Row]:
        """All rows in the order of their runs."""
        for run, place in enumerate(self._places):
            if place != NOWHERE:
                row = self.get(run)
                assert row is not None
                yield row

    def close(self) -> None:
        self._file.close()
