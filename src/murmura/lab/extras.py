"""Says which extra to install when an optional library is missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from murmura.core.errors import BackendError


@contextmanager
def needs(extra: str) -> Iterator[None]:
    """Wrap imports that need one of the package's extras."""
    try:
        yield
    except ImportError as error:
        raise BackendError(f'{error.name} is not installed: pip install "murmura[{extra}]"') from None
