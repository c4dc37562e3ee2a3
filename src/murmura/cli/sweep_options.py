"""Options and progress for sweep, sensitivity, optimize and fit."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from murmura.cli.options import Agents, Json, Values, changed_values, output_folder, print_facts, whole
from murmura.core.errors import RunError, ScenarioError
from murmura.core.notices import print_notice
from murmura.core.request import Request
from murmura.lab.progress import Progress

Out = Annotated[
    Path | None,
    Parameter(
        help="Output folder, new or to continue; by default the next free one, such as sweeps/vicsek-0."
    ),
]
Vary = Annotated[
    list[str] | None,
    Parameter(
        name="--vary",
        help="What to vary: PATH=LOW:HIGH:COUNT, PATH=LOW:HIGH:COUNT:log or PATH=A,B,C. May be repeated.",
        negative="",
    ),
]
Plot = Annotated[Path | None, Parameter(help="Draw the result to this .png, .svg or .pdf file.")]


@Parameter(name="*")
@dataclass
class SweepOptions(Request):
    """What sweep, sensitivity and optimize take besides the options of their requests."""

    vary: Vary = None
    steps: Annotated[int | None, Parameter(converter=whole, help="Number of steps of each run.")] = None
    out: Out = None
    agents: Agents = None
    values: Values = None
    plot: Plot = None
    as_json: Json = False

    def do(self, task: Callable[..., Any], scenario: str, options: Any) -> tuple[Any, float]:
        """Call a function of the library with progress; return what it made, and the seconds that it took."""
        if self.steps is None:
            raise ScenarioError("a new sweep needs --steps, for example --steps 600")
        check_plot(self.plot, self.out)
        asked = options.arguments if options else {}
        changes = changed_values(self.agents, self.values)
        self.out = output_folder(self.out, "sweeps", scenario)
        begun = time.perf_counter()
        made = with_progress(
            task, self.out, scenario=scenario, vary=self.vary or [], steps=self.steps, out=self.out,
            changes=changes, **asked,
        )  # fmt: skip
        return made, time.perf_counter() - begun


def with_progress(act: Callable[..., Any], where: Path | None, **options: Any) -> Any:
    """Call a long-running function and show its progress; after Ctrl-C, say how to resume."""
    done = 0

    def count(now: int, end: int) -> None:
        nonlocal done
        done = now
        progress.update(now, end)

    with Progress("runs") as progress:
        try:
            return act(progress=count, announce=print_notice, **options)
        except KeyboardInterrupt:
            print_notice(
                f"stopped after {done:,} runs, which are saved in {where}; continue with the same command or "
                f"`murmura resume {where}`"
            )
            raise


def finish(made: Any, plot: Path | None, as_json: bool, seconds: float, **more: Any) -> None:
    """Draw, print the results, and report failed runs."""
    facts = {
        "scenario": made.start["source"],
        "varied": made.paths,
        "cells": made.design.cell_count,
        "runs": made.design.run_count,
        "failed": sum(1 for line in made.runs() if line["error"]),
        "seconds": round(seconds, 1),
        "table": str(made.folder / "table.csv"),
        **more,
    }
    print_facts(facts | drawn(made.folder, plot), as_json)
    warn_of_failures(made)


def check_plot(target: Path | None, out: Path | None) -> None:
    """Raise now, not after hours of work, if the figure cannot be written. A repeated command draws it again."""
    if target is not None:
        from murmura.lab.figures.plot import check_target
        from murmura.lab.fit.folder import is_fit
        from murmura.lab.infer.folder import is_inference
        from murmura.lab.sweeps.folder import is_sweep

        mine = out is not None and (is_sweep(out) or is_fit(out) or is_inference(out))
        check_target(target, force=mine)


def drawn(folder: Path, target: Path | None) -> dict[str, str]:
    """Draw the figure of a task if one was asked for; returns what the results say of it."""
    if target is None:
        return {}
    from murmura.lab.figures.plot import plot

    plot(folder, target, force=True)
    return {"plot": str(target)}


def warn_of_failures(made: Any) -> None:
    """Raise if runs failed, with the first reason: exit code 1."""
    errors = [line["error"] for line in made.runs() if line["error"]]
    if errors:
        raise RunError(
            f"{len(errors):,} of {made.design.run_count:,} runs failed, the first with: {errors[0]}. The others are "
            f"done; the same command retries the failed ones (see the column error in {made.folder}/table.csv)"
        )
