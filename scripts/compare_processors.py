"""Compares the state hashes of every scenario on AVX-512, AVX2 and ARM64 (emulated). Not part of the test suite.

    python scripts/compare_processors.py /tmp/arm64             # all scenarios; about an hour on two cores
    python scripts/compare_processors.py /tmp/arm64 starlings   # one

It needs Linux on x86-64 and Debian's `qemu-user-static` and `debootstrap` (as root). The folder gets a Debian tree for
ARM64, wheels for it, and kernels. None of it is executed outside the emulator, and nothing is written elsewhere.

Under emulation LLVM takes minutes for a kernel. So the same module is compiled here, by the same release of LLVM for
the emulated processor, and put into the kernel cache of the emulated process, which then runs what it would have
compiled itself. `--compile-inside` makes it compile the kernels itself, to verify that.

The agents, steps and expected hashes are those of tests/golden; AVX-512 is this processor, if it has it.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
GOLDEN = ROOT / "tests" / "golden" / "golden.json"
AGENTS, SEED, STEPS = 200, 1, (1, 10, 100, 1000)
PACKAGES = ("numpy", "llvmlite", "scipy", "pydantic")
PLATFORMS = (
    "manylinux_2_28_aarch64",
    "manylinux_2_27_aarch64",
    "manylinux_2_17_aarch64",
    "manylinux2014_aarch64",
)
TRIPLE = "aarch64-unknown-linux-gnu"


# In the process that computes hashes


def print_hashes(names: Iterable[str]) -> None:
    """A JSON line for each scenario: its hashes by step."""
    import murmura as mm

    for name in names:
        scenario = mm.load_scenario(name).with_values({"agents": AGENTS})
        sim = mm.Simulation(scenario, seed=SEED, backend="cpu", threads=1)
        found = {}
        for steps in STEPS:
            sim.step(steps - sim.step_count)
            found[str(steps)] = sim.state_hash()
        print(json.dumps({"name": name, "hashes": found}), flush=True)


def print_processor() -> None:
    from murmura.compute.cpu import build

    print(json.dumps(build.processor()))


def print_hashes_without_avx512(names: Iterable[str]) -> None:
    """Print the hashes of this processor with AVX-512 disabled."""
    from murmura.compute.cpu import build

    _, features = build.processor()
    few = ",".join(f for f in features.split(",") if "avx512" not in f and "avx10" not in f)
    build.processor = lambda: ("haswell", few)
    assert not build.has_wide_lanes()
    print_hashes(names)


def compile_for(processor: tuple[str, str], names: Iterable[str]) -> None:
    """Compile the kernels of these scenarios for the emulated processor, without linking them."""
    import llvmlite.binding as llvm

    import murmura as mm
    from murmura.compute.cpu import build, scatter

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    options = {"opt": 3, "reloc": "pic", "codemodel": "jitdefault", "jit": True}
    name, features = processor
    build.processor = lambda: processor
    build._new_machine = lambda: llvm.Target.from_triple(TRIPLE).create_target_machine(
        cpu=name, features=features, **options
    )
    build._engine = lambda code: object()
    build._linked = lambda engines: None
    build.compiled_once("scatter", scatter.module)
    for scenario in names:
        mm.Simulation(
            mm.load_scenario(scenario).with_values({"agents": AGENTS}), seed=SEED, backend="cpu", threads=1
        )
        print(f"compiled {scenario}", file=sys.stderr, flush=True)


# The emulated machine


def make_tree(folder: Path) -> None:
    """A Debian tree with Python for ARM64 in `tree`, and the packages that a run imports in `site`."""
    tree, site, wheels = folder / "tree", folder / "site", folder / "wheels"
    if not (tree / "usr/bin/python3").exists():
        folder.mkdir(parents=True, exist_ok=True)
        options = ["--foreign", "--arch=arm64", "--variant=minbase", "--include=python3"]
        subprocess.run(["debootstrap", *options, "bookworm", tree], check=True, stdout=sys.stderr)
        for package in sorted((tree / "var/cache/apt/archives").glob("*.deb")):
            subprocess.run(["dpkg", "-x", package, tree], check=True)
    if not site.exists():
        from importlib.metadata import version

        wanted = [f"{name}=={version(name)}" for name in PACKAGES] + [
            "filelock",
            "platformdirs",
            "tomli-w",
            "rich",
        ]
        places = [word for platform in PLATFORMS for word in ("--platform", platform)]
        python = next(path.name for path in (tree / "usr/bin").glob("python3.*")).removeprefix("python")
        options = ["--only-binary=:all:", "--python-version", python, *places, "-d", wheels]
        pip = [sys.executable, "-m", "pip", "download", "-q", *options, *wanted]
        subprocess.run(pip, check=True, stdout=sys.stderr)
        for wheel in sorted(wheels.glob("*.whl")):
            subprocess.run([sys.executable, "-m", "zipfile", "-e", wheel, site], check=True)


def emulated(folder: Path, sources: Path) -> tuple[list[str], dict[str, str]]:
    """The command that runs the tree's Python, and its environment."""
    tree = folder / "tree"
    paths = {
        "QEMU_LD_PREFIX": tree,
        "PYTHONHOME": tree / "usr",
        "PYTHONPATH": f"{sources}:{folder / 'site'}",
    }
    environment = (
        os.environ | {key: str(value) for key, value in paths.items()} | {"PYTHONDONTWRITEBYTECODE": "1"}
    )
    return ["qemu-aarch64-static", str(tree / "usr/bin/python3")], environment


def lines_of(command: list[str], part: str, names: list[str], environment: dict[str, str]) -> Iterator[Any]:
    """The JSON lines that a part of this script prints in another process."""
    words = [*command, str(Path(__file__).resolve()), "--part", part, *names]
    with subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout or ():
            yield json.loads(line)
    if process.returncode:
        raise SystemExit(f"{part} on {command[0]} ended with status {process.returncode}")


def compare(folder: Path, names: list[str], compile_inside: bool) -> int:
    """Print a row for each scenario; return the number of scenarios that differ."""
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
    sources = (
        folder / "source"
    )  # cached kernels depend on the hash of the sources, which must not change meanwhile
    shutil.rmtree(sources, ignore_errors=True)
    shutil.copytree(ROOT / "src", sources, ignore=shutil.ignore_patterns("node_modules", "static"))
    names = names or sorted(golden)
    make_tree(folder)
    python, environment = emulated(folder, sources)
    kernels = folder / ("kernels-made-inside" if compile_inside else "kernels")
    environment["MURMURA_CACHE_DIR"] = str(kernels)
    here = os.environ | {"PYTHONPATH": str(sources), "MURMURA_CACHE_DIR": str(folder / "kernels")}
    if not compile_inside:
        (processor,) = lines_of(python, "processor", [], environment)
        parts = ["--processor", json.dumps(processor), "--part", "compile"]
        subprocess.run([sys.executable, __file__, *parts, *names], env=here, check=True)
    rows: dict[str, list[str]] = {name: [] for name in names}
    machines = [
        ([sys.executable], "hashes", here),
        ([sys.executable], "avx2", here),
        (python, "hashes", environment),
    ]
    for command, part, settings in machines:
        for line in lines_of(command, part, names, settings):
            wrong = [
                steps
                for steps in golden[line["name"]]
                if line["hashes"][steps] != golden[line["name"]][steps]
            ]
            rows[line["name"]].append(f"differs after {wrong[0]}" if wrong else "same")
            print(
                f"{command[0]} {part} {line['name']}: {rows[line['name']][-1]}", file=sys.stderr, flush=True
            )
    print("| scenario | hash after 1,000 steps | this processor | AVX2 | ARM64 |\n|---|---|---|---|---|")
    for name, cells in rows.items():
        print(f"| {name} | `{golden[name]['1000'][:16]}` | {' | '.join(cells)} |")
    return sum(set(cells) != {"same"} for cells in rows.values())


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="FOLDER [NAME ...]")
    parser.add_argument("--compile-inside", action="store_true", help="let LLVM itself run in the emulator")
    parser.add_argument("--part", choices=["hashes", "avx2", "processor", "compile"], help=argparse.SUPPRESS)
    parser.add_argument("--processor", type=json.loads, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.part == "compile":
        return compile_for(tuple(asked.processor), asked.names)
    if asked.part == "processor":
        return print_processor()
    if asked.part is not None:
        return (print_hashes if asked.part == "hashes" else print_hashes_without_avx512)(asked.names)
    if not asked.names:
        parser.error("name a folder for the emulated machine, such as /tmp/arm64")
    raise SystemExit(compare(Path(asked.names[0]).resolve(), asked.names[1:], asked.compile_inside))


if __name__ == "__main__":
    main()
