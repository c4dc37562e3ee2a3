"""`murmura measure`."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from murmura.cli.idle_options import refuses_idle
from murmura.cli.options import Force, Json, RuleFiles, app, load_rules, print_facts
from murmura.cli.request_options import options_of
from murmura.core.notices import print_notice
from murmura.core.request import Idle, names_in
from murmura.lab.measuring.request import MeasureRequest

MeasureOptions: Any = options_of(MeasureRequest)


def _is_sweep(folder: Path) -> bool:
    from murmura.lab.sweeps.folder import is_sweep

    return is_sweep(folder)


@app.command
@refuses_idle(
    Idle("every", lambda given: _is_sweep(given.folder), "a sweep is measured at its own instants"),
    Idle("force", lambda given: given.out is None, "nothing is written without --out"),
)
def measure(
    folder: Path,
    /,
    *,
    options: MeasureOptions | None = None,
    out: Annotated[
        Path | None, Parameter(help="Write numbers and curves to this .csv, .parquet or .nc (netCDF) file.")
    ] = None,
    force: Force = False,
    rules: RuleFiles = None,
    as_json: Json = False,
) -> None:
    """Measure a run or a sweep over time: displacement, g(r), S(k), groups and more, and averages, with errors.

    Parameters
    ----------
    folder
        The folder of a run, of tracked animals or of a sweep. The runs of a sweep are simulated again.
    """
    from murmura.lab.measuring.files import check_file

    if out is not None:
        check_file(out, force)
    load_rules(rules)
    options = options or MeasureOptions()
    chosen = names_in(options.names) or None
    if _is_sweep(folder):
        _measure_sweep(folder, chosen, options.discard, out, rules, as_json)
    else:
        _measure_run(folder, chosen, options.discard, options.every, out, as_json)


def _measure_run(
    folder: Path, names: list[str] | None, discard: float | None, every: int, out: Path | None, as_json: bool
) -> None:
    from murmura.lab.measuring.files import lines_of, write_measures
    from murmura.lab.measuring.measure_run import about, dataset_of, measured_runs
    from murmura.lab.progress import Progress
    from murmura.lab.runs.run import open_run

    run = open_run(folder)
    with Progress("frames") as progress:
        found = measured_runs([run], names, discard, every, progress.update)
    if out is not None:
        write_measures(out, lines_of(found), lambda: dataset_of(found, about([run])))
    print_facts(_facts(found) | ({} if out is None else {"written": str(out)}), as_json)
    for line in found.notices:
        print_notice(line)


def _facts(found: Any) -> dict[str, Any]:
    """The numbers in lines, and how long the curves are."""
    how = "in equilibrium after" if found.detected else "discarded"
    facts: dict[str, Any] = {"frames": found.frames, how: f"{found.discarded:g} s"}
    for name, one in found.found.items():
        for number, value in one.numbers.items():
            unit = f" {value.unit}" if value.unit else ""
            error = "" if number.endswith("_time") else _error(value.error)
            facts[number] = f"{value.value:.5g}{error}{unit}"
        if one.curve is not None:
            about = found.observables[name]
            facts[name] = (
                f"a curve of {len(one.curve.x)} points against {about.x.replace('_', ' ')} [{about.x_unit}]"
            )
    return facts


def _error(error: float) -> str:
    return " (too short for an error)" if math.isnan(error) else f" ± {error:.2g}"


def _measure_sweep(
    folder: Path,
    names: list[str] | None,
    discard: float | None,
    out: Path | None,
    rules: list[str] | None,
    as_json: bool,
) -> None:
    from murmura.lab.measuring.files import write_measures
    from murmura.lab.measuring.measure_sweep import cell_lines, dataset_of_cells, measure_sweep
    from murmura.lab.progress import Progress
    from murmura.lab.sweeps.folder import open_sweep

    sweep = open_sweep(folder)
    with Progress("runs") as progress:
        cells = measure_sweep(
            sweep, names, discard=discard, rules=rules or (), progress=progress.update, announce=print_notice
        )
    title = {"title": f"sweep of {sweep.question.scenario['name']}", "varied": ", ".join(sweep.paths)}
    if out is not None:
        write_measures(out, cell_lines(cells), lambda: dataset_of_cells(cells, title))
    facts: dict[str, Any] = {"cells": len(cells), "measures": list(cells[0][1].found)}
    for values, found in cells if out is None else ():
        where = ", ".join(f"{path} {value}" for path, value in values.items())
        facts |= {f"{where}: {name}": text for name, text in _facts(found).items() if "curve" not in text}
    print_facts(facts | ({} if out is None else {"written": str(out)}), as_json)
    for line in dict.fromkeys(line for _, found in cells for line in found.notices):
        print_notice(line)
