"""Opens files of a run or a sweep for writing: only plain files, and never through a link.

A folder may come from anywhere. A link in place of one of its files would redirect our writes. Reading follows links,
because tools that keep large files elsewhere (git-annex, DVC) use them.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from murmura.core.errors import RunError

NO_LINK = getattr(os, "O_NOFOLLOW", 0)


def open_own(path: Path, create: bool = False) -> BinaryIO:
    """Open a new or existing file for reading and writing, unbuffered.

    Raises:
        RunError: It is a link, or not a plain file.
    """
    if path.is_symlink():
        raise _refusal(path, "a link")
    flags = os.O_RDWR | NO_LINK | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)
    flags |= getattr(os, "O_BINARY", 0) | (os.O_CREAT | os.O_EXCL if create else 0)
    try:
        handle = os.open(path, flags, 0o666)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise _refusal(path, "a link") from None
        raise
    file = os.fdopen(handle, "r+b", buffering=0)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        file.close()
        raise _refusal(path, "a device, a pipe or a folder")
    return file


def refuse_links(folder: Path, names: Iterable[str]) -> None:
    """Refuse a folder in which one of these files is a link or not a plain file."""
    for name in names:
        path = folder / name
        with suppress(FileNotFoundError):
            mode = path.lstat().st_mode
            if not stat.S_ISREG(mode):
                raise _refusal(path, "a link" if stat.S_ISLNK(mode) else "a device, a pipe or a folder")


def leftovers(there: Iterable[str], names: Iterable[str]) -> set[str]:
    """The temporary files of a folder: `.NAME.PID` beside each of these names."""
    known = "|".join(re.escape(name) for name in names)
    pattern = re.compile(rf"\.({known})\.\d+")
    return {name for name in there if pattern.fullmatch(name)}


def remove_leftovers(folder: Path, names: Iterable[str]) -> None:
    """Remove temporary files of killed writers. The caller must hold the folder's lock."""
    for name in leftovers([path.name for path in folder.iterdir()], names):
        with suppress(OSError):
            (folder / name).unlink()


def _refusal(path: Path, what: str) -> RunError:
    return RunError(
        f"{path} is {what}: only plain files are written to. If you trust the folder, replace it by the file itself"
    )
