"""`murmura fit`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from murmura.cli.idle_options import NO_THREADS, refuses_idle
from murmura.cli.options import (
    Backend,
    Json,
    RuleFiles,
    Values,
    Whole,
    app,
    changed_values,
    load_rules,
    output_folder,
    print_facts,
)
from murmura.cli.sweep_options import MaybeWhole, Vary, check_plot, with_progress
from murmura.core.notices import print_notice
from murmura.core.request import Idle

MAPS = ("neighbor_map", "response_map", "alignment_curve")
AgainstVary = Annotated[
    list[str] | None,
    Parameter(name="--vary-against", help="Ranges of the second model: PATH=LOW:HIGH.", negative=""),
]


@app.command
@refuses_idle(
    Idle("vary_against", lambda given: given.against is None, "it is for a second model: add --against"),
    Idle(
        "reach",
        lambda given: not set(given.measure.split(",")) & set(MAPS),
        f"it is the range of {', '.join(MAPS)}, none of which is compared",
    ),
    NO_THREADS,
)
def fit(
    scenario: str,
    /,
    *,
    to: Annotated[Path, Parameter(help="The run to fit to: tracked animals, or a simulation.")],
    out: Annotated[
        Path | None,
        Parameter(
            help="Output folder, new or to continue; by default the next free one, such as fits/couzin-0."
        ),
    ] = None,
    vary: Vary = None,
    measure: Annotated[
        str,
        Parameter(
            help="What to compare, separated by commas: measures; speeds, nearest_neighbor_distances, turning_rates; "
            "neighbor_map, response_map, alignment_curve."
        ),
    ] = "polarization,speeds,nearest_neighbor_distances,turning_rates",
    against: Annotated[
        str | None, Parameter(help="A second model, to find out which of the two explains the run better.")
    ] = None,
    vary_against: AgainstVary = None,
    population: Annotated[Whole, Parameter(help="Number of runs that each generation accepts.")] = 100,
    generations: Annotated[
        Whole, Parameter(help="Number of generations; each accepts only closer runs than the previous one.")
    ] = 5,
    seconds: Annotated[
        float | None, Parameter(help="Simulated time of each run [s]; by default that of the run in --to.")
    ] = None,
    discard: Annotated[
        float | None, Parameter(help="Initial time that is not compared [s]; by default half.")
    ] = None,
    instants: Annotated[Whole, Parameter(help="Number of instants at which runs are compared.")] = 40,
    distance: Annotated[
        str, Parameter(help="Distance between distributions: wasserstein or energy.")
    ] = "wasserstein",
    reach: Annotated[float | None, Parameter(help="Range of the maps [u].")] = None,
    own_world: Annotated[
        bool, Parameter(help="Keep the scenario's own world, agents and start.", negative="")
    ] = False,
    predictions: Annotated[
        Whole, Parameter(help="Number of runs drawn from the posterior, for predictive checks.")
    ] = 40,
    seed: Annotated[Whole, Parameter(help="Seed of all random numbers.")] = 0,
    batch: Annotated[Whole, Parameter(help="Number of runs drawn at once.")] = 16,
    most_runs: Annotated[Whole, Parameter(help="Greatest total number of runs.")] = 20_000,
    values: Values = None,
    workers: Annotated[MaybeWhole, Parameter(help="Number of processes; by default one per core.")] = None,
    scheduler: Annotated[
        str | None, Parameter(help="Address of a Dask scheduler that distributes the runs.")
    ] = None,
    threads: Annotated[Whole, Parameter(help="Threads per run.")] = 1,
    backend: Backend = "auto",
    rules: RuleFiles = None,
    plot: Annotated[
        Path | None, Parameter(help="Draw the posterior to this .png, .svg or .pdf file.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Find the values for which a scenario moves like a run of animals (approximate Bayesian computation).

    Ranges are given as --vary PATH=LOW:HIGH. Repeat the command to continue an interrupted one.

    Parameters
    ----------
    scenario
        The model: name of a shipped scenario, or a .json or .toml file.
    """
    from murmura.lab.fit.fit import fit as lab_fit

    check_plot(plot, out)
    load_rules(rules)
    out = output_folder(out, "fits", scenario)
    begun = time.perf_counter()
    made = with_progress(
        lab_fit, out, scenario=scenario, to=to, vary=vary or [], out=out,
        measures=[name.strip() for name in measure.split(",")], against=against, vary_against=vary_against,
        population=population, generations=generations, seconds=seconds, discard=discard, instants=instants,
        metric=distance, reach=reach, own_world=own_world, predictions=predictions, seed=seed, batch=batch,
        most_runs=most_runs, workers=workers, scheduler=scheduler, threads=threads, backend=backend,
        rules=rules or (), changes=changed_values(None, values),
    )  # fmt: skip
    finish(made, plot, time.perf_counter() - begun, as_json)


def finish(made: Any, target: Path | None, seconds: float, as_json: bool) -> None:
    """Draw and print the posterior."""
    import numpy as np

    from murmura.lab.fit.diagnosis import effective_size

    told = made.result["generations"]
    facts: dict[str, Any] = {
        "models": {name: f"{share:.3f}" for name, share in made.probabilities.items()},
        "runs": made.result["runs"],
        "generations": len(told),
        "accepted distance": ", ".join(f"{one['epsilon']:.4g}" for one in told),
        "accepted share": ", ".join(f"{one['accepted'] / one['runs']:.0%}" for one in told),
        "effective runs": f"{effective_size(np.array([line['weight'] for line in made.posterior()])):.0f}",
    }
    for number, name in enumerate(made.names):
        contracted = made.contraction(number)
        for axis in made.axes[number]:
            line = made.table(number).get(axis.path)
            if line is None:
                continue
            key = axis.path if len(made.names) == 1 else f"{name}: {axis.path}"
            facts[key] = (
                f"{line['q50']:.4g} (90 %: {line['q05']:.4g} to {line['q95']:.4g}; prior {axis.low:g} to "
                f"{axis.high:g}, contracted by {contracted[axis.path]:.0%})"
            )
    facts |= {"seconds": round(seconds, 1), "table": str(made.folder / "posterior.csv")}
    facts["watch"] = f"murmura compare {made.manifest.get('to', 'RUN')} {made.folder / 'best'}"
    if target is not None:
        from murmura.lab.figures.plot import plot

        plot(made.folder, target, force=True)
        facts["plot"] = str(target)
    print_facts(facts, as_json)
    for warning in made.warnings:
        print_notice(warning)
