"""Folders of tasks that take hours (sweeps, fits): created, locked for one process, stamped with software versions."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from murmura import __version__
from murmura.core.errors import RunError, ScenarioError
from murmura.lab.files.safe_open import refuse_links


@contextmanager
def locked_folder(
    folder: Path, task: str, lock: str, own_files: Sequence[str], is_usable: Callable[[Path], bool]
) -> Iterator[None]:
    """Create a folder if necessary and lock it for this process.

    Args:
        folder: The folder.
        task: The kind of task, for messages: "sweep".
        lock: Name of the lock file.
        own_files: Names of files that the task writes; links with these names are refused.
        is_usable: Whether an existing folder contains such a task or is empty.
    """
    from filelock import FileLock, Timeout

    try:
        if folder.exists() and not is_usable(folder):
            raise ScenarioError(f"{folder} is not empty and does not contain a {task}: choose another folder")
        folder.mkdir(parents=True, exist_ok=True)
        refuse_links(folder, own_files)
        held = FileLock(folder / lock)
        held.acquire(timeout=0)
    except Timeout:
        raise ScenarioError(
            f"another process is working on the {task} in {folder}; wait for it or stop it"
        ) from None
    except OSError as error:
        raise ScenarioError(f"cannot write to {folder}: {error}") from None
    try:
        refuse_links(folder, own_files)
        yield
    except OSError as error:
        raise RunError(f"cannot write the {task} to {folder}: {error}") from None
    finally:
        held.release()


def software_versions(*packages: str) -> dict[str, str]:
    """Versions of murmura, Python and some packages, the platform, and the current time."""
    return {
        "murmura": __version__,
        "python": platform.python_version(),
        **{package: version(package) for package in packages},
        "platform": platform.platform(),
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
    }
