"""Finite sizes: an order parameter and Binder's cumulant along one path, a curve for each size of the world."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from murmura.core.errors import RunError, ScenarioError
from murmura.lab.figures.curves import BARS, GUIDE
from murmura.lab.figures.plot import PlotOptions, path_label, register_plot
from murmura.lab.figures.sweep import Line, axis_of, cells_of, colors_for, error_of, number
from murmura.lab.sweeps.axes import Axis
from murmura.lab.sweeps.density import AGENTS
from murmura.lab.sweeps.folder import Sweep
from murmura.lab.sweeps.statistics import orders_among
from murmura.lab.sweeps.tables import ERROR

ORDERED = 2.0 / 3.0


def _has_order(source: Any) -> bool:
    return isinstance(source, Sweep) and source.kind == "grid" and bool(orders_among(source.measures))


@register_plot(
    "binder", "an order parameter and Binder's cumulant along one path, for several sizes", _has_order
)
def draw_binder(source: Sweep, figure: Any, options: PlotOptions) -> None:
    """Three panels that share the horizontal axis: order, its fluctuations, and the cumulant."""
    name = options.of[0] if options.of else orders_among(source.measures)[0]
    if not orders_among([name]):
        raise ScenarioError(
            f"{name} is no order parameter: choose from {', '.join(orders_among(source.measures))}"
        )
    x, apart = _axes(source, options)
    lines = cells_of(source)
    if lines[0].get(f"{name}_binder") is None and all(line.get(f"{name}_binder") is None for line in lines):
        raise RunError(f"the sweep in {source.folder} was made without moments of {name}; make it anew")
    figure.set_size_inches(options.width, 1.25 * options.width)
    panels = figure.subplots(3, 1, sharex=True)
    values = [None] if apart is None else list(apart.grid())
    for value, color in zip(values, colors_for(len(values)), strict=True):
        chosen = [line for line in lines if apart is None or line[apart.path] == value]
        chosen.sort(key=lambda line: float(line[x.path]))
        label = None if apart is None else _size(chosen, apart, value)
        for panel, suffix in zip(panels, ("", "_susceptibility", "_binder"), strict=True):
            _curve(panel, x, f"{name}{suffix}", chosen, color, label)
    _dress(panels, name, source, x)
    if apart is not None:
        panels[0].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=8.0)


def _axes(source: Sweep, options: PlotOptions) -> tuple[Axis, Axis | None]:
    """The path along the panels, and the one with a curve for each value: by default the number of agents."""
    paths = [axis.path for axis in source.design.axes if axis.path != AGENTS]
    x = axis_of(source, options.x or (paths[0] if paths else None), 0)
    rest = [axis.path for axis in source.design.axes if axis.path != x.path]
    if not x.is_numeric:
        raise ScenarioError(f"--x must be a path of numbers, got {x.path}")
    chosen = options.y or (AGENTS if AGENTS in rest else next(iter(rest), None))
    if len(rest) > 1:
        raise ScenarioError(f"a figure of sizes shows two varied paths, this sweep varies {len(rest) + 1}")
    return x, None if chosen is None else axis_of(source, chosen, 0)


def _size(lines: list[Line], apart: Axis, value: Any) -> str:
    """How the legend calls a curve: by the side of the world, where it follows the number of agents."""
    if apart.path != AGENTS:
        return f"{value:.4g}" if isinstance(value, float) else str(value)
    side = lines[0].get("world.width") if lines else None
    return f"N = {value:,}" if side is None else f"L = {side:.4g}, N = {value:,}"


def _curve(panel: Any, x: Axis, name: str, lines: list[Line], color: Any, label: str | None) -> None:
    values = np.array([number(line[name]) for line in lines])
    plain = f"{name}{ERROR}"
    errors = np.array([number(error_of(line, name) if plain in line else math.nan) for line in lines])
    places = [float(line[x.path]) for line in lines]
    panel.errorbar(places, values, np.nan_to_num(errors), color=color, label=label, **BARS)


def _dress(panels: Any, name: str, source: Sweep, x: Axis) -> None:
    order, chi, binder = panels
    order.set_ylabel(name.replace("_", " ") + " φ")
    order.set_ylim(-0.03, 1.03)
    chi.set_ylabel("n (⟨φ²⟩ − ⟨φ⟩²)")
    chi.set_ylim(bottom=0.0)
    binder.set_ylabel("1 − ⟨φ⁴⟩ / 3⟨φ²⟩²")
    for level in (ORDERED, 1.0 / 3.0 if source.scenario.world.dimension == 2 else 4.0 / 9.0):
        binder.axhline(level, linestyle=":", **GUIDE)
    binder.set_xlabel(path_label(source, x.path))
    if x.log:
        binder.set_xscale("log")
