"""What to install when a library is missing that only some need."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from murmura.core.errors import BackendError


@contextmanager
def needs(extra: str) -> Iterator[None]:
    """Around imports that belong to one of the package's extras."""
    try:
        yield
    except ImportError as error:
        raise BackendError(f'{error.name} is not installed: pip install "murmura[{extra}]"') from None
