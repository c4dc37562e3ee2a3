"""Says how to install an extra, for example when an optional library is missing."""

from __future__ import annotations

import importlib.metadata
import json
import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from murmura.core.errors import BackendError

SOURCES = Path(__file__).parents[3]
"""The source tree, where Murmura runs from one."""


def install_command(extra: str) -> str:
    """The command that installs an extra, from where this Murmura came: its source tree, an address or an index."""
    words = ["pip", "install"]
    origin, is_editable = _origin()
    words += ["-e"] if is_editable else []
    return " ".join([*words, _quoted(_requirement(origin, extra))])


def _origin() -> tuple[str, bool]:
    """The folder or address that Murmura was installed from, and whether it runs there; empty for an index."""
    if (SOURCES / "pyproject.toml").exists():
        return str(SOURCES), True
    try:
        record = importlib.metadata.distribution("murmura").read_text("direct_url.json")
    except importlib.metadata.PackageNotFoundError:
        record = None
    url = json.loads(record)["url"] if record else ""  # PEP 610
    return (url2pathname(urlsplit(url).path) if url.startswith("file:") else url), False


def _requirement(origin: str, extra: str) -> str:
    if not origin:
        return f"murmura[{extra}]"
    if "://" in origin:
        return f"murmura[{extra}] @ {origin}"
    is_here = Path(origin).is_dir() and Path(origin).resolve() == Path.cwd()
    return f"{'.' if is_here else origin}[{extra}]"


def _quoted(word: str) -> str:
    """A word of a command line: brackets mean something to most shells."""
    return shlex.quote(word) if os.name == "posix" else f'"{word}"'


@contextmanager
def needs(extra: str) -> Iterator[None]:
    """Wrap imports that need one of the package's extras."""
    try:
        yield
    except ImportError as error:
        raise BackendError(f"{error.name} is not installed: {install_command(extra)}") from None
