"""A contest of inference: `murmura infer` and StochasticForceInference 2.0.4, on motion whose numbers are known.

    python benchmarks/inference.py [--seeds 20] [--folder FOLDER] [--only flock,particles,fish,zones,nearest]

- flock: 20 animals in space, springs and damping, from positions alone; simulated by StochasticForceInference;
- particles: 60 aligning active particles, from positions and headings; simulated by StochasticForceInference;
- fish: two fish that burst and coast (Calovi et al. 2018), simulated by `inference_fish.py`;
- zones, nearest: Couzin's zones, and the nearest few neighbours, for which StochasticForceInference has no basis.

StochasticForceInference runs in an environment of its own, which is made in the folder with pip. What is finished is
kept there, so an interrupted contest continues. Times are processor time, with one thread for linear algebra, since
idle threads that spin would be counted on a busy machine.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import inference_fish
import inference_murmura
import numpy as np

HERE = Path(__file__).resolve().parent
PEER = "StochasticForceInference==2.0.4"
NINETY = 1.6449
CASES = ("flock", "particles", "fish", "zones", "nearest")
FIXED: dict[str, dict[str, float]] = {
    "flock": {"cohesion": 0.05, "damping": 0.2},
    "particles": {"pace": 1.0, "repulsion": 2.0, "strength": 0.5},
    "fish": inference_fish.PLANTED,
}
DRAWN: dict[str, Callable[[int], dict[str, float]]] = {
    "zones": inference_murmura.zones_truth,
    "nearest": inference_murmura.nearest_truth,
}
WRITTEN = {
    ("flock", "murmura"): [("inference_murmura.py", "flock"), ("inference_rules.py", "Springs")],
    ("flock", "SFI"): [("inference_sfi.py", "flock_basis"), ("inference_sfi.py", "inferred_flock")],
    ("particles", "murmura"): [
        ("inference_murmura.py", "particles"), ("inference_murmura.py", "recording_from"),
        ("inference_rules.py", "Swimming"), ("inference_rules.py", "Torque"),
    ],
    ("particles", "SFI"): [("inference_sfi.py", "particle_basis"), ("inference_sfi.py", "inferred_particles")],
    ("fish", "murmura"): [
        ("inference_murmura.py", "fish"), ("inference_murmura.py", "recording_from"), ("inference_rules.py", "Kick"),
    ],
    ("zones", "murmura"): [("inference_murmura.py", "zones"), ("inference_murmura.py", "own")],
    ("nearest", "murmura"): [("inference_murmura.py", "nearest"), ("inference_murmura.py", "own")],
}  # fmt: skip
"""What a user writes, by file and name."""


def peer(folder: Path) -> Path:
    """The interpreter of the other package's environment, made if there is none."""
    home = folder / "sfi"
    python = home / "bin" / "python"
    if not python.exists():
        print(f"installing {PEER} into {home}", flush=True)
        venv.create(home, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", PEER], check=True)
    return python


def lines_of(case: str, tool: str) -> int:
    """Lines of code that a user writes: no blank lines, no docstrings."""
    total = 0
    for file, name in WRITTEN[case, tool]:
        text = (HERE / file).read_text(encoding="utf-8")
        node = next(n for n in ast.parse(text).body if getattr(n, "name", None) == name)
        begin = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
        wanted = set(range(begin, (node.end_lineno or begin) + 1))
        for inner in ast.walk(node):
            if isinstance(inner, ast.Expr) and isinstance(inner.value, ast.Constant):
                wanted -= set(range(inner.lineno, (inner.end_lineno or inner.lineno) + 1))
        lines = text.splitlines()
        total += sum(1 for number in wanted if lines[number - 1].strip())
    return total


def rows_of(case: str, tool: str, folder: Path, seeds: int) -> list[dict[str, Any]]:
    """The results for all seeds; those that are missing are computed, in one process."""
    kept = folder / f"{case}-{tool}.jsonl"
    done = kept.read_text().splitlines() if kept.exists() else []
    if len(done) < seeds:
        python = peer(folder) if tool == "SFI" else Path(sys.executable)
        script = HERE / ("inference_sfi.py" if tool == "SFI" else "inference_murmura.py")
        one_thread = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        command = [python, script, case, folder, str(len(done)), str(seeds)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=one_thread) as running:
            assert running.stdout is not None
            for line in running.stdout:
                print(f"{case} {tool} {len(done)}", flush=True)
                done.append(line.strip())
                kept.write_text("\n".join(done) + "\n")
        if running.returncode:
            raise SystemExit(f"{script.name} {case} ended with {running.returncode}")
    return [json.loads(line) for line in done[:seeds]]


def table_of(case: str, tool: str, rows: list[dict[str, Any]]) -> list[list[str]]:
    """A line of the table for each number."""
    found = []
    fresh = [row["cpu"] for row in rows if row["fresh"]]
    more = [row["cpu"] for row in rows if not row["fresh"]]
    names = list(rows[0]["found"])
    for name in names:
        truth = np.array([_truth(case, name, seed) for seed in range(len(rows))])
        value, error, low, high = np.array([row["found"][name] for row in rows], float).T
        if tool == "SFI":
            low, high = value - NINETY * error, value + NINETY * error
        far = np.abs(value / truth - 1.0)
        inside = int(((low <= truth) & (truth <= high)).sum())
        first = name == names[0]
        found.append([
            case if first else "", tool if first else "", name, f"{100.0 * np.median(far):.3g} %",
            f"{100.0 * np.median(error / truth):.2g} %", f"{inside} of {len(rows)}",
            f"{np.median(fresh):.1f} s, {np.median(more):.1f} s" if first and more else "",
            str(lines_of(case, tool)) if first else "",
        ])  # fmt: skip
    return found


def _truth(case: str, name: str, seed: int) -> float:
    planted = FIXED[case] if case in FIXED else DRAWN[case](seed)
    return next(
        float(value) for path, value in planted.items() if inference_murmura.short(f".{path}") == name
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="murmura infer against StochasticForceInference")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--folder", type=Path, default=Path.home() / ".cache" / "murmura-inference-contest")
    parser.add_argument("--only", default=",".join(CASES))
    given = parser.parse_args()
    folder: Path = given.folder
    folder.mkdir(parents=True, exist_ok=True)
    cases = given.only.split(",")
    if {"flock", "particles"} & set(cases):
        script = HERE / "inference_sfi.py"
        subprocess.run([peer(folder), script, "simulate", folder, "0", str(given.seeds)], check=True)
    lines = []
    for case in cases:
        for tool in ("SFI", "murmura") if case in ("flock", "particles") else ("murmura",):
            lines += table_of(case, tool, rows_of(case, tool, folder, given.seeds))
    head = ["motion", "by", "number", "median error", "standard error", "90 % holds truth", "first, each further",
            "lines"]  # fmt: skip
    for line in [head, ["---"] * len(head), *lines]:
        print("| " + " | ".join(line) + " |")


if __name__ == "__main__":
    main()
