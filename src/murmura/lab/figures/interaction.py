"""Figures of interactions: where neighbours are, and how agents respond. For animals and simulations alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from murmura.core.errors import RunError
from murmura.lab.figures.plot import COLOR_MAP, COLORS, PlotOptions, register_plot
from murmura.lab.observations import flocks_of, seconds_between
from murmura.lab.runs.run import Run
from murmura.measure import (
    Flock,
    alignment_by_distance,
    anisotropy,
    leadership,
    neighbor_map,
    response_map,
)

MOST_FRAMES = 3000
"""Of longer runs, only the last frames are used, this many, because a run needs time to settle."""
DIVERGING = "PuOr"
LONGEST_DELAY = 2.0  # [s]
NAMED_AGENTS = 30
"""Up to this number of agents, a figure of delays labels each one."""


def _is_run(source: Any) -> bool:
    return isinstance(source, Run)


@dataclass(frozen=True)
class FrameSelection:
    """The instants of a run that a figure shows."""

    flocks: list[Flock]
    seconds: float
    reach: float


def select_frames(run: Run) -> FrameSelection:
    """The last frames of a run, and the range of its maps: five times the median distance to the nearest neighbour."""
    if run.scenario.world.dimension != 2:
        raise RunError(
            f"{run.folder} is a run in a 3-D world: interaction maps can only be drawn for the plane"
        )
    flocks = list(flocks_of(run))[-MOST_FRAMES:]
    near = [
        distance
        for flock in flocks[:: max(1, len(flocks) // 50)]
        if flock.agent_count > 1
        for distance in flock.tree.query(flock.positions, k=2)[0][:, 1].tolist()
    ]
    if len(flocks) < 3 or not near:
        raise RunError(
            f"{run.folder} has {len(flocks)} frames, or frames with fewer than two agents: maps need neighbours "
            "and at least three frames"
        )
    side = 0.5 * min(run.scenario.world.width, run.scenario.world.height)
    reach = float(f"{min(5.0 * float(np.median(near)), side):.2g}")
    return FrameSelection(flocks, seconds_between(run), reach or side)


@register_plot("neighbors", "positions of neighbours around an agent, and their alignment", _is_run, takes=())
def draw_neighbors(run: Run, figure: Any, options: PlotOptions) -> None:
    """The density map, alignment against distance, and Ballerini's anisotropy."""
    seen = select_frames(run)
    found = neighbor_map(seen.flocks, seen.reach)
    figure.set_size_inches(options.width, options.width * 0.55)
    grid = figure.add_gridspec(2, 2, width_ratios=(1.5, 1.0))
    panel = figure.add_subplot(grid[:, 0])
    image = _map(panel, found.density, seen.reach, COLOR_MAP, None)
    figure.colorbar(image, ax=panel, label="neighbours [1/u²]", shrink=0.8)
    curve = figure.add_subplot(grid[0, 1])
    curve.plot(*alignment_by_distance(seen.flocks, seen.reach))
    curve.axhline(0.0, color=COLORS[6], linewidth=0.5)
    curve.set(xlabel="distance [u]", ylabel="mean cosine", ylim=(-1.03, 1.03))
    curve.set_title("alignment", loc="left")
    ranks = figure.add_subplot(grid[1, 1])
    values = anisotropy(seen.flocks)
    ranks.plot(np.arange(1, len(values) + 1), values, "o-", markersize=3.0)
    ranks.axhline(0.5, color=COLORS[6], linewidth=0.5, linestyle=":")
    ranks.xaxis.get_major_locator().set_params(integer=True)
    ranks.set(xlabel="n-th nearest neighbour", ylabel="γ", ylim=(-0.03, 1.03))
    ranks.set_title("anisotropy (1/2: none)", loc="left")


@register_plot(
    "response", "how an agent turns and speeds up, by the position of a neighbour", _is_run, takes=()
)
def draw_response(run: Run, figure: Any, options: PlotOptions) -> None:
    """The two maps of Katz et al.: turning to the right, and speeding up."""
    seen = select_frames(run)
    found = response_map(seen.flocks, seen.seconds, seen.reach)
    figure.set_size_inches(options.width, options.width * 0.48)
    panels = figure.subplots(1, 2, sharey=True)
    enough = (
        found.counts >= max(1, int(np.median(found.counts[found.counts > 0]) // 10))
        if found.counts.any()
        else None
    )
    for panel, values, title in zip(
        panels, (found.turning, found.speeding), ("turning to the right", "speeding up"), strict=True
    ):
        shown = values if enough is None else np.where(enough, values, np.nan)
        known = np.abs(shown[np.isfinite(shown)])
        limit = float(np.quantile(known, 0.98)) if len(known) else 1.0
        image = _map(panel, shown, seen.reach, DIVERGING, limit or 1.0)
        panel.set_title(title, loc="left")
        figure.colorbar(image, ax=panel, label="[u/s²]", shrink=0.8)
    panels[1].set_ylabel("")


@register_plot("delay", "who follows whom, and by how much", _is_run, takes=())
def draw_delay(run: Run, figure: Any, options: PlotOptions) -> None:
    """Delays of all pairs, in order of leadership, and the mean lead of each agent."""
    seen = select_frames(run)
    longest = min(LONGEST_DELAY, seen.seconds * (len(seen.flocks) // 3))
    found = leadership(seen.flocks, seen.seconds, longest)
    order = np.argsort(-np.nan_to_num(found.leads, nan=-np.inf), kind="stable")
    figure.set_size_inches(options.width, options.width * 0.5)
    panel, bars = figure.subplots(1, 2, width_ratios=(1.5, 1.0))
    delays = found.delays[np.ix_(order, order)]
    known = np.abs(delays[np.isfinite(delays)])
    limit = float(known.max()) if len(known) and known.max() > 0.0 else found.lags[-1]
    image = panel.imshow(delays, cmap=DIVERGING, vmin=-limit, vmax=limit, interpolation="nearest")
    figure.colorbar(image, ax=panel, label="later by [s]", shrink=0.8)
    bars.barh(np.arange(len(order)), found.leads[order], color=COLORS[0])
    bars.set_ylim(
        panel.get_ylim()
    )  # the rows of both panels must align, including agents that neither lead nor follow
    bars.set(xlabel="ahead of others by [s]")
    names = [str(found.ids[k]) for k in order]
    if len(order) <= NAMED_AGENTS:
        panel.set_xticks(range(len(order)), names)
        panel.set_yticks(range(len(order)), names)
        bars.set_yticks(range(len(order)), names)
    panel.set(xlabel="follower", ylabel="leader")


def _map(panel: Any, values: Any, reach: float, colors: str, limit: float | None) -> Any:
    """A map around an agent whose heading is up."""
    bounds = {} if limit is None else {"vmin": -limit, "vmax": limit}
    image = panel.imshow(
        values.T, origin="lower", extent=(-reach, reach, -reach, reach), cmap=colors, interpolation="nearest",
        **bounds,
    )  # fmt: skip
    panel.plot(0.0, 0.0, marker="^", color=COLORS[1], markersize=5.0)
    panel.set(xlabel="to the right [u]", ylabel="ahead [u]")
    return image
