"""A folder that Zarr writes into, and that nothing touches any more once it is closed.

Zarr writes chunks in threads. After an error in one of them the others go on, and would create a folder anew that was
already removed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Condition
from typing import Any


class _Writes:
    """Writes in progress, as a context for each."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._count, self._is_over = 0, False

    def __enter__(self) -> None:
        with self._changed:
            if self._is_over:
                raise OSError("the folder is closed")
            self._count += 1

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._count -= 1
            self._changed.notify_all()

    def end(self) -> None:
        """Refuse further writes, and wait for those in progress."""
        with self._changed:
            self._is_over = True
            self._changed.wait_for(lambda: self._count == 0)


@contextmanager
def zarr_folder(path: Path) -> Iterator[Any]:
    """The folder as a store of Zarr, until the block ends."""
    from zarr.storage import LocalStore

    writes = _Writes()

    class Folder(LocalStore):  # type: ignore[misc]
        async def set(self, key: str, value: Any) -> None:
            with writes:
                await super().set(key, value)

        async def set_if_not_exists(self, key: str, value: Any) -> None:
            with writes:
                await super().set_if_not_exists(key, value)

    try:
        yield Folder(path)
    finally:
        writes.end()
