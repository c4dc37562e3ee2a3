"""Words that commands share: options, the scenario of a command line, progress and facts in print."""

from __future__ import annotations

import json
import math
import sys
import time
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, Parameter

from murmura import __version__
from murmura.core.errors import ScenarioError
from murmura.core.saying import say

app = App(
    name="murmura", version=__version__, help="A flocking laboratory: exact, reproducible, on all cores."
)

SLOWEST, FASTEST = 0.05, 16.0


def whole(type_: Any, tokens: Any) -> int:
    """A whole number: cyclopts would round 1.5 to 2."""
    try:
        return int(tokens[0].value)
    except ValueError:
        raise ValueError(f"expected a whole number, got {tokens[0].value!r}") from None


Whole = Annotated[int, Parameter(converter=whole)]
Agents = Annotated[
    int | None, Parameter(converter=whole, help="How many agents; by default as the scenario says.")
]
Seed = Annotated[Whole, Parameter(help="Same scenario, seed and step count: same bits.")]
Values = Annotated[
    list[str] | None,
    Parameter(name="--set", help="Change a value: PATH=VALUE. May be repeated.", negative=""),
]
RuleFiles = Annotated[
    list[Path] | None,
    Parameter(name="--rules", help="Python file with rules of your own; it is run.", negative=""),
]
Backend = Annotated[str, Parameter(help="auto, reference, cpu or cuda.")]
Threads = Annotated[
    int | None,
    Parameter(converter=whole, help="How many threads; by default all cores for large flocks."),
]
Port = Annotated[
    int | None, Parameter(converter=whole, help="Preferred port; the next free one if it is taken.")
]
NoOpen = Annotated[bool, Parameter(help="Do not open the browser.", negative="")]
Pace = Annotated[float, Parameter(help="Simulated seconds for each second that passes.")]
ExpectHash = Annotated[str | None, Parameter(help="Fail unless the final state has this hash.")]
Json = Annotated[bool, Parameter(name="--json", help="Print facts as JSON.", negative="")]


def check_pace(speed: float) -> None:
    """Whether the live view can keep a --speed; its page has the same bounds."""
    if not SLOWEST <= speed <= FASTEST:
        raise ScenarioError(f"--speed takes a number from {SLOWEST:g} to {FASTEST:g}, got {speed:g}")


def chosen_scenario(name: str, agents: int | None, values: list[str] | None, rules: list[Path] | None) -> Any:
    """The scenario of a command line, with rules loaded and values changed."""
    from murmura.scenario import load_scenario

    load_rules(rules)
    return load_scenario(name).with_values(changed_values(agents, values))


def changed_values(agents: int | None, values: list[str] | None) -> dict[str, Any]:
    """What --agents and --set change, by path."""
    from murmura.scenario.paths import read_value

    changes: dict[str, Any] = {} if agents is None else {"agents": agents}
    for text in values or ():
        path, separator, value = text.partition("=")
        if not separator:
            raise ScenarioError(f"--set takes PATH=VALUE, for example rules.alignment.weight=2, got {text!r}")
        changes[path.strip()] = read_value(value.strip())
    return changes


def load_rules(files: list[Path] | None) -> None:
    """Run files of the user's own, which register rules and measures."""
    from murmura.scenario.rule_files import load_rule_file

    for file in files or ():
        load_rule_file(file)


class Progress:
    """A bar on a terminal, now and then a plain line elsewhere, both on standard error."""

    def __init__(self, things: str = "steps") -> None:
        self._things = things
        self._begun = self._told = time.monotonic()
        self._first: tuple[int, float] | None = None
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Progress:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
            from rich.progress import Progress as Bar

            self._bar = Bar(
                TextColumn(f"{{task.completed:,}}/{{task.total}} {self._things}"), BarColumn(),
                TextColumn("{task.fields[rate]}"), TimeRemainingColumn(), console=Console(stderr=True), transient=True,
            )  # fmt: skip
            self._bar.start()
            self._task = self._bar.add_task("", total=None, rate="")
        return self

    def update(self, done: int, end: int) -> None:
        """Say how far it is. The rate is that since the first call: a run may begin or go on anywhere."""
        now = time.monotonic()
        self._first = self._first or (done, now)
        first, begun = self._first if done > self._first[0] else (done - 1, self._begun)
        rate = (done - first) / max(now - begun, 1e-9)
        if self._bar is not None:
            self._bar.update(self._task, completed=done, total=end, rate=f"{rate:,.0f} {self._things}/s")
        elif now - self._told > 5.0 and done > first:
            self._told = now
            left = f"{(end - done) / rate:,.0f} s left"
            speed = f"{rate:,.0f}" if rate >= 10.0 else f"{rate:.2g}"
            say(f"{self._things.removesuffix('s')} {done:,} of {end:,}, {speed} {self._things}/s, {left}")

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()


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
        print(f"{key:<{width}}  {shown}")
