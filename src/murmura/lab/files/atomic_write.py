"""Writes files atomically: to temporary names, which are renamed when complete. A failure leaves nothing behind."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from murmura.core.errors import RunError


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
            _put_in_place(temporary, path)
    except Exception as error:
        if not _is_disk_error(error):
            raise
        raise RunError(f"cannot write {paths[0]}: {error}{comfort}") from None
    finally:
        for temporary in temporaries:
            discard(temporary)


def _put_in_place(temporary: Path, path: Path) -> None:
    """Rename; an older folder of the name, which a rename does not replace, steps aside first."""
    older = temporary.with_suffix(".older")
    if path.is_dir() and not path.is_symlink():
        path.replace(older)
    temporary.replace(path)
    discard(older)


def temporary_path(path: Path) -> Path:
    """The temporary name that this process uses while writing a file."""
    return path.with_name(f".{path.name}.{os.getpid()}.part")


def discard(path: Path) -> None:
    """Remove a file or folder, if it exists. Errors are ignored: a read-only disk raises them for missing files too."""
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    with suppress(OSError):
        path.unlink(missing_ok=True)


def _is_disk_error(error: Exception) -> bool:
    # polars has its own errors for a full disk, and may not be installed.
    return isinstance(error, OSError) or type(error).__module__.partition(".")[0] == "polars"
