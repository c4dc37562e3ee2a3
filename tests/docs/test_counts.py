"""Counts in the texts are those of the code. A count that a measurement had is written "41 of the scenarios"."""

from __future__ import annotations

import re
from pathlib import Path

import murmura as mm
from murmura.rules.predators.kind import kind_names

ROOT = Path(__file__).parents[2]
PAGES = [
    *(ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")),
    *(ROOT / "docs").glob("*.md"),
]
WORDS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
]


def counted(things: str) -> dict[str, int]:
    """Every count of these things in the texts, by page: "44 scenarios", "nine kinds of predators"."""
    pattern = re.compile(rf"\b(\d+|{'|'.join(WORDS)}) (?:shipped |presets and )?{things}", re.IGNORECASE)
    found = {}
    for page in PAGES:
        for match in pattern.finditer(" ".join(page.read_text(encoding="utf-8").split())):
            word = match[1].lower()
            found[f"{page.name}: {match[0]}"] = WORDS.index(word) if word in WORDS else int(word)
    return found


def published() -> tuple[set[str], set[str]]:
    """The models and the scenarios of the table of docs/experiments.md."""
    text = (ROOT / "docs" / "experiments.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([^|]+) \| `([a-z-]+)` \| `experiments/", text, re.M)
    return {model for model, _ in rows if not model.startswith("the same")}, {name for _, name in rows}


def test_scenarios() -> None:
    found = {
        place: count for place, count in counted("scenarios").items() if count > 2
    }  # "two scenarios" side by side
    assert found and set(found.values()) == {len(mm.scenario_names())}, found


def test_kinds_of_hunters() -> None:
    found = counted(
        r"kinds of (?:predators|hunters)\b(?! for)"
    )  # "four kinds of hunters for a minute" were measured
    assert len(found) == 2 and set(found.values()) == {len(kind_names())}, found


def test_published_models() -> None:
    models, scenarios = published()
    assert scenarios < set(mm.scenario_names())
    assert list(counted("models from the literature").values()) == [len(models)]
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    (word,) = re.findall(r"Of the \d+ scenarios, (\w+) are \[published models\]", readme)
    assert WORDS.index(word) == len(scenarios)
