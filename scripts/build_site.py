"""Builds the site into build/site: the pages of docs/, tutorials from notebooks, a gallery, and the API reference.

    python scripts/build_site.py             # needs the dependency group `site`
    python scripts/build_site.py FOLDER      # only gathers the pages, in this folder

Nothing is downloaded. A broken link is an error.
"""

from __future__ import annotations

import inspect
import json
import re
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

from murmura.scenario import load_scenario, scenario_names

ROOT = Path(__file__).resolve().parents[1]
BESIDE = ("ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE")


def gather(pages: Path) -> None:
    """Copy all pages into one folder, with links adapted to it."""
    shutil.rmtree(pages, ignore_errors=True)
    shutil.copytree(ROOT / "docs" / "images", pages / "images")
    for page in (ROOT / "docs").glob("*.md"):
        (pages / page.name).write_text(from_docs(page.read_text(encoding="utf-8")), encoding="utf-8")
    for name in BESIDE:
        (pages / name).write_text(from_root((ROOT / name).read_text(encoding="utf-8")), encoding="utf-8")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (pages / "index.md").write_text(from_root(readme), encoding="utf-8")
    shutil.copytree(ROOT / "docs" / "reference", pages / "reference")
    for page in (pages / "reference").glob("*.md"):
        text = re.sub(r"^::: (\S+)$", with_arguments, page.read_text(encoding="utf-8"), flags=re.M)
        page.write_text(text, encoding="utf-8")
    (pages / "notebooks").mkdir()
    for notebook in (ROOT / "docs" / "notebooks").glob("*.ipynb"):
        text = as_markdown(json.loads(notebook.read_text(encoding="utf-8")))
        (pages / "notebooks" / f"{notebook.stem}.md").write_text(text, encoding="utf-8")
    (pages / "gallery.md").write_text(gallery(), encoding="utf-8")


def with_arguments(found: re.Match[str]) -> str:
    """An entry of the reference, with the arguments of a function that takes the fields of a request."""
    home, _, name = found[1].rpartition(".")
    thing = getattr(import_module(home), name)
    if not inspect.isfunction(thing) or not hasattr(thing, "__signature__"):
        return found[0]
    texts = dict(re.findall(r"^        (\w+): (.*)$", thing.__doc__ or "", re.M))
    lines = [
        f"- `{one.name}` ({one.annotation}): {texts.get(one.name, '')}"
        for one in inspect.signature(thing).parameters.values()
    ]
    return "\n".join([found[0], "", "All arguments:", "", *lines])


def from_docs(text: str) -> str:
    """Links of a page of docs/: pages of the root are now in the same folder; other files are named, not linked."""
    text = re.sub(rf"\]\(\.\./({'|'.join(map(re.escape, BESIDE))})", r"](\1", text)
    return re.sub(r"\[([^\]]+)\]\(\.\./[^)]*\)", r"\1", text)


def from_root(text: str) -> str:
    """Links of a page of the root, which is now in the folder of docs/."""
    return re.sub(r"\]\(docs/", "](", text)


def as_markdown(notebook: dict) -> str:
    """A notebook as a page: its text and code, without output."""
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        parts.append(source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```")
    return "\n\n".join(parts) + "\n"


def gallery() -> str:
    """Every scenario with its picture, what to watch for, and the command that shows it."""
    parts = ["# Gallery", "Every scenario that ships with Murmura, after twenty seconds."]
    for name in scenario_names():
        parts.append(f"## {name}")
        if (ROOT / "docs" / "images" / "gallery" / f"{name}.webp").exists():
            parts.append(f"![{name}](images/gallery/{name}.webp)")
        parts.append(f"{load_scenario(name).title}\n\n    murmura live {name}")
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    gather(Path(sys.argv[1]) if sys.argv[1:] else ROOT / "build" / "pages")
    if not sys.argv[1:]:
        sys.exit(subprocess.call([sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"], cwd=ROOT))
