"""`murmura plot`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from murmura.cli.idle_options import refuses_idle
from murmura.cli.options import Force, Json, RuleFiles, Whole, app, load_rules, print_facts
from murmura.core.request import Idle


@app.command
@refuses_idle(
    Idle("dpi", lambda given: given.out.suffix.lower() != ".png", "only .png files are made of dots")
)
def plot(
    folder: Path,
    /,
    *,
    out: Annotated[Path, Parameter(help="The figure: a .png, .svg or .pdf file.")],
    kind: Annotated[
        str | None,
        Parameter(
            help="phase, lines, scatter or binder of a sweep, sensitivity, history of a search, series, "
            "population, traits, selection, family, neighbors, response, delay, msd, correlation, structure, "
            "fluctuations or groups of a run; by default what suits the folder; of a fit corner, predictive or models."
        ),
    ] = None,
    x: Annotated[
        str | None, Parameter(help="Varied path along the x-axis; for traits: time or generation.")
    ] = None,
    y: Annotated[
        str | None, Parameter(help="Varied path along the y-axis, or one line for each value.")
    ] = None,
    of: Annotated[
        str | None,
        Parameter(name=["--of", "--measure"], help="Measures (for traits, columns), separated by commas."),
    ] = None,
    width: Annotated[float, Parameter(help="Width in inches.")] = 5.5,
    dpi: Annotated[Whole, Parameter(help="Dots per inch, for .png.")] = 200,
    force: Force = False,
    rules: RuleFiles = None,
    as_json: Json = False,
) -> None:
    """Draw a figure of a sweep or a run: phase diagram, lines with errors, measures, populations, family tree.

    Parameters
    ----------
    folder
        The folder of a run or a sweep.
    """
    load_rules(rules)
    from murmura.lab.figures.plot import plot as draw

    measures = [name.strip() for name in of.split(",")] if of else None
    drawn = draw(folder, out, kind, x, y, measures, width, dpi, force)
    print_facts({"figure": str(out), "kind": drawn}, as_json)
