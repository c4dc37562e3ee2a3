"""Installs the wheel into empty environments and uses it there: every Python given, lowest and highest dependencies.

    python scripts/check_installs.py python3.11 python3.12 python3.13

Lowest versions are the lower bounds of pyproject.toml; they are checked with the first Python alone, since older
releases have no wheels for newer ones. Prints a row of a Markdown table for each environment (docs/reliability.md has
the last one), then what failed, and exits 1 if anything did.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NEEDS_GPU = {"cuda", "cuda12"}
HEAVY = {"tracks"}  # movement brings sixty packages; its own row installs it

# Runs in the new environment, in an empty folder. The hash is README's: the same with every version of everything.
CORE = """
import murmura as mm
scenario = mm.load_scenario("starlings").with_values({"rules.alignment.weight": 2.0, "agents": 5_000})
sim = mm.Simulation(scenario, seed=7)
sim.step(600)
sim.measure()
assert sim.state_hash().startswith("HASH"), sim.state_hash()
"""
CORE_COMMANDS = (
    "run classic --agents 200 --steps 40 --out run",
    "verify run",
    "measure run --measure mean_squared_displacement --out moved.csv",
    "sweep vicsek --agents 40 --steps 20 --vary rules.vicsek.noise=0:360:2 --out sweep",
    "export classic --to html --agents 200 --out page.html",
    "doctor",
)
EXTRAS_COMMANDS = (
    "export run --to zarr --out run.zarr",
    "export run --to parquet --out run.parquet",
    "export run --edges edges.graphml",
    "plot run --out run.png",
    "render run --out film.mp4",
    "optimize vicsek --agents 40 --steps 20 --vary rules.vicsek.noise=0:360 --maximize polarization --trials 4 "
    "--out best",
    "sensitivity vicsek --agents 40 --steps 20 --vary rules.vicsek.noise=0:360 --vary motion.max_speed=1:60 "
    "--samples 4 --out influence",
)
EXTRAS = """
import murmura as mm, wgpu, pyabc
from distributed import LocalCluster
from murmura.rl import ParallelEnv, VectorEnv
mm.show(mm.Simulation("classic", seed=1))
if __name__ == "__main__":
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster:
        noise = {"rules.vicsek.noise": [0, 360]}
        mm.sweep("vicsek", noise, 20, "cluster", changes={"agents": 40}, scheduler=cluster.scheduler_address)
"""


@dataclass(frozen=True)
class Environment:
    """An empty environment to be: its interpreter, which versions, and with which extras."""

    python: str
    versions: str  # "lowest" or "highest"
    extras: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        return "all extras" if self.extras else "core"


def project() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def lower_bounds(requirements: list[str]) -> str:
    """Constraints that leave only the lowest version of each requirement."""
    plain = [re.sub(r"\[.*\]", "", need) for need in requirements]
    return "".join(need.replace(">=", "==") + "\n" for need in plain)


def install(place: Environment, wheel: Path, folder: Path) -> tuple[Path, float, float]:
    """Make the environment. Returns its programs, the seconds this took and its size [MB]."""
    begun = time.perf_counter()
    subprocess.run([place.python, "-m", "venv", folder], check=True)
    programs = folder / "bin"
    words = [programs / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if place.versions == "lowest":
        given = project()
        needs = given["dependencies"] + [
            need for extra in place.extras for need in given["optional-dependencies"][extra]
        ]
        (folder / "lowest.txt").write_text(lower_bounds(needs), encoding="utf-8")
        words += ["--constraint", folder / "lowest.txt"]
    extras = f"[{','.join(place.extras)}]" if place.extras else ""
    subprocess.run([*words, f"murmura{extras} @ {wheel.as_uri()}"], check=True)
    seconds = time.perf_counter() - begun
    packages = next(folder.glob("lib/python*/site-packages"))
    own = [
        file
        for file in packages.rglob("*")
        if file.is_file() and "pip" not in file.relative_to(packages).parts[0]
    ]
    return programs, seconds, sum(file.stat().st_size for file in own) / 1e6


def use(place: Environment, programs: Path, folder: Path) -> list[str]:
    """Use what was installed as a user would. Returns what failed."""
    [state] = re.findall(
        r"^600 [\d.]+ (\w+)$", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    scripts = [CORE.replace("HASH", state)] + ([EXTRAS] if place.extras else [])
    commands = CORE_COMMANDS + (EXTRAS_COMMANDS if place.extras else ())
    calls = [["murmura", *line.split()] for line in commands]
    for k, text in enumerate(scripts):
        (folder / f"script{k}.py").write_text(text, encoding="utf-8")
        calls.append(["python", f"script{k}.py"])
    kept = {
        "HOME": str(folder),
        "MURMURA_CACHE_DIR": str(folder / "cache"),
        "PATH": f"{programs}:/usr/bin:/bin",
    }
    failures = []
    for name, *words in calls:
        done = subprocess.run([programs / name, *words], cwd=folder, env=kept, capture_output=True, text=True)
        if done.returncode:
            failures.append(f"{name} {' '.join(words)[:60]}: {(done.stderr or done.stdout).strip()[-600:]}")
    return failures


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pythons", nargs="*", default=[sys.executable], help="interpreters, the oldest first")
    parser.add_argument("--core", action="store_true", help="without the environments that have all extras")
    given = parser.parse_args()
    every = tuple(sorted(set(project()["optional-dependencies"]) - NEEDS_GPU - HEAVY))
    places = [
        Environment(python, versions, extras)
        for extras in [(), *([] if given.core else [every])]
        for k, python in enumerate(given.pythons)
        for versions in (["lowest", "highest"] if k == 0 else ["highest"])
    ]
    failed = []
    with tempfile.TemporaryDirectory(prefix="murmura-installs-") as name:
        folder = Path(name)
        subprocess.run(
            [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT],
            check=True,
        )
        [wheel] = folder.glob("*.whl")
        print(
            "| Python | versions | what | installed [s] | size [MB] | used |\n|---|---|---|---|---|---|",
            flush=True,
        )
        for k, place in enumerate(places):
            work = folder / f"work{k}"
            work.mkdir()
            programs, seconds, size = install(place, wheel, folder / f"env{k}")
            failures = use(place, programs, work)
            failed += [f"{place.python} {place.versions} {place.label}: {each}" for each in failures]
            version = subprocess.run(
                [programs / "python", "-V"], capture_output=True, text=True
            ).stdout.split()[1]
            outcome = f"{len(failures)} failures" if failures else "no failure"
            print(
                f"| {version} | {place.versions} | {place.label} | {seconds:.0f} | {size:.0f} | {outcome} |",
                flush=True,
            )
            subprocess.run(["rm", "-rf", work, folder / f"env{k}"], check=True)
    if failed:
        sys.exit("\n\n".join(failed))


if __name__ == "__main__":
    os.umask(0o022)
    main()
