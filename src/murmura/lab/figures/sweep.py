"""Figures of sweeps: the phase diagram of two varied paths, lines of one, and clouds of scattered designs."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.core.errors import RunError, ScenarioError, nearest
from murmura.lab.figures.plot import (
    COLOR_MAP,
    COLORS,
    SHARES,
    PlotOptions,
    measure_label,
    path_label,
    register_plot,
)
from murmura.lab.sweeps.axes import Axis
from murmura.lab.sweeps.folder import Sweep
from murmura.lab.sweeps.statistics import IN_TIME
from murmura.lab.sweeps.tables import ERROR, mean_and_error

Line = dict[str, Any]
MOST_FACETS = 6
MOST_TICKS = 9
MOST_BESIDE = 3


def _is_grid(source: Any) -> bool:
    return isinstance(source, Sweep) and source.kind == "grid"


def _is_scattered(source: Any) -> bool:
    return isinstance(source, Sweep) and source.kind != "grid"


def axis_of(source: Sweep, path: str | None, default: int) -> Axis:
    paths = source.paths
    if path is None:
        return source.design.axes[default]
    if path not in paths:
        raise ScenarioError(
            f"{source.folder} does not vary {path!r}{nearest(path, paths)}; it varies {', '.join(paths)}"
        )
    return source.design.axes[paths.index(path)]


def cells_of(source: Sweep) -> list[Line]:
    lines = list(source.cells())
    if not lines:
        raise RunError(f"no run of the sweep in {source.folder} is finished; continue it first")
    return lines


def _measures(source: Sweep, options: PlotOptions) -> tuple[str, ...]:
    return options.of or (source.measures[0],)


def _parts(figure: Any, count: int, width: float, height: float) -> list[Any]:
    """This many subfigures in rows of at most three; a single one is the figure itself."""
    across = min(count, MOST_BESIDE)
    down = math.ceil(count / across)
    figure.set_size_inches(width, height * down)
    return [figure] if count == 1 else list(figure.subfigures(down, across, squeeze=False).flat)[:count]


def _range(name: str, values: Sequence[float]) -> tuple[float, float]:
    known = [value for value in values if not math.isnan(value)]
    if name in SHARES or not known:
        return 0.0, 1.0
    return min(known), max(known)


def number(value: float | None) -> float:
    return math.nan if value is None else value


@register_plot("phase", "maps of measures over two varied paths", lambda s: _is_grid(s) and len(s.paths) >= 2)
def draw_phase(source: Sweep, figure: Any, options: PlotOptions) -> None:
    """A heat map of each measure. Two further paths become rows and columns of maps; others are averaged over."""
    names = _measures(source, options)
    x = axis_of(source, options.x, 0 if options.y != source.paths[0] else 1)
    y = axis_of(source, options.y, next(k for k, path in enumerate(source.paths) if path != x.path))
    if x.path == y.path:
        raise ScenarioError(f"--x and --y must differ, got {x.path} for both")
    others = [axis for axis in source.design.axes if axis.path not in (x.path, y.path)]
    columns = _facet_values(others[0]) if others else [None]
    rows = _facet_values(others[1]) if len(others) > 1 else [None]
    lines = cells_of(source)
    width = options.width / min(len(names), MOST_BESIDE)
    height = width * 0.75 if not others else 0.4 + width * 0.85 * len(rows) / len(columns)
    parts = _parts(figure, len(names), options.width, max(height, 1.6 * len(rows)))
    for part, name in zip(parts, names, strict=True):
        _maps(source, part, name, x, y, lines, others, columns, rows)


def _maps(
    source: Sweep,
    figure: Any,
    name: str,
    x: Axis,
    y: Axis,
    lines: list[Line],
    others: list[Axis],
    columns: list[Any],
    rows: list[Any],
) -> None:
    """The map of a measure, or a map for each value of the other varied paths."""
    low, high = _range(name, [number(line[name]) for line in lines])
    panels = figure.subplots(len(rows), len(columns), sharex=True, sharey=True, squeeze=False)
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            panel = panels[i][j]
            fixed = {axis.path: v for axis, v in zip(others, (column, row), strict=False)}
            chosen = [line for line in lines if all(line[path] == v for path, v in fixed.items())]
            mesh = _map(panel, x, y, name, chosen, low, high)
            # Inner panels share the labels of the outer ones.
            if i == len(rows) - 1:
                panel.set_xlabel(path_label(source, x.path))
            if j == 0:
                panel.set_ylabel(path_label(source, y.path))
            if fixed:
                panel.set_title(", ".join(f"{path_label(source, p)} = {_short(v)}" for p, v in fixed.items()))
    bar = figure.colorbar(mesh, ax=panels, label=measure_label(name), aspect=25, pad=0.02)
    bar.outline.set_visible(False)


def _facet_values(axis: Axis) -> list[Any]:
    values = list(axis.grid())
    if len(values) <= MOST_FACETS:
        return values
    picked = np.linspace(0, len(values) - 1, MOST_FACETS).round().astype(int)
    return [values[k] for k in picked]


def _map(panel: Any, x: Axis, y: Axis, name: str, lines: list[Line], low: float, high: float) -> Any:
    xs, ys = list(x.grid()), list(y.grid())
    found: dict[tuple[int, int], list[float | None]] = defaultdict(list)
    for line in lines:
        found[ys.index(line[y.path]), xs.index(line[x.path])].append(line[name])
    values = np.full((len(ys), len(xs)), np.nan)
    for place, several in found.items():
        values[place] = number(mean_and_error(several)[0])
    panel.set_facecolor("0.88")  # cells that failed or are not finished
    mesh = panel.pcolormesh(
        _edges(panel.xaxis, x),
        _edges(panel.yaxis, y),
        np.ma.masked_invalid(values),
        cmap=COLOR_MAP,
        vmin=low,
        vmax=high,
    )
    for spine in panel.spines.values():
        spine.set_visible(False)
    return mesh


def _edges(ruler: Any, axis: Axis) -> NDArray[np.float64]:
    """The edges of the cells along an axis; text values are evenly spaced."""
    values = axis.grid()
    if not axis.is_numeric:
        ruler.set_ticks(range(len(values)), [_short(value) for value in values])
        return np.arange(len(values) + 1, dtype=np.float64) - 0.5
    numbers = np.asarray(values, float)
    if len(values) <= MOST_TICKS:
        ruler.set_ticks(numbers, [_short(value) for value in values])
    if axis.log:
        ruler._set_axes_scale("log")
        return np.asarray(np.exp(_middles(np.log(numbers))), np.float64)
    return _middles(numbers)


def _middles(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    if len(numbers) == 1:
        return np.array([numbers[0] - 0.5, numbers[0] + 0.5])
    inner = (numbers[1:] + numbers[:-1]) / 2.0
    return np.concatenate([[2.0 * numbers[0] - inner[0]], inner, [2.0 * numbers[-1] - inner[-1]]])


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


@register_plot("lines", "measures along one varied path, with a band of one standard error", _is_grid)
def draw_lines(source: Sweep, figure: Any, options: PlotOptions) -> None:
    """A panel for each measure; with a second path, a line for each of its values."""
    names = options.of or (source.measures[0],)
    x = axis_of(source, options.x, 0)
    rest = [axis for axis in source.design.axes if axis.path != x.path]
    apart = axis_of(source, options.y, 0) if options.y else (rest[0] if rest else None)
    if apart is not None and apart.path == x.path:
        raise ScenarioError(f"--x and --y must differ, got {x.path} for both")
    lines = cells_of(source)
    figure.set_size_inches(options.width, (0.3 + 0.35 * len(names)) * options.width)
    panels = figure.subplots(len(names), 1, sharex=True, squeeze=False)[:, 0]
    values: Sequence[Any] = [None] if apart is None else apart.grid()
    colors = colors_for(len(values))
    for panel, name in zip(panels, names, strict=True):
        for value, color in zip(values, colors, strict=True):
            chosen = [line for line in lines if apart is None or line[apart.path] == value]
            _band(panel, x, name, chosen, color, None if apart is None else _short(value))
        panel.set_ylabel(measure_label(name))
        if name in SHARES:
            panel.set_ylim(-0.03, 1.03)
    panels[-1].set_xlabel(path_label(source, x.path))
    if apart is not None:
        panels[0].legend(
            title=path_label(source, apart.path), loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=8.0
        )


def colors_for(count: int) -> Sequence[Any]:
    if count <= len(COLORS):
        return COLORS[:count]
    from matplotlib import colormaps

    return [colormaps[COLOR_MAP](share) for share in np.linspace(0.0, 0.95, count)]


def _band(panel: Any, x: Axis, name: str, lines: list[Line], color: Any, label: str | None) -> None:
    groups: dict[Any, list[Line]] = defaultdict(list)
    for line in lines:
        groups[line[x.path]].append(line)
    keys = [value for value in x.grid() if value in groups]
    places = np.asarray(keys if x.is_numeric else range(len(keys)), float)
    mean = np.array([number(mean_and_error([line[name] for line in groups[k]])[0]) for k in keys])
    # With one cell per point, the error is over repeats, or of one run in time; if paths are averaged over, over cells.
    error = np.array(
        [
            number(
                error_of(groups[k][0], name)
                if len(groups[k]) == 1
                else mean_and_error(m[name] for m in groups[k])[1]
            )
            for k in keys
        ]
    )
    panel.plot(places, mean, color=color, marker="o", markersize=3.0, label=label)
    if np.isnan(error).all():
        panel.set_title("no errors: one short run each", loc="right", fontsize=7.5, color="0.4")
    else:
        panel.fill_between(places, mean - error, mean + error, color=color, alpha=0.2, linewidth=0.0)
    if not x.is_numeric:
        panel.set_xticks(places, [_short(k) for k in keys])
    elif x.log:
        panel.set_xscale("log")


def error_of(line: Line, name: str) -> float | None:
    """The error of a cell: over repeats, else in time."""
    over_repeats: float | None = line[name + ERROR]
    return line.get(name + IN_TIME) if over_repeats is None else over_repeats


@register_plot("scatter", "measures at the points of a scattered design", _is_scattered)
def draw_scatter(source: Sweep, figure: Any, options: PlotOptions) -> None:
    """Each measure against each path; with two paths, or with --x and --y, as a map of coloured points."""
    names, lines, axes = _measures(source, options), cells_of(source), source.design.axes
    width = options.width / min(len(names), MOST_BESIDE)
    if options.y or len(axes) == 2:
        x = axis_of(source, options.x, 0 if options.y != source.paths[0] else 1)
        y = axis_of(source, options.y, next(k for k, path in enumerate(source.paths) if path != x.path))
        for part, name in zip(_parts(figure, len(names), options.width, width * 0.75), names, strict=True):
            _colored_points(source, part, name, x, y, lines)
        return
    shown = [axis_of(source, options.x, 0)] if options.x else list(axes)
    columns = 1 if len(names) > 1 else min(len(shown), 3)
    height = max(width * 0.8 / columns, 2.2) * math.ceil(len(shown) / columns)
    for part, name in zip(_parts(figure, len(names), options.width, height), names, strict=True):
        _points(source, part, name, shown, columns, lines)


def _colored_points(source: Sweep, figure: Any, name: str, x: Axis, y: Axis, lines: list[Line]) -> None:
    values = [number(line[name]) for line in lines]
    low, high = _range(name, values)
    panel = figure.subplots()
    dots = panel.scatter(
        _places(panel.xaxis, x, lines), _places(panel.yaxis, y, lines), c=values, cmap=COLOR_MAP, vmin=low,
        vmax=high, s=22.0, linewidths=0.0,
    )  # fmt: skip
    panel.set(xlabel=path_label(source, x.path), ylabel=path_label(source, y.path))
    figure.colorbar(dots, label=measure_label(name), aspect=25, pad=0.02).outline.set_visible(False)


def _points(
    source: Sweep, figure: Any, name: str, shown: list[Axis], columns: int, lines: list[Line]
) -> None:
    """A measure against each path."""
    panels = figure.subplots(math.ceil(len(shown) / columns), columns, sharey=True, squeeze=False)
    for panel in panels.flat[len(shown) :]:
        panel.remove()
    for panel, axis in zip(panels.flat, shown, strict=False):
        values = [number(line[name]) for line in lines]
        places = _places(panel.xaxis, axis, lines)
        errors = [number(error_of(line, name)) for line in lines]
        panel.scatter(places, values, s=9.0, alpha=0.6, linewidths=0.0)
        if not np.isnan(errors).all():
            panel.errorbar(places, values, np.nan_to_num(errors), fmt="none", elinewidth=0.6, alpha=0.4)
        panel.set_xlabel(path_label(source, axis.path))
        if name in SHARES:
            panel.set_ylim(-0.03, 1.03)
    for row in panels:
        row[0].set_ylabel(measure_label(name))


def _places(ruler: Any, axis: Axis, lines: list[Line]) -> list[float]:
    if axis.is_numeric:
        if axis.log:
            ruler._set_axes_scale("log")
        return [float(line[axis.path]) for line in lines]
    ruler.set_ticks(range(len(axis.choices)), [_short(choice) for choice in axis.choices])
    return [float(axis.choices.index(line[axis.path])) for line in lines]
