"""Figures of a run over time: curves with error bars, from frames after equilibrium."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from murmura.lab.figures.plot import COLORS, PlotOptions, register_plot
from murmura.lab.measuring.frames import Measured
from murmura.lab.measuring.measure_run import LAG, measured_runs
from murmura.lab.progress import reported
from murmura.lab.runs.run import Run
from murmura.measure.time.catalog import Number

GUIDE = {"color": "0.55", "linewidth": 0.9, "zorder": 0}
BARS = {"marker": "o", "markersize": 3.0, "elinewidth": 0.8, "capsize": 1.6, "linewidth": 1.0}
FEW = 60.0
"""A logarithmic axis up to this ratio has ticks between the decades."""
SHORT = "no error bars: the run is too short"


def _is_run(source: Any) -> bool:
    return isinstance(source, Run)


def _measured(run: Run, *names: str) -> Measured:
    with reported(None, "frames") as report:
        return measured_runs([run], names, progress=report)


def _points(panel: Any, measured: Measured, name: str, **style: Any) -> Any:
    """A curve with error bars and its labels; returns the curve."""
    found, one = measured.found[name], measured.observables[name]
    assert found.curve is not None
    curve = found.curve
    # A lag of 0 has no place on a logarithmic axis.
    known = np.isfinite(curve.values) & ((curve.x > 0.0) | (one.x != LAG))
    errors = np.nan_to_num(curve.errors[known])
    panel.errorbar(curve.x[known], curve.values[known], errors, **(BARS | style))
    panel.set_xlabel(_label(one.x, one.x_unit))
    panel.set_ylabel(_label(name, one.unit))
    if not np.isfinite(curve.errors).any():
        panel.set_title(SHORT, loc="right", fontsize=7.5, color="0.4")
    return curve


def _label(name: str, unit: str) -> str:
    shown = unit.replace("^2", "²")
    return name.replace("_", " ") + (f" [{shown}]" if shown else "")


def _logarithmic(panel: Any) -> None:
    """Logarithmic axes; error bars that reach 0 end at the edge of the panel."""
    panel.set_xscale("log")
    panel.set_yscale("log", nonpositive="clip")
    for ruler, (low, high) in ((panel.xaxis, panel.get_xlim()), (panel.yaxis, panel.get_ylim())):
        plain_ticks(ruler, low, high)


def plain_ticks(ruler: Any, low: float, high: float) -> None:
    """Ticks at 1, 2, 5 on a logarithmic axis of few decades, whose usual labels would overlap."""
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    ruler.set_minor_formatter(NullFormatter())
    if high < FEW * low:
        ruler.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        ruler.set_major_formatter(StrMethodFormatter("{x:g}"))


def _shown(number: Number, digits: int = 2) -> str:
    """A number with its error, or with a word about it."""
    if math.isnan(number.error):
        return f"{number.value:.3g} (too short for an error)"
    unit = f" {number.unit}" if number.unit else ""
    places = max(0, digits - 1 - math.floor(math.log10(number.error))) if number.error > 0.0 else 3
    return f"{number.value:.{min(places, 9)}f} ± {number.error:.{min(places, 9)}f}{unit}"


@register_plot("msd", "mean squared displacement against time", _is_run, takes=())
def draw_msd(run: Run, figure: Any, options: PlotOptions) -> None:
    """On logarithmic axes, with the slopes of straight flight and of diffusion through its first and last third."""
    panel = figure.subplots()
    name = "mean_squared_displacement"
    measured = _measured(run, name)
    curve = _points(panel, measured, name, linestyle="none", label="run")
    _logarithmic(panel)
    known = np.flatnonzero((curve.x > 0.0) & (curve.values > 0.0))
    third = len(known) // 3
    if third:
        for part, slope, style in ((known[: third + 1], 2, "--"), (known[third:], 1, ":")):
            at, x = part[0] if slope == 2 else part[len(part) // 2], curve.x[part]
            guide = curve.values[at] * (x / curve.x[at]) ** slope
            panel.plot(x, guide, style, label=f"slope {slope}", **GUIDE)
        spread = curve.values[known]
        panel.set_ylim(0.5 * spread.min(), 3.0 * spread.max())
    panel.legend()


@register_plot(
    "correlation", "C(r) of velocity fluctuations, and their autocorrelation in time", _is_run, takes=()
)
def draw_correlation(run: Run, figure: Any, options: PlotOptions) -> None:
    """Two panels: against distance with the first zero, and against time."""
    figure.set_size_inches(options.width, options.width * 0.42)
    space, time = figure.subplots(1, 2)
    measured = _measured(run, "velocity_correlation", "velocity_autocorrelation")
    _points(space, measured, "velocity_correlation")
    space.set_ylabel("C of velocity fluctuations")
    space.axhline(0.0, **GUIDE)
    length = measured.found["velocity_correlation"].numbers["velocity_correlation_length"]
    if math.isfinite(length.value):
        label = f"ξ = {_shown(length)}"
        space.axvline(length.value, color=COLORS[1], linestyle="--", linewidth=1.0, label=label)
        space.legend(fontsize=8.0)
    _points(time, measured, "velocity_autocorrelation", color=COLORS[2])
    time.set_ylabel("⟨v(t) · v(t + lag)⟩ [u²/s²]")
    time.axhline(0.0, **GUIDE)
    time.set_xscale("log")


@register_plot("structure", "pair distribution g(r) and structure factor S(k)", _is_run, takes=())
def draw_structure(run: Run, figure: Any, options: PlotOptions) -> None:
    """Two panels; a flock that is scattered at random has 1 in both."""
    figure.set_size_inches(options.width, options.width * 0.42)
    near, waves = figure.subplots(1, 2)
    measured = _measured(run, "pair_distribution", "structure_factor")
    _points(near, measured, "pair_distribution", markersize=2.0)
    near.set_ylabel("pair distribution g(r)")
    _points(waves, measured, "structure_factor", color=COLORS[1], markersize=2.5)
    waves.set_ylabel("structure factor S(k)")
    _logarithmic(waves)
    for panel in (near, waves):
        panel.axhline(1.0, **GUIDE)
    near.set_ylim(bottom=0.0)
    near.set_xlim(left=0.0)


@register_plot(
    "fluctuations", "variance of the number of agents in boxes against its mean", _is_run, takes=()
)
def draw_fluctuations(run: Run, figure: Any, options: PlotOptions) -> None:
    """On logarithmic axes, with the fitted power and that of independent agents."""
    panel = figure.subplots()
    name = "number_fluctuations"
    measured = _measured(run, name)
    curve = _points(panel, measured, name, linestyle="none", label="run")
    _logarithmic(panel)
    panel.set_ylabel("variance of the number of agents [agents²]")
    panel.set_xlabel("mean number [agents]")
    power = measured.found[name].numbers[f"{name}_exponent"]
    known = (curve.x > 0.0) & (curve.values > 0.0)
    if known.sum() > 1:
        x, middle = curve.x[known], np.exp(np.log(curve.x[known]).mean())
        height = np.exp(np.log(curve.values[known]).mean())
        fit = height * (x / middle) ** power.value
        panel.plot(x, fit, color=COLORS[1], linewidth=1.2, label=f"power {_shown(power)}")
        panel.plot(x, x, "--", label="independent agents: 1", **GUIDE)
    panel.legend()


@register_plot("groups", "how many groups there are of each size", _is_run, takes=())
def draw_groups(run: Run, figure: Any, options: PlotOptions) -> None:
    """On logarithmic axes; classes 1, 2-3, 4-7 and so on."""
    panel = figure.subplots()
    name = "group_size_distribution"
    measured = _measured(run, name, "fission_fusion")
    _points(panel, measured, name)
    _logarithmic(panel)
    panel.set_xlabel("group size [agents]")
    panel.set_ylabel("groups per frame and unit of size")
    rates = measured.found["fission_fusion"].numbers
    title = ", ".join(f"{word.removesuffix('_rate')} {_shown(rate)}" for word, rate in rates.items())
    panel.set_title(title, loc="left", fontsize=8.0)
