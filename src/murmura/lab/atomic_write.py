"""What bears a name is whole: files are written aside and renamed, and what fails leaves nothing behind."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from murmura.core.errors import RunError

TRIES, PAUSE = 50, 0.02
"""How often a folder is removed until it is gone, and seconds in between: after an error, threads of Zarr may still be
writing into it."""


@contextmanager
def atomic_write(*paths: Path, comfort: str = "") -> Iterator[list[Path]]:
    """Names to write files or folders under, which become the real ones when all of them are whole.

    Raises:
        RunError: The disk is full, read-only or gone; `comfort` says what that means for the rest.
    """
    temporaries = [temporary_path(path) for path in paths]
    for temporary in temporaries:
        discard(temporary)  # of a process that was killed and bore the same number
    try:
        yield temporaries
        for temporary, path in zip(temporaries, paths, strict=True):
            temporary.replace(path)
    except Exception as error:
        if not _is_of_the_disk(error):
            raise
        raise RunError(f"cannot write {paths[0]}: {error}{comfort}") from None
    finally:
        for temporary in temporaries:
            discard(temporary)


def temporary_path(path: Path) -> Path:
    """Where this process writes a file until it is whole."""
    return path.with_name(f".{path.name}.{os.getpid()}.part")


def discard(path: Path) -> None:
    """Remove a file or folder where it is there; a read-only disk forbids that even of what is not."""
    for _ in range(TRIES):
        if not path.is_dir():
            break
        shutil.rmtree(path, ignore_errors=True)
        if path.is_dir():
            time.sleep(PAUSE)
    with suppress(OSError):
        path.unlink(missing_ok=True)


def _is_of_the_disk(error: Exception) -> bool:
    # polars tells of a full disk in errors of its own, and may not be installed.
    return isinstance(error, OSError) or type(error).__module__.partition(".")[0] == "polars"
