"""Runs every code block and every command of README and docs.

Long commands run with smaller numbers, and commands that benchmark a machine are only parsed; with MURMURA_LONG=1 all
of it runs as printed, which takes an hour.
"""

from __future__ import annotations

import contextlib
import io
import re
import signal
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import matplotlib
import pytest

from murmura.cli import app
from murmura.core.errors import ScenarioError
from murmura.core.rule import REGISTRY
from murmura.lab.figures import plot
from murmura.measure import MEASURES
from murmura.rules.predators.kind import KINDS
from tests.cli.terminal import environment
from tests.sizes import IS_LONG

from .pages import ROOT, Block, blocks_of, shortened

AS_PRINTED = IS_LONG
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "reference").glob("*.md")),
]
PAGES = [page for page in PAGES if blocks_of(page)]
WATCHED = {"live", "compare", "replay"}
TIMED = {"bench"}
LIVE = """\
import pathlib, sys
import murmura.view.server.app
murmura.view.server.app.STATIC = pathlib.Path(sys.argv.pop(1))
from murmura.__main__ import main
main()
"""


@pytest.fixture(scope="module")
def page_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page may not be built where tests run: any file will do."""
    folder = tmp_path_factory.mktemp("static")
    for name in ("index.html", "compare.html"):
        (folder / name).write_text("<title>flock</title>")
    (folder / "notebook.js").write_text("export default { render() {} };")
    return folder


@pytest.fixture(autouse=True)
def _as_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page_files: Path):
    """A temporary folder, and no new registrations afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "my_rule", raising=False)
    monkeypatch.setattr("murmura.view.server.app.STATIC", page_files)
    for home in plot.HOMES:
        import_module(home)  # what they register stays
    kept = [(known, dict(known)) for known in (REGISTRY, MEASURES, plot.KINDS, KINDS)]
    with matplotlib.rc_context({"backend": "agg"}):
        yield
    for known, before in kept:
        known.clear()
        known.update(before)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_code_and_commands_of_a_page_work(page: Path, tmp_path: Path, page_files: Path):
    _bring_what_readers_have(tmp_path)
    for block in blocks_of(page):
        where = f"{page.name}:{block.line}"
        if block.kind == "python" and not block.reason:
            run_python(block, where)
        elif block.kind == "sh":
            for words in block.commands:
                run_command(words, where, bool(block.reason), page_files)


def _bring_what_readers_have(folder: Path) -> None:
    """A saved session, as the live view writes it, and the file that add-a-rule.md shows first."""
    import json

    from murmura.scenario import load_scenario
    from murmura.view.session.scene import Scene

    scene = Scene(load_scenario("classic").with_values({"agents": 20}), 1, "reference")
    scene.step(3)
    (folder / "actions.json").write_text(json.dumps(scene.record()))
    shown = next(block for block in blocks_of(ROOT / "docs" / "add-a-rule.md") if block.kind == "python")
    (folder / "my_rule.py").write_text(shown.text)


def run_python(block: Block, where: str) -> None:
    """Run a block in its own scope: a reader copies one block."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(block.text, where, "exec"), {"__name__": "__page__"})
    if block.printed is not None:
        assert printed.getvalue() == block.printed, where


def run_command(words: list[str], where: str, only_read: bool, page_files: Path) -> None:
    program, *rest = words
    if program != "murmura":
        named = [word for word in rest if re.fullmatch(r"[\w/.-]+\.(py|sh)", word)]
        assert all((ROOT / name).exists() for name in named), (where, words)
        if AS_PRINTED and program == "python" and not only_read:
            subprocess.run([sys.executable, *rest], cwd=ROOT, env=environment(), check=True)
        return
    kind = rest[0] if rest else "live"
    if kind in WATCHED and "actions.json" not in rest:
        app.parse_args(rest, exit_on_error=False, print_error=False)
        if not only_read:
            watch(rest, where, page_files)
    elif only_read or (kind in TIMED and not AS_PRINTED):
        app.parse_args(rest, exit_on_error=False, print_error=False)
    else:
        chosen = rest if AS_PRINTED else shortened(rest)
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                app(chosen, exit_on_error=False, print_error=False, result_action="return_value")
        except ScenarioError as error:  # the page says "after a crash", and there was none
            if kind != "resume" or "is finished" not in str(error):
                raise


def watch(words: list[str], where: str, page_files: Path) -> None:
    """Start a view, wait for its address, and leave with Ctrl-C."""
    process = subprocess.Popen(
        [sys.executable, "-c", LIVE, page_files, *(words or ["live"]), "--no-open"],
        env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        assert any("http://127.0.0.1:" in line for line in process.stdout), (where, words)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        assert process.returncode == 0 and "Traceback" not in said, (where, words, said)
    finally:
        process.kill()
        process.communicate()


def test_blocks_are_found_in_a_page(tmp_path: Path):
    page = tmp_path / "page.md"
    page.write_text(
        "```python\nprint(1)\n```\n\n```text\n1\n```\n<!-- not run: it installs -->\n```sh\npip install x \\\n  y && "
        "murmura  # now\n```\n```\nmurmura run a --steps 36000 --vary agents=1:9:8 --out b\n```\n```mermaid\nx\n```\n"
    )
    python, install, run, graph = blocks_of(page)
    assert (python.text, python.printed, python.line) == ("print(1)\n", "1\n", 1)
    assert (install.commands, install.reason) == ([["pip", "install", "x", "y"], ["murmura"]], "it installs")
    assert (run.kind, graph.kind) == ("sh", "mermaid")
    assert shortened(run.commands[0]) == shlex_split("murmura run a --steps 203 --vary agents=1:9:2 --out b")
    steps = [
        int(shortened(["--steps", str(n)])[1]) for n in (5, 100, 600, 1000, 1200, 2000, 6000, 12_000, 216_000)
    ]
    assert steps == sorted(steps) and steps[-1] < 300


def shlex_split(text: str) -> list[str]:
    return text.split()


def test_no_block_is_left_out_without_a_reason():
    """A reason is a sentence, and most blocks are run."""
    blocks = [block for page in PAGES for block in blocks_of(page) if block.kind in ("python", "sh")]
    left_out = [block for block in blocks if block.reason]
    assert all(len(block.reason.split()) > 2 for block in left_out)
    assert len(left_out) < len(blocks) / 4
