"""`murmura infer`."""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from murmura.cli.idle_options import refuses_idle
from murmura.cli.options import Json, Values, app, changed_values, print_facts
from murmura.cli.request_options import options_of
from murmura.cli.sweep_options import Plot, check_plot, drawn
from murmura.core.notices import print_notice
from murmura.lab.infer.asked import InferRequest

InferOptions: Any = options_of(InferRequest)


@app.command
@refuses_idle(*InferRequest.idle)
def infer(
    scenario: str,
    /,
    *,
    to: Annotated[Path, Parameter(help="The run: tracked animals, or a simulation.")],
    out: Annotated[Path, Parameter(help="Output folder: a new one.")],
    vary: Annotated[
        list[str] | None,
        Parameter(help="A number to infer: PATH, or PATH=LOW:HIGH. Repeatable.", negative=""),
    ] = None,
    options: InferOptions | None = None,
    values: Values = None,
    plot: Plot = None,
    as_json: Json = False,
) -> None:
    """Infer which rules, and with which numbers, move the animals of a run, by predicting one frame from another.

    Parameters
    ----------
    scenario
        The model: name of a shipped scenario, or a .json or .toml file.
    """
    from murmura.lab.infer.infer import infer as lab_infer
    from murmura.lab.progress import Progress

    check_plot(plot, out)
    begun = time.perf_counter()
    with Progress("predicted frames") as progress:
        try:
            made = lab_infer(
                scenario, to, vary or [], out, changes=changed_values(None, values), progress=progress.update,
                announce=print_notice, **(options.arguments if options else {}),
            )  # fmt: skip
        except KeyboardInterrupt:
            print_notice(f"stopped; the same command continues from the stages that are finished in {out}")
            raise
    facts = _facts(made, to, time.perf_counter() - begun) | drawn(made.folder, plot)
    print_facts(facts, as_json)
    of_models = [warning for model in made.models for warning in model["warnings"]]
    for warning in [*made.data["recording"].get("warnings", []), *of_models]:
        print_notice(warning)


def _facts(made: Any, run: Path, seconds: float) -> dict[str, Any]:
    """The result in lines."""
    several = len(made.names) > 1
    facts: dict[str, Any] = {}
    for number, model in enumerate(made.models):
        before = f"{model['name']}: " if several else ""
        for path, line in made.table(number).items():
            facts[before + path] = _shown(line)
        facts[f"{before}predicts"] = _score(model["held_out_time"])
        for rule, share in model["shares"].items():
            idle = max(abs(share["loss"]), share["error"]) < 1e-9
            facts[f"{before}without {rule}"] = (
                "the same" if idle else f"{-share['loss']:+.4f} ± {share['error']:.4f} nat"
            )
    facts |= {name: _score(score) for name, score in made.data["baselines"].items()}
    for step in made.data.get("forward", [])[1:]:
        kept = "" if step["kept"] else ", no clear gain"
        facts[f"add {step['rule']}"] = f"{step['gain']:+.4f} ± {step['gain_error']:.4f} nat{kept}"
    facts |= {"table": str(made.folder / "estimates.csv"), "seconds": round(seconds, 1)}
    facts["watch"] = f"murmura compare {run} {made.folder / 'best'}"
    return facts


def _shown(line: dict[str, float]) -> str:
    """An estimate with as many digits as its error allows."""
    digits = 6 if line["error"] <= 0.0 else min(8, max(0, 1 - math.floor(math.log10(line["error"]))))
    value, low, high = (f"{line[key]:.{digits}f}" for key in ("value", "low", "high"))
    return f"{value} ± {line['error']:.2g} (90 %: {low} to {high})"


def _score(score: dict[str, Any]) -> str:
    return f"{score['likelihood']:.4f} nat, {100.0 * score['explained']:.1f} % of the change of velocity"
