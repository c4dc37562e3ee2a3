"""Where generated kernels live: modules named by the hash of everything that matters, in a folder of the user's."""

from __future__ import annotations

import os
from pathlib import Path

from murmura.core.errors import BackendError


def cache_folder() -> Path:
    """Where compiled kernels are kept between processes."""
    chosen = os.environ.get("MURMURA_CACHE_DIR")
    if chosen:
        return Path(chosen)
    from platformdirs import user_cache_path

    return user_cache_path("murmura", appauthor=False)


def module_file(folder: Path, name: str, text: str) -> Path:
    """The file of a generated module, written aside and renamed if it is new."""
    path = folder / f"{name}.py"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            aside = path.with_suffix(f".{os.getpid()}")
            aside.write_text(text, encoding="utf-8")
            aside.replace(path)
    except OSError as error:
        raise BackendError(
            f"cannot keep compiled kernels in {folder}: {error}. Name a folder that can be written to in the "
            "environment variable MURMURA_CACHE_DIR"
        ) from None
    return path


def available_cores() -> int:
    """Cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
