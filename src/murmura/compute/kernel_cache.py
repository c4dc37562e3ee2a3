"""A cache of compiled kernels on disk, keyed by a hash of everything they depend on. Damaged entries are ignored."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path

import murmura
from murmura.compute.machine import cache_folder
from murmura.compute.plan import Plan

TRACED_ROOMS = ("core", "rules", "compute")
"""Packages whose code emits kernels or is traced into them."""


@cache
def source_hash() -> str:
    """The hash of all source files of murmura that a kernel depends on."""
    digest = hashlib.sha256(murmura.__version__.encode())
    root = Path(murmura.__file__).parent
    for room in TRACED_ROOMS:
        for path in sorted((root / room).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()


def key_of(plan: Plan, *machine: str) -> str:
    """The key of a plan's kernel on a machine. Only for plans without foreign code (`foreign_code`)."""
    return key_of_parts(repr(plan.signature), *machine)


def key_of_parts(*parts: str) -> str:
    """The key of code that depends on these texts and on murmura's own code."""
    return key_of_text(source_hash(), *parts)


def key_of_text(*parts: str) -> str:
    """The key of code that depends on nothing but these texts."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def _path(key: str) -> Path:
    return cache_folder() / "kernels" / f"{key}.kernel"


def count() -> int:
    """How many kernels are cached."""
    return len(list(_path("").parent.glob(_path("*").name)))


def load(key: str, announce: Callable[[str], None] | None) -> bytes | None:
    """The kernel with this key; None if it is missing or damaged."""
    try:
        found = _path(key).read_bytes()
    except OSError:
        return None
    checksum, code = found[:32], found[32:]
    if code and hashlib.sha256(code).digest() == checksum:
        return code
    if announce is not None:
        announce(f"the kept kernel {_path(key).name} is damaged and will be compiled again")
    return None


def keep(key: str, code: bytes, announce: Callable[[str], None] | None) -> bool:
    """Write a kernel to a temporary file and rename it; return whether that worked. Failure is not an error."""
    path = _path(key)
    temporary = path.with_suffix(f".{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(hashlib.sha256(code).digest() + code)
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True) if path.parent.is_dir() and os.access(
            path.parent, os.W_OK
        ) else None
        if announce is not None:
            announce(
                f"compiled kernels cannot be kept in {path.parent} ({error.strerror}): they are compiled in every "
                "process. Name another folder in MURMURA_CACHE_DIR"
            )
        return False
    return True
