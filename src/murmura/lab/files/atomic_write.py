"""Writes files atomically: to temporary names, which are renamed when complete. A failure leaves nothing behind."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from murmura.core.errors import RunError

TRIES, PAUSE = 50, 0.02
"""Attempts to remove a folder, and seconds between them: after an error, threads of Zarr may still be writing
into it."""


@contextmanager
def atomic_write(*paths: Path, comfort: str = "") -> Iterator[list[Path]]:
    """Yield temporary names for files or folders, and rename them to the real ones when the block ends.

    Raises:
        RunError: The disk is full, read-only or gone; `comfort` is added to the message.
    """
    temporaries = [temporary_path(path) for path in paths]
    for temporary in temporaries:
        discard(temporary)  # left by a killed process with the same id
    try:
        yield temporaries
        for temporary, path in zip(temporaries, paths, strict=True):
            temporary.replace(path)
    except Exception as error:
        if not _is_disk_error(error):
            raise
        raise RunError(f"cannot write {paths[0]}: {error}{comfort}") from None
    finally:
        for temporary in temporaries:
            discard(temporary)


def temporary_path(path: Path) -> Path:
    """The temporary name that this process uses while writing a file."""
    return path.with_name(f".{path.name}.{os.getpid()}.part")


def discard(path: Path) -> None:
    """Remove a file or folder, if it exists. Errors are ignored: a read-only disk raises them for missing files too."""
    for _ in range(TRIES):
        if not path.is_dir():
            break
        shutil.rmtree(path, ignore_errors=True)
        if path.is_dir():
            time.sleep(PAUSE)
    with suppress(OSError):
        path.unlink(missing_ok=True)


def _is_disk_error(error: Exception) -> bool:
    # polars has its own errors for a full disk, and may not be installed.
    return isinstance(error, OSError) or type(error).__module__.partition(".")[0] == "polars"
