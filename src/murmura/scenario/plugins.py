"""Plugins: installed packages with rules, measures, kinds of hunters and scenarios of somebody else.

A package names a module under the entry point `murmura.plugins`. Importing that module registers what it has; the
scenario files beside it, in `scenarios/`, are found by name. All plugins are loaded before the first scenario is
read, so that worker processes know what their parent knows.
"""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from murmura.core.notices import print_notice

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint
    from importlib.resources.abc import Traversable

GROUP = "murmura.plugins"


@dataclass(frozen=True)
class Plugin:
    """An installed plugin; `error` says why it could not be loaded."""

    name: str
    package: str
    version: str
    module: str
    error: str | None = None

    def files(self) -> Iterator[Traversable]:
        """Its scenario files."""
        if self.error is not None:
            return
        folder = resources.files(self.module) / "scenarios"
        if folder.is_dir():
            yield from (entry for entry in folder.iterdir() if entry.name.endswith(".toml"))

    def digest(self) -> str:
        """The SHA-256 of its Python files and scenarios, for the record of a run."""
        found = hashlib.sha256()
        for name, content in sorted(_contents(resources.files(self.module))):
            found.update(f"{name}\0{len(content)}\0".encode() + content)
        return found.hexdigest()


def plugins() -> tuple[Plugin, ...]:
    """All installed plugins, loaded. One that cannot be loaded is named in a notice, and nothing of it is known."""
    if not _begun:
        _begun.append(True)  # a plugin that reads a scenario while it is loaded must not load itself again
        _found.extend(map(_load, _entry_points()))
    return tuple(_found)


def plugin_record() -> dict[str, str]:
    """Version and SHA-256 of each loaded plugin, for manifests."""
    return dict(_record(plugin) for plugin in plugins() if plugin.error is None)


@cache
def _record(plugin: Plugin) -> tuple[str, str]:
    return plugin.name, f"{plugin.package} {plugin.version} sha256:{plugin.digest()}"


_begun: list[bool] = []
_found: list[Plugin] = []


def _entry_points() -> list[EntryPoint]:
    from importlib.metadata import entry_points

    return sorted(entry_points(group=GROUP), key=lambda entry: entry.name)


def _load(entry: EntryPoint) -> Plugin:
    about = entry.dist
    package, version = (about.name, about.version) if about else (entry.module, "")
    error = None
    try:
        importlib.import_module(entry.module)
    except Exception as problem:
        error = f"{type(problem).__name__}: {problem}"
        print_notice(f"the plugin {entry.name!r} ({package} {version}) could not be loaded: {error}")
    return Plugin(entry.name, package, version, entry.module, error)


def _contents(folder: Traversable, prefix: str = "") -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _contents(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith((".py", ".toml")):
            yield prefix + entry.name, entry.read_bytes()
