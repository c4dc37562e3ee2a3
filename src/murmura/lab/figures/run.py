"""Figures of runs: measures over time, and the life of its population."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

from murmura.core.errors import RunError
from murmura.core.events import Event
from murmura.lab.figures.plot import COLORS, SHARES, PlotOptions, measure_label, register_plot
from murmura.lab.runs.run import Run

LIFE_BINS = 60
"""Number of equal intervals in which events are counted."""


def _is_run(source: Any) -> bool:
    return isinstance(source, Run)


def _series(run: Run) -> dict[str, tuple[list[float], list[float]]]:
    """For each measure, the times [s] at which it was measured and defined, and its values."""
    series: dict[str, tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))
    for row in run.metrics():
        for name, value in row.items():
            if name not in ("step", "time") and isinstance(value, int | float) and math.isfinite(value):
                series[name][0].append(row["time"])
                series[name][1].append(value)
    if not series:
        raise RunError(f"the run in {run.folder} has no metrics yet")
    return series


@register_plot("series", "measures over time", _is_run, takes=("of",))
def draw_series(run: Run, figure: Any, options: PlotOptions) -> None:
    """A small panel for each measure."""
    series = _series(run)
    names = options.of or tuple(name for name in series if name != "agents")
    across = 1 if len(names) == 1 else 2
    rows = math.ceil(len(names) / across)
    figure.set_size_inches(options.width, max(1.3 * rows, 0.55 * options.width * (across == 1)))
    figure.suptitle(_title(run))
    panels = _panels(figure, len(names), rows, across)
    for k, (panel, name) in enumerate(zip(panels, names, strict=True)):
        panel.plot(*series[name])
        panel.set_title(measure_label(name), loc="left")
        if name in SHARES:
            panel.set_ylim(-0.03, 1.03)
        if k >= len(names) - across - len(names) % across:
            panel.set_xlabel(measure_label("time"))
            panel.tick_params(labelbottom=True)


def _panels(figure: Any, count: int, rows: int, across: int) -> list[Any]:
    """Panels with one time axis, row by row; one that is alone in the last row is as wide as the figure."""
    grid = figure.add_gridspec(rows, across)
    found: list[Any] = []
    for k in range(count):
        row, column = divmod(k, across)
        place = grid[row, :] if k == count - 1 and column == 0 else grid[row, column]
        panel = figure.add_subplot(place, sharex=found[0] if found else None)
        panel.tick_params(labelbottom=False)
        found.append(panel)
    return found


def _title(run: Run) -> str:
    scene = run.scenario.title.partition(": ")[0] or run.scenario.name
    return f"{scene} ({run.scenario.name}, seed {run.seed})"


@register_plot(
    "life",
    "the number of living agents, their mean energy, and births, deaths, meals and other events per minute",
    _is_run,
    takes=(),
)
def draw_life(run: Run, figure: Any, options: PlotOptions) -> None:
    """Three panels over one time axis; rates on a logarithmic scale, because there are many meals per capture."""
    series = _series(run)
    curves = [name for name in ("agents", "energy_mean") if name in series]
    figure.set_size_inches(options.width, options.width * (0.35 * len(curves) + 0.45))
    heights = [1.0] * len(curves) + [1.6]
    *panels, rates = figure.subplots(len(heights), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    for panel, name in zip(panels, curves, strict=True):
        times, values = series[name]
        panel.plot([time / 60.0 for time in times], values)
        panel.set_ylabel(measure_label(name))
        panel.set_ylim(bottom=0.0)
        panel.margins(x=0.01)
    _draw_rates(rates, run)
    rates.set_xlabel("time [min]")


def _draw_rates(panel: Any, run: Run) -> None:
    """Events of each kind per minute."""
    import numpy as np

    steps = defaultdict(list)
    for event in run.events():
        steps[event["kind"]].append(event["step"])
    first = int(run.manifest["first_step"])
    edges = np.linspace(first, first + max(1, int(run.manifest["steps_done"])), LIFE_BINS + 1)
    minutes = edges * run.scenario.motion.time_step / 60.0
    for kind, color in zip(Event, COLORS, strict=False):
        found = steps[kind.name.lower()]
        if found:
            rates = np.histogram(found, edges)[0] / np.diff(minutes)
            style = (
                "--" if kind is Event.MATING else "-"
            )  # if each mating yields one offspring, its curve would hide the births
            panel.stairs(rates, minutes, baseline=None, color=color, linestyle=style, label=_plural(kind))
    panel.set_yscale("log")
    panel.set_ylabel("events [1/min]")
    if panel.get_legend_handles_labels()[1]:
        panel.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.3)


def _plural(kind: Event) -> str:
    return f"{kind.name.lower()}s"
