"""The command that installs an extra works where it is read: in a checkout, after installing from one, or elsewhere."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from murmura.core import extras
from murmura.core.errors import BackendError
from murmura.core.extras import SOURCES, install_command, needs


def installed(folder: Path, monkeypatch: pytest.MonkeyPatch, url: str | None) -> None:
    """Murmura as pip installs it from a place; without a place as from an index."""
    record = folder / "site-packages" / "murmura-0.1.0.dist-info"
    record.mkdir(parents=True)
    (record / "METADATA").write_text("Metadata-Version: 2.4\nName: murmura\nVersion: 0.1.0\n")
    if url is not None:
        (record / "direct_url.json").write_text(json.dumps({"url": url, "dir_info": {}}))
    monkeypatch.syspath_prepend(str(record.parent))
    monkeypatch.setattr(extras, "SOURCES", folder / "lib")


def test_in_its_source_tree_it_names_the_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.chdir(SOURCES)
    assert install_command("video") == "pip install -e '.[video]'"
    monkeypatch.chdir(tmp_path)
    assert shlex.split(install_command("video")) == ["pip", "install", "-e", f"{SOURCES}[video]"]


def test_installed_from_a_folder_it_names_that_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    tree = tmp_path / "it's a tree"
    tree.mkdir()
    installed(tmp_path, monkeypatch, tree.as_uri())
    assert shlex.split(install_command("fit")) == ["pip", "install", f"{tree}[fit]"]
    monkeypatch.chdir(tree)
    assert install_command("fit") == "pip install '.[fit]'"


def test_installed_from_an_address_it_names_the_address(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    installed(tmp_path, monkeypatch, "https://a.example/murmura.git")
    assert install_command("fit") == "pip install 'murmura[fit] @ https://a.example/murmura.git'"


def test_the_name_alone_is_for_an_index(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    installed(tmp_path, monkeypatch, None)
    assert install_command("fit") == "pip install 'murmura[fit]'"


def test_a_missing_package_is_reported_with_the_command():
    with pytest.raises(BackendError) as caught, needs("video"):
        import no_such_package  # noqa: F401
    assert str(caught.value) == f"no_such_package is not installed: {install_command('video')}"


# No message and no page names an extra by hand.
def test_every_message_asks_for_the_command():
    named = [
        path.name
        for path in (SOURCES / "src" / "murmura").rglob("*.py")
        if "murmura[" in path.read_text(encoding="utf-8") and path.name != "extras.py"
    ]
    pages = [SOURCES / "README.md", *(SOURCES / "docs").glob("*.md")]
    assert named + [page.name for page in pages if 'pip install "murmura[' in page.read_text("utf-8")] == []
