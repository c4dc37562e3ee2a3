"""The rows of a sweep on disk: one line of JSON for each finished run, safe if the process is killed at any time.

Rows are appended in the order in which runs end, and are on disk before they count. An incomplete last line is removed
when the file is opened again, and its run is repeated with the same result. Readers report damaged lines and read the
others; resuming removes them and repeats their runs. Only the offset of each row is kept in memory: eight megabytes for
a million rows.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from murmura.core.errors import RunError
from murmura.engine.arguments import LARGEST_SEED
from murmura.lab.damage import MOST_NAMED, Damage, OnDamage, warn_of_damage
from murmura.lab.files.json_lines import LONGEST_LINE, line_of, raw_lines, row_of
from murmura.lab.files.safe_open import open_own
from murmura.lab.sweeps.statistics import check_statistics
from murmura.scenario.plain_files import atomic_file, open_plain_file

Row = dict[str, Any]
Check = Callable[[Row], None]
DAMAGED = "rows.damaged.jsonl"
"""A copy of the file, from before damaged rows were removed."""


class Rows:
    """Rows by the number of their run. The last row of a run counts.

    Args:
        path: The file.
        run_count: The number of runs; rows of other runs count as damaged.
        writable: Whether rows will be added; damaged ones are then removed.
        check: Raises ValueError for an invalid row.
        on_damage: Called with each damage.
    """

    def __init__(
        self,
        path: Path,
        run_count: int,
        writable: bool = False,
        check: Check = lambda row: None,
        on_damage: OnDamage = warn_of_damage,
    ) -> None:
        self.path, self._check, self._on_damage = path, check, on_damage
        # Offsets start at 1, so that 0 means none: pages of zeros take no memory until they are written to.
        self._places = np.zeros(run_count, np.int64)
        self._failed: set[int] = set()
        self.damaged = 0
        try:
            if writable:
                self._file = open_own(path, create=not path.exists() and not path.is_symlink())
            else:
                self._file = open_plain_file(path)
            try:
                self._end = self._read()
                if writable and self.damaged:
                    self._take_out_damaged()
                if writable:
                    self._file.truncate(self._end)
            except BaseException:
                self.close()
                raise
        except OSError as error:
            raise RunError(f"cannot open {path}: {error}") from None

    def _read(self) -> int:
        """Find every row and report every damaged line; return the end of the complete lines."""
        end = 0
        with open_plain_file(self.path) as lines:
            for number, place, line in raw_lines(lines):
                end = place + (0 if line is None else len(line))
                try:
                    self._take(self._row(line), place)
                except ValueError as error:
                    self.damaged += 1
                    if self.damaged <= MOST_NAMED:
                        self._on_damage(
                            Damage(self.path, f"{error}: its run counts as not done", line=number)
                        )
        if self.damaged > MOST_NAMED:
            self._on_damage(Damage(self.path, f"{self.damaged - MOST_NAMED:,} more lines"))
        return end

    def _row(self, line: bytes | None) -> Row:
        if line is None:
            raise ValueError(f"it is longer than {LONGEST_LINE:,} bytes")
        row = row_of(line)
        run = row.get("run")
        if isinstance(run, bool) or not isinstance(run, int) or not 0 <= run < len(self._places):
            raise ValueError(f"there is no run {run!r:.40}")
        self._check(row)
        return row

    def _take(self, row: Row, place: int) -> None:
        run = row["run"]
        if "error" in row:
            self._failed.add(run)
        else:
            self._failed.discard(run)
        self._places[run] = place + 1

    def _take_out_damaged(self) -> None:
        """Rewrite the file without the damaged rows; the old file is kept beside it."""
        kept = self.path.with_name(DAMAGED)
        with open_plain_file(self.path) as lines, atomic_file(kept) as copy:
            while piece := lines.read(2**20):
                copy.write(piece)
        with open_plain_file(kept) as lines, atomic_file(self.path) as good:
            for _, _, line in raw_lines(lines):
                try:
                    self._row(line)
                except ValueError:
                    continue
                good.write(line or b"")
        self._file.close()
        self._file = open_own(self.path)
        self._places[:] = 0
        self._failed.clear()
        self.damaged = 0
        self._end = self._read()

    def append(self, rows: list[Row]) -> None:
        """Write rows and return when they are on disk."""
        lines = [line_of(row) for row in rows]
        data = b"".join(lines)
        try:
            # Nothing past the end counts, so a write that fails halfway does no harm.
            self._file.seek(self._end)
            written = self._file.write(data)
            if written < len(data):
                raise OSError(f"only {written} of {len(data)} bytes could be written")
            os.fsync(self._file.fileno())
        except OSError as error:
            raise RunError(
                f"cannot write to {self.path}: {error}. Everything written before is safe; free some space and repeat "
                "the command"
            ) from None
        for row, line in zip(rows, lines, strict=True):
            self._take(row, self._end)
            self._end += len(line)

    def __contains__(self, run: int) -> bool:
        """Whether a run is done without an error."""
        return bool(self._places[run]) and run not in self._failed

    def __len__(self) -> int:
        """The number of finished runs, with or without an error."""
        return int(np.count_nonzero(self._places))

    @property
    def failed(self) -> set[int]:
        return self._failed

    def get(self, run: int) -> Row | None:
        """The row of a run; None if it is not finished."""
        if not self._places[run]:
            return None
        self._file.seek(int(self._places[run]) - 1)
        return row_of(self._file.readline(LONGEST_LINE))

    def __iter__(self) -> Iterator[Row]:
        """All rows in the order of their runs."""
        for run in np.flatnonzero(self._places).tolist():
            row = self.get(run)
            assert row is not None
            yield row

    def close(self) -> None:
        self._file.close()


def check_row(row: Row, paths: Collection[str], measures: Collection[str]) -> None:
    """Refuse a row that does not match the sweep."""
    values, seed = row.get("values"), row.get("seed")
    if not isinstance(values, dict) or values.keys() != set(paths):
        raise ValueError(f"expected values of {', '.join(paths)}, got {values!r:.60}")
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed <= LARGEST_SEED:
        raise ValueError(f"expected a seed, got {seed!r:.40}")
    if "error" in row:
        if not isinstance(row["error"], str):
            raise ValueError(f"expected an error as text, got {row['error']!r:.40}")
        return
    found = row.get("measures")
    if not isinstance(found, dict) or found.keys() != set(measures):
        raise ValueError(f"expected the measures {', '.join(measures)}, got {found!r:.60}")
    for name, value in found.items():
        if value is not None and (
            isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value)
        ):
            raise ValueError(f"{name} must be a number or null, got {value!r:.40}")
    check_statistics(row)
