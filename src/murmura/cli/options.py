"""Shared by all commands: options, the scenario of a command line, and printed results."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from itertools import count
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, Parameter

from murmura import __version__
from murmura.core.errors import ScenarioError
from murmura.core.notices import print_notice, printable

app = App(
    name="murmura", version=__version__, help="A flocking laboratory: exact, reproducible, on all cores."
)

app.register_install_completion_command()  # murmura --install-completion

SLOWEST, FASTEST = 0.05, 16.0


def whole(type_: Any, tokens: Any) -> int:
    """Parse a whole number: cyclopts would round 1.5 to 2."""
    try:
        return int(tokens[0].value)
    except ValueError:
        raise ValueError(f"expected a whole number, got {tokens[0].value!r}") from None


Whole = Annotated[int, Parameter(converter=whole)]
Agents = Annotated[
    int | None, Parameter(converter=whole, help="Number of agents; by default the scenario's.")
]
Seed = Annotated[
    Whole,
    Parameter(
        help="Seed of all random numbers: the same scenario, seed and number of steps give the same bits."
    ),
]
Values = Annotated[
    list[str] | None,
    Parameter(name="--set", help="Change a value: PATH=VALUE. May be repeated.", negative=""),
]
RuleFiles = Annotated[
    list[str] | None,
    Parameter(name="--rules", help="Python file or module with your own rules; it is executed.", negative=""),
]
Backend = Annotated[str, Parameter(help="auto, reference, cpu, cuda or webgpu.")]
Threads = Annotated[
    int | None,
    Parameter(converter=whole, help="Number of threads; by default all cores for large flocks."),
]
Portable = Annotated[
    bool,
    Parameter(
        help="Give the bits that an exported page gives in any browser; only on the CPU, and a little slower.",
        negative="",
    ),
]
Port = Annotated[
    int | None,
    Parameter(converter=whole, help="Preferred port; the next free one if it is taken. 0: any free one."),
]
NoOpen = Annotated[bool, Parameter(help="Do not open a browser.", negative="")]
Pace = Annotated[
    float,
    Parameter(help="Simulated seconds per second; by default the scenario's display.speed."),
]
ExpectHash = Annotated[str | None, Parameter(help="Fail unless the final state has this hash.")]
Json = Annotated[bool, Parameter(name="--json", help="Print the results as JSON.", negative="")]

Force = Annotated[bool, Parameter(help="Overwrite existing files.", negative="")]


def output_folder(out: Path | None, tasks: str, scenario: str) -> Path:
    """The folder to write: the given one or the next free one, such as runs/classic-0, which a notice names."""
    if out is not None:
        return out
    name = re.sub(r"[^\w-]", "", Path(scenario).stem) or "scenario"
    found = next(path for k in count() if not (path := Path(tasks) / f"{name}-{k}").exists())
    print_notice(f"writing {found}; choose another folder with --out")
    return found


def check_pace(speed: float) -> None:
    """Raise if --speed is outside the range of the live view."""
    if not SLOWEST <= speed <= FASTEST:
        raise ScenarioError(f"--speed takes a number from {SLOWEST:g} to {FASTEST:g}, got {speed:g}")


def chosen_scenario(name: str, agents: int | None, values: list[str] | None, rules: list[str] | None) -> Any:
    """The scenario of a command line, after loading rules and changing values."""
    from murmura.scenario import load_scenario

    load_rules(rules)
    changes = changed_values(agents, values)
    scenario = load_scenario(name).with_values(changes)
    for line in (*scenario.switched_on(), *scenario.hidden_values(), *_idle(scenario, changes)):
        print_notice(line)
    return scenario


def _idle(scenario: Any, changes: Iterable[str]) -> list[str]:
    """Notices about changed values of rules that cannot act."""
    idle = {f"rules.{name}": where for name, where in scenario.idle_rules().items()}
    named = {path: ".".join(path.split(".")[:2]) for path in changes}
    return [
        f"{path} does nothing: {rule} acts only {idle[rule]}" for path, rule in named.items() if rule in idle
    ]


def changed_values(agents: int | None, values: list[str] | None) -> dict[str, Any]:
    """The values that --agents and --set change, by path."""
    from murmura.scenario.paths import read_value

    changes: dict[str, Any] = {} if agents is None else {"agents": agents}
    for text in values or ():
        path, separator, value = text.partition("=")
        if not separator:
            raise ScenarioError(f"--set takes PATH=VALUE, for example rules.alignment.weight=2, got {text!r}")
        changes[path.strip()] = read_value(value.strip())
    return changes


def load_rules(files: list[str] | None) -> None:
    """Execute the user's files, which register rules and measures."""
    from murmura.scenario.rule_files import load_rule_file

    for file in files or ():
        load_rule_file(file)


def print_facts(facts: dict[str, Any], as_json: bool) -> None:
    if as_json:
        known = {
            key: None if isinstance(value, float) and math.isnan(value) else value
            for key, value in facts.items()
        }
        print(json.dumps(known, indent=2, allow_nan=False))
        return
    width = max(len(key) for key in facts)
    for key, value in facts.items():
        shown = ", ".join(f"{k} {v}" for k, v in value.items()) if isinstance(value, dict) else value
        shown = ", ".join(map(str, shown)) if isinstance(shown, list | tuple) else shown
        print(f"{key:<{width}}  {printable(str(shown))}")
