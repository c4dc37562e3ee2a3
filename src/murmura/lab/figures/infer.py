"""Figures of inferences: free forces by distance and as maps, scores of models, profiles and residuals."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from murmura.core.errors import RunError
from murmura.lab.figures.plot import COLORS, PlotOptions, register_plot
from murmura.lab.infer.folder import Inference

DIVERGING = "PuOr"
LEAST_PAIRS = 20
"""Bins with fewer pairs are not drawn."""
FORCES = (
    ("attraction", "towards the neighbour [u/s²]"),
    ("alignment", "by the difference in velocity [1/s]"),
)


def _is_inference(source: Any) -> bool:
    return isinstance(source, Inference)


def _has_profiles(source: Any) -> bool:
    return isinstance(source, Inference) and any(
        line["profile"] for m in source.models for line in m["estimates"]
    )


def _has_maps(source: Any) -> bool:
    return isinstance(source, Inference) and "whole_map" in source.models[0]


@register_plot("forces", "the force between two animals against distance", _is_inference, takes=("of",))
def draw_forces(source: Inference, figure: Any, options: PlotOptions) -> None:
    """Attraction and alignment by distance, with 90 % bands: of animals and model, and what the model leaves."""
    model = _chosen(source, options)
    figure.set_size_inches(options.width, 0.5 * options.width)
    panels = figure.subplots(1, 2)
    shown = (
        ("whole_force", "animals"),
        ("missed_force", "missed by the model"),
        ("model_force", model["name"]),
    )
    for panel, (name, label) in zip(panels, FORCES, strict=True):
        for k, (which, words) in enumerate(shown):
            if which in model:
                _draw_curve(
                    panel, model[which], name, COLORS[k], words, "--" if which == "model_force" else "-"
                )
        panel.axhline(0.0, color="0.6", linewidth=0.7)
        panel.set(xlabel="distance [u]")
        panel.set_title(label, loc="left")
    panels[1].legend()


def _draw_curve(panel: Any, force: dict[str, Any], name: str, color: str, words: str, line: str) -> None:
    edges = np.array(force["distances"])
    middles, counts = 0.5 * (edges[1:] + edges[:-1]), np.array(force["counts"]).sum(axis=1)
    seen = counts >= LEAST_PAIRS
    if line == "-":
        low, high = (np.mean(side, axis=1) for side in force[f"{name}_band"])
        panel.fill_between(middles[seen], low[seen], high[seen], color=color, alpha=0.25, linewidth=0.0)
    panel.plot(middles[seen], np.mean(force[name], axis=1)[seen], line, color=color, label=words)


@register_plot(
    "maps",
    "the force between two animals by distance and angle, beside the model's",
    _has_maps,
    takes=("of",),
)
def draw_maps(source: Inference, figure: Any, options: PlotOptions) -> None:
    """Attraction and alignment by the place of the neighbour; the animal is in the middle and swims up."""
    model = _chosen(source, options)
    figure.set_size_inches(options.width, options.width)
    rows = figure.subplots(2, 2, sharex=True, sharey=True, squeeze=False)
    for row, (name, label) in zip(rows, FORCES, strict=True):
        maps = [_map_of(model[which], name) for which in ("whole_map", "model_map")]
        known = np.abs(np.concatenate([values[np.isfinite(values)] for values in maps]))
        limit = (float(np.quantile(known, 0.95)) if len(known) else 0.0) or 1.0
        for panel, values, words in zip(row, maps, ("animals", model["name"]), strict=True):
            image = _draw_map(panel, model["whole_map"], values, limit)
            panel.set_title(words, loc="left")
        figure.colorbar(image, ax=row.tolist(), label=label, shrink=0.85)
    for panel in rows[1]:
        panel.set_xlabel("to the right [u]")
    for panel in rows[:, 0]:
        panel.set_ylabel("ahead [u]")


def _map_of(force: dict[str, Any], name: str) -> Any:
    """The values of a map, not a number where there are few pairs."""
    return np.where(np.array(force["counts"]) >= LEAST_PAIRS, np.array(force[name]), np.nan)


def _draw_map(panel: Any, force: dict[str, Any], values: Any, limit: float) -> Any:
    """One map; left and right are not told apart, so it is drawn on both sides."""
    distances, angles = np.array(force["distances"]), np.array(force["angles"])
    turns = np.concatenate([-angles[::-1], angles[1:]])
    both = np.concatenate([values[:, ::-1], values], axis=1)
    # A cell is drawn by its corners: enough of them, so that rings are round.
    fine = np.unique(np.concatenate([np.linspace(a, b, 9) for a, b in pairwise(turns)]))
    both = np.repeat(both, 8, axis=1)
    x, y = distances[:, None] * np.sin(fine), distances[:, None] * np.cos(fine)
    panel.set_aspect("equal")
    panel.set_facecolor("0.92")
    panel.plot([0.0], [0.0], marker="^", color="black", markersize=4.0, zorder=3)
    return panel.pcolormesh(x, y, both, cmap=DIVERGING, vmin=-limit, vmax=limit, rasterized=True)


@register_plot("scores", "how well each model predicts, and what each rule adds", _is_inference, takes=())
def draw_scores(source: Inference, figure: Any, options: PlotOptions) -> None:
    """The likelihood of motion that was left out, less that of keeping the velocity, and the loss without a rule."""
    zero = source.data["baselines"]["keeps its velocity"]["likelihood"]
    scores = list(source.data["baselines"].items()) + [
        (model["name"], model["held_out_time"]) for model in source.models
    ]
    shares = [(f"{rule} ({m['name']})" if len(source.models) > 1 else rule, share)
              for m in source.models for rule, share in m["shares"].items()]  # fmt: skip
    figure.set_size_inches(options.width, 0.9 + 0.3 * max(len(scores), len(shares), 3))
    panels = figure.subplots(1, 2 if shares else 1, squeeze=False)[0]
    _draw_bars(panels[0], [(name, s["likelihood"] - zero, s["error"]) for name, s in scores], COLORS[0])
    panels[0].set_xlabel("gain over keeping the velocity [nat]")
    if shares:
        _draw_bars(panels[1], [(name, s["loss"], s["error"]) for name, s in shares], COLORS[1])
        panels[1].set_xlabel("loss without the rule [nat]")


def _draw_bars(panel: Any, lines: list[tuple[str, float, float | None]], color: str) -> None:
    places = np.arange(len(lines))
    panel.barh(
        places, [line[1] for line in lines], 0.6, xerr=[line[2] or 0.0 for line in lines], color=color,
        error_kw={"elinewidth": 1.0, "ecolor": "0.3"},
    )  # fmt: skip
    panel.set_yticks(places, [line[0] for line in lines])
    panel.invert_yaxis()
    panel.axvline(0.0, color="0.4", linewidth=0.7)


@register_plot("profiles", "how sharply the motion determines each threshold", _has_profiles, takes=("of",))
def draw_profiles(source: Inference, figure: Any, options: PlotOptions) -> None:
    """The likelihood of other values of each threshold, with everything else fitted again."""
    model = _chosen(source, options)
    lines = [line for line in model["estimates"] if line["profile"]]
    if not lines:
        raise RunError(f"{model['name']} has no thresholds")
    figure.set_size_inches(options.width, max(2.2, 2.0 * len(lines)))
    panels = figure.subplots(len(lines), 1, squeeze=False)[:, 0]
    for panel, line in zip(panels, lines, strict=True):
        places, falls = np.array(line["profile"]).T
        panel.plot(places, -falls, "o-", markersize=2.5, color=COLORS[0])
        panel.axvspan(line["low"], line["high"], color=COLORS[1], alpha=0.4, linewidth=1.0, label="90 %")
        panel.set(xlabel=line["path"], ylabel="log likelihood,\nless the greatest")
    panels[0].legend()


@register_plot(
    "residuals", "what the model misses, against a normal distribution", _is_inference, takes=("of",)
)
def draw_residuals(source: Inference, figure: Any, options: PlotOptions) -> None:
    """Quantiles of the residuals along and across the way: on the line, if the noise is normal."""
    from scipy.special import ndtri

    model = _chosen(source, options)
    found, floor = model["residuals"], model["noise"]
    expected = ndtri(np.array(found["levels"]))
    figure.set_size_inches(0.7 * options.width, 0.6 * options.width)
    panel = figure.subplots()
    turns = source.data["asked"].get("compared", "turns") == "turns"
    names = ("speed", "direction") if turns else ("first axis", "other axes")
    for k, (name, words) in enumerate(zip(("along", "across"), names, strict=True)):
        panel.plot(expected, found[name], color=COLORS[k], label=f"{words} (noise {floor[name]:.2g} u/s)")
    panel.plot(expected, expected, color="0.6", linewidth=0.7)
    panel.set(xlabel="normal quantile", ylabel="residual in units of the noise")
    panel.legend()


def _chosen(source: Inference, options: PlotOptions) -> dict[str, Any]:
    if not options.of:
        return source.best
    if options.of[0] not in source.names:
        raise RunError(f"{source.folder} has the models {', '.join(source.names)}, got {options.of[0]!r}")
    return source.models[source.names.index(options.of[0])]
