"""`murmura infer`."""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from murmura.cli.idle_options import refuses_idle
from murmura.cli.options import Json, RuleFiles, Values, Whole, app, changed_values, load_rules, print_facts
from murmura.cli.sweep_options import check_plot
from murmura.core.notices import print_notice
from murmura.core.request import Idle

AgainstVary = Annotated[
    list[str] | None,
    Parameter(name="--vary-against", help="Ranges of the second model: PATH=LOW:HIGH.", negative=""),
]


@app.command
@refuses_idle(
    Idle("vary_against", lambda given: given.against is None, "it is for a second model: add --against"),
)
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
    against: Annotated[str | None, Parameter(help="A second model, judged by the same motion.")] = None,
    vary_against: AgainstVary = None,
    every: Annotated[
        Whole, Parameter(help="Frames ahead to predict; more suffer less from tracking errors.")
    ] = 1,
    frames: Annotated[Whole, Parameter(help="Greatest number of frames to predict from.")] = 1000,
    reach: Annotated[
        float | None, Parameter(help="Greatest distance of neighbours in the free force [u].")
    ] = None,
    forward: Annotated[
        str | None, Parameter(help="Rules to select from, separated by commas, beginning with none.")
    ] = None,
    shares: Annotated[bool, Parameter(help="Find what the model loses without each of its rules.")] = True,
    own_world: Annotated[bool, Parameter(help="Keep the scenario's own world.", negative="")] = False,
    seed: Annotated[Whole, Parameter(help="Seed of the model's random numbers.")] = 0,
    values: Values = None,
    rules: RuleFiles = None,
    plot: Annotated[Path | None, Parameter(help="Draw the result to this .png, .svg or .pdf file.")] = None,
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
    load_rules(rules)
    begun = time.perf_counter()
    with Progress("predicted frames") as progress:
        try:
            made = lab_infer(
                scenario, to, vary or [], out, against=against, vary_against=vary_against, every=every, frames=frames,
                reach=reach, forward=[name.strip() for name in (forward or "").split(",") if name.strip()],
                shares=shares, own_world=own_world, seed=seed, rules=rules or (), changes=changed_values(None, values),
                progress=progress.update, announce=print_notice,
            )  # fmt: skip
        except KeyboardInterrupt:
            print_notice(f"stopped; the same command continues from the stages that are finished in {out}")
            raise
    if plot is not None:
        from murmura.lab.figures.plot import plot as draw

        draw(made.folder, plot, force=True)
    print_facts(_facts(made, to, time.perf_counter() - begun, plot), as_json)
    of_models = [warning for model in made.models for warning in model["warnings"]]
    for warning in [*made.data["recording"].get("warnings", []), *of_models]:
        print_notice(warning)


def _facts(made: Any, run: Path, seconds: float, target: Path | None) -> dict[str, Any]:
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
    return facts | ({} if target is None else {"plot": str(target)})


def _shown(line: dict[str, float]) -> str:
    """An estimate with as many digits as its error allows."""
    digits = 6 if line["error"] <= 0.0 else min(8, max(0, 1 - math.floor(math.log10(line["error"]))))
    value, low, high = (f"{line[key]:.{digits}f}" for key in ("value", "low", "high"))
    return f"{value} ± {line['error']:.2g} (90 %: {low} to {high})"


def _score(score: dict[str, Any]) -> str:
    return f"{score['likelihood']:.4f} nat, {100.0 * score['explained']:.1f} % of the change of velocity"
