"""The page in another language: a table of texts, built into the page, is all it takes."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from .conftest import WEB, MakeTab

TEXTS = {
    "Settings": "Einstellungen",
    "Play": "Abspielen",
    "More rules": "Weitere Regeln",
    "Search settings": "Einstellungen durchsuchen",
    "Agent {}": "Tier {}",
    "{} agents · {}": "{} Tiere · {}",
}


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The script of the page as `npm run build` makes it where somebody has added a table."""
    root = tmp_path_factory.mktemp("translated") / "murmura"
    web = root / "view" / "web"
    shutil.copytree(WEB, web, ignore=shutil.ignore_patterns("node_modules", "tests"))
    for shared in ("looks.json", "view/gallery.json"):
        shutil.copy(WEB.parents[1] / shared, root / shared)
    (web / "node_modules").symlink_to(WEB / "node_modules")
    table = web / "src" / "text" / "catalogs" / "de.json"
    table.parent.mkdir(exist_ok=True)
    table.write_text(json.dumps(TEXTS))
    subprocess.run(
        [web / "node_modules" / ".bin" / "vite", "build"], cwd=web, check=True, capture_output=True
    )
    [found] = (root / "view" / "static" / "assets").glob("index-*.js")
    return found


def test_texts_come_from_the_table_of_the_visitors_language(make_tab: MakeTab, script: Path) -> None:
    for locale, words in (("de-CH", TEXTS), ("en-GB", {text: text for text in TEXTS})):
        tab = make_tab(gl=False, locale=locale)
        tab.page.route("**/assets/index-*.js", lambda route: route.fulfill(path=script))
        tab.open()
        assert tab.page.evaluate("document.documentElement.lang") == locale[:2]
        for name in ("Settings", "Play", "More rules"):
            tab.until(tab.page.get_by_role("button", name=words[name]).first.is_visible)
        assert tab.page.get_by_placeholder(words["Search settings"]).is_visible()
        tab.send("select", id=4)
        tab.until(tab.page.get_by_role("heading", name=words["Agent {}"].format(4)).is_visible)
        counted = words["{} agents · {}"].partition(" · ")[0].format(60)
        brief = tab.page.locator(".brief")
        tab.until(lambda counted=counted, brief=brief: counted in str(brief.text_content()))
        # What the table lacks stays English.
        assert tab.page.get_by_role("button", name="Add a chart").is_visible()
