"""Reads and writes scenario files: shipped ones by name, others by path, JSON and TOML, without loss."""

from __future__ import annotations

import json
import re
import tomllib
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from murmura.core.errors import ScenarioError, UnknownNameError, nearest
from murmura.core.notices import print_notice
from murmura.scenario.models import Scenario
from murmura.scenario.plain_files import parse_json, read_plain_file, write_atomically
from murmura.scenario.plugins import plugins
from murmura.scenario.unknown import without_unknown

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

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
    """Names of the shipped scenarios, then of those of plugins."""
    return list(_named_files())


def scenario_titles() -> dict[str, str]:
    """The scenarios that have names, with their titles. Reads the files without validating them, which takes longer."""
    return {name: str(data.get("title", "")) for name, data in _named_data().items()}


def scenarios_in_space() -> set[str]:
    """The scenarios that have names and whose world has a depth. Reads the files without validating them."""
    return {name for name, data in _named_data().items() if "depth" in data.get("world", {})}


@cache
def _named_files() -> dict[str, Traversable]:
    """The files of scenarios by name. A plugin cannot replace a shipped scenario, nor another plugin's."""
    folder = resources.files("murmura") / "scenarios"
    files = {entry.name[:-5]: entry for entry in folder.iterdir() if entry.name.endswith(".toml")}
    found = dict(sorted(files.items()))
    for plugin in plugins():
        for entry in sorted(plugin.files(), key=lambda entry: entry.name):
            name = entry.name[:-5]
            if found.setdefault(name, entry) is not entry:
                print_notice(
                    f"the scenario {name!r} of the plugin {plugin.name!r} is left out: the name is taken"
                )
    return found


def _named_data() -> dict[str, Any]:
    data: dict[str, Any] = {}
    for name, file in _named_files().items():
        try:
            data[name] = _parse_toml(file.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            print_notice(f"the scenario {name!r} is left out of the list: {error}")
    return data


def load_scenario(name_or_path: str | Path) -> Scenario:
    """Load a scenario by name, shipped or of a plugin, or a .json or .toml file by path."""
    text = str(name_or_path)
    plugins()
    if not text.endswith((".json", ".toml")):
        return _named(text)
    path = Path(name_or_path)
    return Scenario.from_data(_data(_text_of(path), path.suffix, text), text)


def load_recorded(path: Path) -> tuple[Scenario, list[str]]:
    """The scenario of a recorded run without what is not registered here, and the names of that.

    What was recorded can be looked at without the rules that made it.
    """
    plugins()
    data, unknown = without_unknown(_data(_text_of(path), path.suffix, str(path)))
    return Scenario.from_data(data, str(path)), unknown


def _named(name: str) -> Scenario:
    file = _named_files().get(name)
    if file is None:
        raise UnknownNameError(
            f"no scenario is called {name!r}{nearest(name, scenario_names())}. `murmura scenarios` lists all; "
            "a file of your own ends in .json or .toml"
        )
    return Scenario.from_data(_data(file.read_text(encoding="utf-8"), ".toml", name), name)


def _text_of(path: Path) -> str:
    try:
        return read_plain_file(path, LARGEST_FILE).decode("utf-8")
    except (OSError, ValueError) as error:
        raise ScenarioError(f"cannot read the scenario {path}: {error}") from None


def _data(text: str, suffix: str, source: str) -> dict[str, Any]:
    data: Any
    try:
        data = _parse_toml(text) if suffix == ".toml" else parse_json(text)
    except (ValueError, RecursionError) as error:
        kind = "TOML" if suffix == ".toml" else "JSON"
        raise ScenarioError(f"{source} is not valid {kind}: {error}") from None
    if not isinstance(data, dict):
        raise ScenarioError(f"{source}: a scenario is a table of values, got {type(data).__name__}")
    return data


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
    try:
        write_atomically(path, content)
    except OSError as error:
        raise ScenarioError(f"cannot write the scenario {path}: {error}") from None


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
