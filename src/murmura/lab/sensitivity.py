"""Sensitivity analysis: Sobol indices and Morris effects (SALib), from a sweep with a suitable design."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from murmura.core.errors import RunError, ScenarioError
from murmura.core.extras import needs
from murmura.core.request import takes
from murmura.lab.sweeps.design import MORRIS_LEVELS, salib_seed, unit_problem
from murmura.lab.sweeps.folder import Sweep
from murmura.lab.sweeps.request import METHODS, SensitivityRequest
from murmura.lab.sweeps.sweep import run_design
from murmura.lab.sweeps.tables import write_table

INDICES = "indices.csv"


@takes(SensitivityRequest)
def sensitivity(request: SensitivityRequest) -> Sweep:
    """Run the design of a method, and write its indices for every measure. Repeating the call continues it.

    Args:
        scenario, steps, out: As for `sweep`.
        vary: Ranges, as PATH=LOW:HIGH.
    """
    with needs("search"):
        import SALib  # noqa: F401  # fail before hours are spent on runs
    made = run_design(request, METHODS[request.method], request.samples, request.constant_density)
    lines = list(indices(made, list(made.measures)))
    write_table(made.folder / INDICES, iter(lines))
    vague = [line for line in lines if is_vague(line)]
    if vague:
        request.announce(
            f"{len(vague)} of {len(lines)} lines of {INDICES} have an interval wider than the index, for example "
            f"{vague[0]['path']} for {vague[0]['measure']}: take more --samples (now {request.samples}), or more "
            "--repeats if runs with other seeds differ much"
        )
    return made


def is_vague(line: dict[str, Any]) -> bool:
    """Whether an index of a line of `indices` could be 0, or twice as large, within its interval."""
    found = [name for name in line if f"{name}_interval" in line and line[name] is not None]
    return any(line[f"{name}_interval"] > abs(line[name]) for name in found)


def indices(made: Sweep, measures: list[str]) -> Iterator[dict[str, Any]]:
    """A line for each measure and path.

    Sobol: `first` is the share of the measure's variance that a path explains alone, `total` the share with all its
    interactions. Morris: `mu_star` is the mean size of the change in the measure for a step across the axis, `mu`
    with its sign, `sigma` its standard deviation: large if the effect depends on the other paths. Intervals are
    half-widths of 95 %. Measures that are undefined in some cell or constant have no lines.
    """
    if made.kind not in METHODS.values():
        raise ScenarioError(
            f"{made.folder} has the design {made.kind}, but indices need one made by `murmura sensitivity`"
        )
    made.check_points()
    cells = list(made.cells())
    if len(cells) < made.design.cell_count:
        raise RunError(
            f"only {len(cells)} of {made.design.cell_count} cells of {made.folder} are done; continue it first"
        )
    for name in measures:
        values = np.array([math.nan if cell[name] is None else cell[name] for cell in cells])
        known = bool(np.isfinite(values).all()) and float(np.ptp(values)) > 0.0
        found = _analyzed(made, values) if known else {}
        for k, path in enumerate(made.paths):
            yield {"measure": name, "path": path} | {
                index: float(found[key][k]) if known else None for index, key in _COLUMNS[made.kind].items()
            }


_COLUMNS = {
    "saltelli": {"first": "S1", "first_interval": "S1_conf", "total": "ST", "total_interval": "ST_conf"},
    "morris": {"mu_star": "mu_star", "mu_star_interval": "mu_star_conf", "mu": "mu", "sigma": "sigma"},
}


def _analyzed(made: Sweep, values: Any) -> Any:
    problem = unit_problem(made.paths)
    seed = salib_seed(made.design.seed)  # for the bootstrap of the intervals
    with needs("search"):
        from SALib.analyze import morris, sobol
    if made.kind == "saltelli":
        return sobol.analyze(problem, values, calc_second_order=True, seed=seed)
    return morris.analyze(problem, made.design.points, values, num_levels=MORRIS_LEVELS, seed=seed)
