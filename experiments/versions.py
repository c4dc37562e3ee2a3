"""Which code made a result: beside `results/NAME.csv`, `NAME.json` has the version, the script and the scenarios' bits.

Code is newer if it may compute something else: if the text of the script differs, the golden state hash of one of its
scenarios, or the file of a published model that it names. `python experiments/versions.py` writes into
docs/experiments.md which results are older than their code.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import murmura as mm

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"
PAGE = HERE.parent / "docs" / "experiments.md"
BEGIN, END = "<!-- versions, by experiments/versions.py -->", "<!-- end of versions -->"
MODELS = HERE.parent / "src" / "murmura" / "rules" / "models"
GOLDEN = HERE.parent / "tests" / "golden" / "golden.json"


def code_of(script: Path) -> dict[str, Any]:
    """What a result of this script depends on: its text, bits of scenarios and texts of models that it names."""
    text = script.read_text(encoding="utf-8")
    named = set(re.findall(r'"([a-z-]+)"', text)) & set(mm.scenario_names())
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
    return {
        "experiment": script.name,
        "script": _digest(text),
        "bits": {name: golden[name]["1000"] for name in sorted(named)},
        "models": {path.name: _digest(path.read_text(encoding="utf-8")) for path in _models(text)},
    }


def _models(script: str) -> list[Path]:
    """The files of published models whose rules a script names; these have no scenario of their own."""
    rules = {f'register_rule("{name}"' for name in re.findall(r"rules\.([a-z_]+)", script)}
    files = sorted(MODELS.glob("*.py"))
    return [path for path in files if any(rule in path.read_text(encoding="utf-8") for rule in rules)]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def record(table: Path, script: Path) -> None:
    """Write beside a table which code made it."""
    made = {"murmura": mm.__version__, "commit": _commit(), **code_of(script)}
    table.with_suffix(".json").write_text(json.dumps(made, indent=2) + "\n", encoding="utf-8")


def _commit() -> str:
    """The commit of the source tree, and whether it was changed since."""
    try:
        words = ["git", "-C", str(HERE), "describe", "--always", "--dirty", "--exclude=*"]
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def changes_since(table: Path) -> list[str]:
    """What is newer than a table, in words; empty if nothing is."""
    path = table.with_suffix(".json")
    if not path.exists():
        return ["no record of the version that made it"]
    made = json.loads(path.read_text(encoding="utf-8"))
    now = code_of(HERE / made["experiment"])
    newer = [] if now["script"] == made["script"] else [f"experiments/{made['experiment']}"]
    for part, words in (("bits", "the bits of "), ("models", "rules/models/")):
        names = sorted({*made[part], *now[part]})
        newer += [words + name for name in names if made[part].get(name) != now[part].get(name)]
    return newer


def listing() -> str:
    """The table of the page: for each result the version that made it, and what is newer."""
    lines = ["| result | made by | newer since then |", "|---|---|---|"]
    for table in sorted(RESULTS.glob("*.csv")):
        path = table.with_suffix(".json")
        made = (
            json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"murmura": "?", "commit": "?"}
        )
        newer = ", ".join(changes_since(table)) or "nothing"
        lines.append(f"| `{table.name}` | {made['murmura']}, {made['commit']} | {newer} |")
    return "\n".join(lines)


def renewed(page: str) -> str:
    """The text of the page with the present table."""
    before, _, rest = page.partition(BEGIN)
    return f"{before}{BEGIN}\n\n{listing()}\n\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
