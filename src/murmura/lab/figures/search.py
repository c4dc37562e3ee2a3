"""Figures of searches and sensitivity analyses."""

from __future__ import annotations

from typing import Any

import numpy as np

from murmura.core.errors import RunError
from murmura.lab.figures.plot import COLORS, PlotOptions, measure_label, path_label, register_plot
from murmura.lab.sweeps.design import SEARCH
from murmura.lab.sweeps.folder import Sweep


def _is_search(source: Any) -> bool:
    return isinstance(source, Sweep) and source.kind == SEARCH


def _is_sensitivity(source: Any) -> bool:
    return isinstance(source, Sweep) and source.kind in ("saltelli", "morris")


@register_plot(
    "history", "the result of each trial of a search, and the best so far", _is_search, takes=("of",)
)
def draw_history(source: Sweep, figure: Any, options: PlotOptions) -> None:
    """Dots for trials, a line for the best so far."""
    name = options.of[0] if options.of else source.goal.measure
    best_of = np.fmax if source.goal.maximize else np.fmin
    lines = [line for line in source.cells() if line[name] is not None]
    if not lines:
        raise RunError(f"no trial of the search in {source.folder} is finished; continue it first")
    values = np.array([line[name] for line in lines])
    trials = np.array([line["cell"] for line in lines])
    panel = figure.subplots()
    panel.scatter(trials, values, s=14.0, color=COLORS[5], linewidths=0.0, label="trials")
    panel.step(trials, best_of.accumulate(values), where="post", color=COLORS[0], label="best so far")
    panel.xaxis.get_major_locator().set_params(integer=True)
    panel.set(xlabel="trial", ylabel=measure_label(name))
    panel.legend()


@register_plot("sensitivity", "the effect of each varied path on a measure", _is_sensitivity, takes=("of",))
def draw_sensitivity(source: Sweep, figure: Any, options: PlotOptions) -> None:
    """Sobol indices as bars with 95 % intervals, or Morris effects and their variation."""
    from murmura.lab.sensitivity import indices

    name = options.of[0] if options.of else source.measures[0]
    lines = list(indices(source, [name]))
    labels = [path_label(source, line["path"]) for line in lines]
    panel = figure.subplots()
    if source.kind == "morris":
        for line, label in zip(lines, labels, strict=True):
            panel.errorbar(
                line["mu_star"], line["sigma"], xerr=line["mu_star_interval"], fmt="o", color=COLORS[0]
            )
            panel.annotate(
                label, (line["mu_star"], line["sigma"]), (5, 4), textcoords="offset points", fontsize=8.0
            )
        panel.set(xlabel=f"mean size of effect, {measure_label(name)}", ylabel="its standard deviation")
        panel.margins(0.25)
        return
    figure.set_size_inches(options.width, 0.9 + 0.45 * len(lines))
    places = np.arange(len(lines))[::-1]
    for index, offset, color, label in (
        ("first", 0.18, COLORS[0], "alone"),
        ("total", -0.18, COLORS[4], "with interactions"),
    ):
        panel.barh(
            places + offset, [line[index] for line in lines], 0.34, color=color, label=label,
            xerr=[line[f"{index}_interval"] for line in lines], error_kw={"elinewidth": 0.8},
        )  # fmt: skip
    panel.set_yticks(places, labels)
    panel.set_xlabel(f"share of the variance of {measure_label(name)}")
    panel.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
