"""Plugins: the example package, as pip would install it, one that is broken, and one that wants a taken name."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "flocklab" / "src" / "flocklab"


def install(site: Path, name: str, module: str | None = None) -> None:
    """Write what pip writes besides the package itself."""
    about = site / f"{name}-1.2.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.2.0\n")
    (about / "entry_points.txt").write_text(f"[murmura.plugins]\n{name} = {module or name}\n")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of packages: the example, one that cannot be imported, and one whose scenario has a taken name."""
    site = tmp_path_factory.mktemp("site")
    shutil.copytree(EXAMPLE, site / "flocklab")
    install(site, "flocklab")
    (site / "torn.py").write_text("import nothing_of_this_name\n")
    install(site, "torn")
    (site / "copycat" / "scenarios").mkdir(parents=True)
    (site / "copycat" / "__init__.py").touch()
    (site / "copycat" / "scenarios" / "classic.toml").write_text('name = "classic"\nagents = 1\n')
    install(site, "copycat")
    return site


def murmura(site: Path | None, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([*([str(site)] if site else []), *sys.path])
    return subprocess.run(
        [sys.executable, "-m", "murmura", *words],
        env={**os.environ, "PYTHONPATH": path}, cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.fixture(scope="module")
def folder(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("work")
    made = murmura(
        site, folder, "run", "tidal-flat", "--steps", "30", "--every", "10", "--agents", "40", "--out", "r"
    )
    assert made.returncode == 0, made.stderr
    return folder


def test_a_run_finds_the_plugin_and_names_it(folder: Path) -> None:
    manifest = json.loads((folder / "r" / "manifest.json").read_text())
    assert manifest["plugins"]["flocklab"].startswith("flocklab 1.2.0 sha256:")
    config = json.loads((folder / "r" / "config.json").read_text())
    assert config["rules"]["tide"]["enabled"] is True
    assert config["rules"]["predators"]["hunters"][0]["kind"] == "kite"
    assert "drift" in (folder / "r" / "metrics.jsonl").read_text()


def test_broken_plugins_are_named_and_the_rest_works(site: Path, folder: Path) -> None:
    listed = murmura(site, folder, "scenarios", "--json")
    names = json.loads(listed.stdout)
    assert "tidal-flat" in names and "Reynolds" in names["classic"]
    assert "the plugin 'torn' (torn 1.2.0) could not be loaded: ModuleNotFoundError" in listed.stderr
    assert "the scenario 'classic' of the plugin 'copycat' is left out: the name is taken" in listed.stderr


def test_worker_processes_have_the_plugin(site: Path, folder: Path) -> None:
    done = murmura(
        site, folder, "sweep", "tidal-flat", "--vary", "rules.tide.strength=0,0.3", "--agents", "20",
        "--steps", "20", "--workers", "2", "--measure", "drift", "--out", "s", "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["failed"] == 0


def test_without_the_plugin_a_run_is_looked_at_but_not_continued(site: Path, folder: Path) -> None:
    for words in (("verify", "r"), ("export", "r", "--to", "csv")):
        seen = murmura(None, folder, *words)
        assert seen.returncode == 0, seen.stderr
    refused = murmura(None, folder, "resume", "r", "--steps", "40")
    assert refused.returncode == 1
    assert "rule 'tide', kind of hunter 'kite' are not known here" in refused.stderr
    assert "flocklab 1.2.0" in refused.stderr
    resumed = murmura(site, folder, "resume", "r", "--steps", "40")
    assert resumed.returncode == 0, resumed.stderr
    with (folder / "r" / "checkpoint-A.npz").open("r+b") as file:
        file.seek(300)
        file.write(b"x")
    assert murmura(None, folder, "verify", "r").returncode == 1
