"""Figures of fits: the posterior, predictions against observations, and the probabilities of two models."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.core.errors import RunError
from murmura.lab.figures.plot import COLORS, PlotOptions, measure_label, register_plot
from murmura.lab.fit.folder import Fit
from murmura.lab.fit.summaries import MAPS, SHARES
from murmura.lab.sweeps.axes import Axis

BAND = (5.0, 95.0)
"""Percentiles between which nine in ten predictions lie."""


def _is_fit(source: Any) -> bool:
    return isinstance(source, Fit)


def _compares(source: Any) -> bool:
    return isinstance(source, Fit) and len(source.names) > 1


@register_plot("corner", "the posterior of each pair of paths", _is_fit, takes=("of",))
def draw_corner(source: Fit, figure: Any, options: PlotOptions) -> None:
    """Histograms on the diagonal, points below it. With two models: the more probable one, or the one named by --of."""
    from matplotlib.ticker import NullFormatter

    model = _chosen_model(source, options)
    lines, axes = source.posterior(model), source.axes[model]
    if not lines:
        raise RunError(f"{source.folder} accepted no run of {source.names[model]}")
    weights = np.array([line["weight"] for line in lines])
    values = [np.array([float(line[axis.path]) for line in lines]) for axis in axes]
    count = len(axes)
    figure.set_size_inches(options.width, options.width * (0.85 if count > 1 else 0.6))
    panels = figure.subplots(count, count, squeeze=False)
    for row in range(count):
        for column in range(count):
            panel = panels[row, column]
            if column > row:
                panel.remove()
                continue
            if row == column:
                edges = _edges(axes[row])
                panel.hist(values[row], edges, weights=weights / weights.sum(), color=COLORS[5])
                panel.set_yticks([])
                panel.set_xlim(edges[0], edges[-1])
            else:
                sizes = 4.0 + 60.0 * weights / weights.max()
                panel.scatter(
                    values[column], values[row], s=sizes, color=COLORS[0], alpha=0.5, linewidths=0.0
                )
                panel.set_xlim(axes[column].low, axes[column].high)
                panel.set_ylim(axes[row].low, axes[row].high)
                if axes[row].log:
                    panel.set_yscale("log")
                    panel.yaxis.set_minor_formatter(NullFormatter())
            if axes[column].log:
                panel.set_xscale("log")
                panel.xaxis.set_minor_formatter(NullFormatter())
            if row == count - 1:
                panel.set_xlabel(_label(source, model, axes[column]), fontsize=8.0)
            if column == 0 and row > 0:
                panel.set_ylabel(_label(source, model, axes[row]), fontsize=8.0)


@register_plot(
    "predictive",
    "what the fitted model predicts for each measure, and what was observed",
    _is_fit,
    takes=("of",),
)
def draw_predictive(source: Fit, figure: Any, options: PlotOptions) -> None:
    """For each measure and model, a band with nine in ten predictions, and the observed line over it."""
    names = [name for name in source.question.measures if not options.of or name in options.of]
    drawn = [source.predictions(model) for model in range(len(source.names))]
    if not any(drawn):
        raise RunError(f"{source.folder} has no predictions: fit with --predictions 40")
    across = min(2, len(names))
    rows = -(-len(names) // across)
    figure.set_size_inches(options.width, max(2.3, 2.0 * rows))
    panels = figure.subplots(rows, across, squeeze=False)
    for panel in panels.flat[len(names) :]:
        panel.remove()
    for panel, name in zip(panels.flat, names, strict=False):
        flat = name in MAPS
        x = np.arange(len(source.observed[name])) if flat else SHARES
        for k, (model, predictions) in enumerate(zip(source.names, drawn, strict=True)):
            if predictions:
                low, high = _band([one[name] for one in predictions])
                panel.fill_between(x, low, high, color=COLORS[k], alpha=0.3, linewidth=0.0, label=model)
        panel.plot(x, source.observed[name], color=COLORS[6], linewidth=1.2, label="observed")
        panel.set_title(measure_label(name), loc="left")
        panel.set_xlabel("bin" if flat else "share of all values")
    panels.flat[0].legend(fontsize=7.0)


@register_plot("models", "the probability of each of two models, by generation", _compares, takes=())
def draw_models(source: Fit, figure: Any, options: PlotOptions) -> None:
    """Probabilities of the models over the generations."""
    told = source.result["generations"]
    panel = figure.subplots()
    numbers = np.arange(1, len(told) + 1)
    below = np.zeros(len(told))
    for k, name in enumerate(source.names):
        shares = np.array([generation["probabilities"][k] for generation in told])
        panel.bar(numbers, shares, bottom=below, color=COLORS[k], label=name)
        below += shares
    panel.set_xticks(numbers, [f"{k}\n{g['epsilon']:.3g}" for k, g in zip(numbers, told, strict=True)])
    panel.set(xlabel="generation and its accepted distance", ylabel="probability", ylim=(0.0, 1.0))
    panel.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))


def _chosen_model(source: Fit, options: PlotOptions) -> int:
    if options.of:
        if options.of[0] not in source.names:
            raise RunError(f"{source.folder} has the models {', '.join(source.names)}, got {options.of[0]!r}")
        return source.names.index(options.of[0])
    shares = source.probabilities
    return max(range(len(source.names)), key=lambda k: shares[source.names[k]])


def _edges(axis: Axis) -> NDArray[np.float64]:
    if axis.log:
        return np.geomspace(axis.low, axis.high, 21)
    return np.linspace(axis.low, axis.high, 21)


def _band(values: list[NDArray[np.float64]]) -> tuple[Any, Any]:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # an empty bin has no band
        low, high = np.nanpercentile(np.stack(values), BAND, axis=0)
    return low, high


def _label(source: Fit, model: int, axis: Axis) -> str:
    from murmura.scenario.paths import unit_at

    words = [word for word in axis.path.split(".") if word != "rules"]
    unit = unit_at(source.scenario(model), axis.path)
    # On two lines: panels of a corner are small.
    return "\n".join(words).replace("_", " ") + (f" [{unit}]" if unit else "")
