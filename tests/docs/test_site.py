"""The site contains all pages, every scenario and every public name, and its links work."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

import murmura as mm
from murmura import measure, rl, rules
from murmura.rules import predators
from tests.cli.terminal import environment

from .pages import ROOT

PICTURES = ROOT / "docs" / "images"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "pages"
    words = [sys.executable, ROOT / "scripts" / "build_site.py", folder]
    subprocess.run(words, env=environment(), check=True)
    return folder


def test_every_page_is_in_the_menu(pages: Path):
    menu = set(re.findall(r": ([\w/.-]+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.M))
    assert menu == {str(path.relative_to(pages)) for path in pages.rglob("*.md")}


def test_links_between_pages_work(pages: Path):
    for page in pages.rglob("*.md"):
        for target in re.findall(r"\]\((?!https?:|#)([^)#\s]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), (page.name, target)


def test_the_gallery_shows_every_scenario(pages: Path):
    gallery = (pages / "gallery.md").read_text(encoding="utf-8")
    for name in mm.scenario_names():
        assert f"images/gallery/{name}.webp" in gallery and (PICTURES / "gallery" / f"{name}.webp").exists()


PUBLIC = {"murmura": (mm,), "rl": (rl,), "rules": (rules, predators), "measure": (measure,)}


@pytest.mark.parametrize("page", PUBLIC)
def test_the_reference_has_every_public_name_once(page: str, pages: Path):
    text = (pages / "reference" / f"{page}.md").read_text(encoding="utf-8")
    paths = re.findall(r"^::: ([\w.]+)$", text, re.M)
    assert sorted(path.rpartition(".")[2] for path in paths) == sorted(
        name for module in PUBLIC[page] for name in module.__all__
    )
    for path in paths:
        home, _, name = path.rpartition(".")
        assert hasattr(import_module(home), name), path


def test_mkdocs_builds_it_without_a_warning(pages: Path, tmp_path: Path):
    pytest.importorskip("mkdocs")
    pytest.importorskip("mkdocstrings")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", tmp_path / "site"],
        cwd=ROOT, env=environment(MURMURA_SITE_PAGES=str(pages)), capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "Simulation" in (tmp_path / "site" / "reference" / "murmura" / "index.html").read_text(
        encoding="utf-8"
    )


def test_the_moving_picture_comes_first_and_is_small():
    image = pytest.importorskip("PIL.Image")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    first = re.search(r"!\[[^\]]+\]\(([^)]+)\)", readme)
    assert first is not None and readme.index("![") < 20
    path = ROOT / first[1]
    assert path.stat().st_size <= 3_000_000
    with image.open(path) as film:
        assert film.n_frames > 50


def test_the_metadata_of_a_release():
    cited = dict(re.findall(r"^([\w-]+): (.+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.M))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert (cited["version"], cited["license"]) == (mm.__version__, project["license"])
    assert (ROOT / "src" / "murmura" / "py.typed").read_bytes() == b""
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        for script in re.findall(r"(scripts/[\w.]+)", path.read_text(encoding="utf-8")):
            assert (ROOT / script).exists(), (path.name, script)
