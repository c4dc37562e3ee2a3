"""Reads and writes scenario files: shipped ones by name, others by path, JSON and TOML, without loss."""

from __future__ import annotations

import json
import re
import tomllib
from importlib import resources
from pathlib import Path
from typing import Any

from murmura.core.errors import ScenarioError, UnknownNameError, nearest
from murmura.scenario.models import Scenario
from murmura.scenario.plain_files import parse_json, read_plain_file

LARGEST_FILE = 16 * 1024 * 1024
MOST_PARTS = 100
"""Maximum number of parts of a TOML key: more than ten times what any path of a scenario needs."""
TOML_TOKENS = re.compile(
    r""""{3}(?:\\.|[^\\])*?(?:"{3}|\Z)|'{3}.*?(?:'{3}|\Z)|"(?:\\.|[^"\\\n])*"?|'[^'\n]*'?|\#[^\n]*|[=,\n\[\]{}]|\.""",
    re.DOTALL,
)
"""Strings, comments, separators of keys and values, and dots."""
SEPARATORS = frozenset("=,\n[]{}")


def scenario_names() -> list[str]:
    """Names of the shipped scenarios."""
    folder = resources.files("murmura") / "scenarios"
    return sorted(entry.name[:-5] for entry in folder.iterdir() if entry.name.endswith(".toml"))


def scenario_titles() -> dict[str, str]:
    """The shipped scenarios by name, with their titles. Reads the files without validating them, which takes longer."""
    return {name: str(data["title"]) for name, data in _shipped_data().items()}


def scenarios_in_space() -> set[str]:
    """The shipped scenarios whose world has a depth. Reads the files without validating them."""
    return {name for name, data in _shipped_data().items() if "depth" in data.get("world", {})}


def _shipped_data() -> dict[str, Any]:
    folder = resources.files("murmura") / "scenarios"
    files = {name: (folder / f"{name}.toml").read_text(encoding="utf-8") for name in scenario_names()}
    return {name: tomllib.loads(text) for name, text in files.items()}


def load_scenario(name_or_path: str | Path) -> Scenario:
    """Load a shipped scenario by name, or a .json or .toml file by path."""
    text = str(name_or_path)
    if not text.endswith((".json", ".toml")):
        return _shipped(text)
    path = Path(name_or_path)
    try:
        content = read_plain_file(path, LARGEST_FILE).decode("utf-8")
    except (OSError, ValueError) as error:
        raise ScenarioError(f"cannot read the scenario {path}: {error}") from None
    return _parse(content, path.suffix, str(path))


def _shipped(name: str) -> Scenario:
    names = scenario_names()
    if name not in names:
        raise UnknownNameError(
            f"no scenario is called {name!r}{nearest(name, names)}; shipped: {', '.join(names)}. "
            "A file of your own ends in .json or .toml"
        )
    entry = resources.files("murmura") / "scenarios" / f"{name}.toml"
    return _parse(entry.read_text(encoding="utf-8"), ".toml", name)


def _parse(text: str, suffix: str, source: str) -> Scenario:
    data: Any
    try:
        data = _parse_toml(text) if suffix == ".toml" else parse_json(text)
    except (ValueError, RecursionError) as error:
        kind = "TOML" if suffix == ".toml" else "JSON"
        raise ScenarioError(f"{source} is not valid {kind}: {error}") from None
    if not isinstance(data, dict):
        raise ScenarioError(f"{source}: a scenario is a table of values, got {type(data).__name__}")
    return Scenario.from_data(data, source)


def _parse_toml(text: str) -> Any:
    """Parse TOML. Python's parser is quadratic in the parts of a key, so very long keys are rejected first."""
    parts = 0
    for token in TOML_TOKENS.finditer(text):
        found = token[0]
        parts = parts + 1 if found == "." else 0 if found in SEPARATORS else parts
        if parts > MOST_PARTS:
            line = text.count("\n", 0, token.start()) + 1
            raise ValueError(f"the key in line {line} has more than {MOST_PARTS} parts")
    return tomllib.loads(text)


def save_scenario(scenario: Scenario, path: str | Path) -> None:
    """Write a scenario with every value, as JSON or TOML by the file's suffix."""
    path = Path(path)
    if path.suffix == ".json":
        content = json_content(scenario)
    elif path.suffix == ".toml":
        import tomli_w

        content = _bounded(tomli_w.dumps(_without_none(scenario.model_dump(mode="json"))))
    else:
        raise ScenarioError(f"a scenario file ends in .json or .toml, got {path.name!r}")
    path.write_bytes(content)


def json_content(scenario: Scenario) -> bytes:
    """A scenario as JSON with every value; raises if it could not be read again."""
    return _bounded(json.dumps(scenario.model_dump(mode="json"), indent=2, allow_nan=False) + "\n")


def _bounded(text: str) -> bytes:
    content = text.encode()
    if len(content) > LARGEST_FILE:
        raise ScenarioError(
            f"the scenario has {len(content) / 2**20:.1f} MB as a file, expected at most {LARGEST_FILE // 2**20} MB: "
            "use fewer obstacles, attractors or other items"
        )
    return content


def _without_none(data: Any) -> Any:
    """TOML has no null. Every field that may be null is null by default, so leaving it out loses nothing."""
    if isinstance(data, dict):
        return {key: _without_none(value) for key, value in data.items() if value is not None}
    if isinstance(data, list):
        return [_without_none(value) for value in data]
    return data
