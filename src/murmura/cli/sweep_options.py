"""Options and progress for sweep, sensitivity and optimize."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from murmura.cli.options import (
    Agents,
    Backend,
    Json,
    RuleFiles,
    Values,
    Whole,
    changed_values,
    load_rules,
    output_folder,
    whole,
)
from murmura.core.errors import RunError, ScenarioError
from murmura.core.notices import print_notice
from murmura.core.request import Request
from murmura.lab.progress import Progress

Vary = Annotated[
    list[str] | None,
    Parameter(
        name="--vary",
        help="What to vary: PATH=LOW:HIGH:COUNT, PATH=LOW:HIGH:COUNT:log or PATH=A,B,C. May be repeated.",
        negative="",
    ),
]
MaybeWhole = Annotated[int | None, Parameter(converter=whole)]


@Parameter(name="*")
@dataclass
class SweepOptions(Request):
    """Options of all runs and of their execution."""

    steps: Annotated[MaybeWhole, Parameter(help="Number of steps of each run.")] = None
    out: Annotated[
        Path | None,
        Parameter(
            help="Output folder, new or to continue; by default the next free one, such as sweeps/vicsek-0."
        ),
    ] = None
    repeats: Annotated[Whole, Parameter(help="Number of runs per cell, with independent seeds.")] = 1
    seed: Annotated[Whole, Parameter(help="The seeds of all runs are derived from this one.")] = 0
    agents: Agents = None
    values: Values = None
    measure: Annotated[str | None, Parameter(help="Measures, separated by commas; by default all.")] = None
    discard: Annotated[
        MaybeWhole, Parameter(help="Initial steps that are not measured; by default half of all.")
    ] = None
    every: Annotated[
        MaybeWhole, Parameter(help="Steps between measurements; by default chosen for twenty of them.")
    ] = None
    workers: Annotated[
        MaybeWhole, Parameter(help="Number of processes on this machine; by default one per core.")
    ] = None
    scheduler: Annotated[
        str | None, Parameter(help="Address of a Dask scheduler that distributes the runs.")
    ] = None
    threads: Annotated[Whole, Parameter(help="Threads per run.")] = 1
    backend: Backend = "auto"
    rules: RuleFiles = None
    plot: Annotated[Path | None, Parameter(help="Draw the result to this .png, .svg or .pdf file.")] = None
    yes: Annotated[bool, Parameter(help="Allow a very large number of runs.", negative="")] = False
    as_json: Json = False

    def options(self, scenario: str) -> dict[str, Any]:
        """The options as arguments of the library."""
        if self.steps is None:
            raise ScenarioError("a new sweep needs --steps, for example --steps 600")
        load_rules(self.rules)
        self.out = output_folder(self.out, "sweeps", scenario)
        return {
            "scenario": scenario,
            "steps": self.steps,
            "out": self.out,
            "repeats": self.repeats,
            "seed": self.seed,
            "measures": [name.strip() for name in self.measure.split(",")] if self.measure else None,
            "discard": self.discard,
            "every": self.every,
            "workers": self.workers,
            "scheduler": self.scheduler,
            "backend": self.backend,
            "threads": self.threads,
            "rules": self.rules or (),
            "changes": changed_values(self.agents, self.values),
            "sure": self.yes,
        }


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


def check_plot(target: Path | None, out: Path | None) -> None:
    """Raise now, not after hours of work, if the figure cannot be written. A repeated command draws it again."""
    if target is not None:
        from murmura.lab.figures.plot import check_target
        from murmura.lab.fit.folder import is_fit
        from murmura.lab.infer.folder import is_inference
        from murmura.lab.sweeps.folder import is_sweep

        mine = out is not None and (is_sweep(out) or is_fit(out) or is_inference(out))
        check_target(target, force=mine)


def warn_of_failures(made: Any) -> None:
    """Raise if runs failed, with the first reason: exit code 1."""
    errors = [line["error"] for line in made.runs() if line["error"]]
    if errors:
        raise RunError(
            f"{len(errors):,} of {made.design.run_count:,} runs failed, the first with: {errors[0]}. The others are "
            f"done; the same command retries the failed ones (see the column error in {made.folder}/table.csv)"
        )
