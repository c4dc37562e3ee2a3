"""`murmura fit`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from murmura.cli.idle_options import refuses_idle
from murmura.cli.options import Json, Values, app, changed_values, output_folder, print_facts
from murmura.cli.request_options import options_of
from murmura.cli.sweep_options import Out, Plot, Vary, check_plot, drawn, with_progress
from murmura.core.notices import print_notice
from murmura.lab.fit.request import FitRequest

FitOptions: Any = options_of(FitRequest)


@app.command
@refuses_idle(*FitRequest.idle)
def fit(
    scenario: str,
    /,
    *,
    to: Annotated[Path, Parameter(help="The run to fit to: tracked animals, or a simulation.")],
    out: Out = None,
    vary: Vary = None,
    options: FitOptions | None = None,
    values: Values = None,
    plot: Plot = None,
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
    out = output_folder(out, "fits", scenario)
    begun = time.perf_counter()
    made = with_progress(
        lab_fit, out, scenario=scenario, to=to, vary=vary or [], out=out, changes=changed_values(None, values),
        **(options.arguments if options else {}),
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
    facts["watch"] = f"murmura compare {made.manifest.to} {made.folder / 'best'}"
    print_facts(facts | drawn(made.folder, target), as_json)
    for warning in made.warnings:
        print_notice(warning)
