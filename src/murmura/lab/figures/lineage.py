"""Figures of evolving populations: numbers by species, traits, selection, and the family tree."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.core.errors import ScenarioError, nearest
from murmura.core.events import Cause
from murmura.engine.lineage import ALIVE, Lineage
from murmura.lab.figures.plot import COLORS, PlotOptions, measure_label, register_plot
from murmura.lab.runs.run import Run
from murmura.measure import selection_differential
from murmura.measure.atmosphere import Period
from murmura.measure.traits import genes_among

RATE_BINS = 60
"""Number of equal intervals in which births and deaths are counted."""
MOST_LINES = 600
"""Greatest number of lives in a family tree; with more, only every n-th living line is drawn, and the title says so."""
FEWEST = 3
"""Least number of agents in a generation for its mean to be drawn."""
PERIOD_COLORS = {
    "mass_extinction": "#D55E00", "mating_season": "#CC79A7", "predator_dominance": "#000000",
    "starvation": "#E69F00", "boom": "#009E73",
}  # fmt: skip
CAUSE_COLORS = {"predation": "#D55E00", "starvation": "#E69F00", "age": "#56B4E9", "combat": "#CC79A7"}


def _is_run(source: Any) -> bool:
    return isinstance(source, Run)


def species_colors(run: Run) -> list[str]:
    """The scenario's colours, darkened for a white background; default colours if it has none."""
    kinds = run.scenario.species
    if len({kind.color for kind in kinds}) < max(len(kinds), 2):
        return [COLORS[k % len(COLORS)] for k in range(max(1, len(kinds)))]
    return [_darkened(kind.color) for kind in kinds]


def _darkened(color: str) -> str:
    red, green, blue = (int(color[k : k + 2], 16) for k in (1, 3, 5))
    light = (0.299 * red + 0.587 * green + 0.114 * blue) / 255.0
    factor = min(1.0, 0.52 / max(light, 1e-3))
    return "#" + "".join(f"{round(part * factor):02x}" for part in (red, green, blue))


@register_plot(
    "population", "the number of living agents over time, with births and deaths", _is_run, takes=()
)
def draw_population(run: Run, figure: Any, options: PlotOptions) -> None:
    """Population by species; with births and deaths, these by cause; periods as bands."""
    tree = run.lineage()
    lives = not (tree.founders.all() and tree.alive.all())  # otherwise there is only a straight line to show
    figure.set_size_inches(options.width, options.width * (0.95 if lives else 0.6))
    panels = figure.subplots(
        2 if lives else 1, 1, sharex=True, squeeze=False, height_ratios=[3, 2] if lives else [1]
    )[:, 0]
    edges = _change_steps(tree)
    colors = species_colors(run)
    for kind, name in enumerate(tree.species_names):
        alone = len(tree.species_names) == 1
        panels[0].step(
            edges * tree.time_step, tree.population(edges, kind), where="post", color=colors[kind],
            label=None if alone else name,
        )  # fmt: skip
    panels[0].set_ylabel(measure_label("agents"))
    panels[0].set_ylim(bottom=0.0)
    panels[0].margins(x=0.01)
    if lives:
        _draw_periods(panels[0], run.atmosphere())
        _draw_rates(panels[1], tree, [e["step"] for e in run.events() if e["kind"] == "capture"])
    if panels[0].get_legend_handles_labels()[1]:
        panels[0].legend(ncols=1, loc="upper left", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.3)
    panels[-1].set_xlabel(measure_label("time"))


def _change_steps(tree: Lineage) -> NDArray[np.int64]:
    """All steps at which a curve may change; thinned out if a figure cannot show that many."""
    steps = np.unique(np.concatenate([[tree.first, tree.last], tree.born, tree.died[tree.died != ALIVE]]))
    return (
        steps if len(steps) <= 4000 else np.unique(np.linspace(tree.first, tree.last, 4000).astype(np.int64))
    )


def _draw_periods(panel: Any, periods: list[Period]) -> None:
    """A strip above the curves for each kind of period that occurred."""
    kinds = [kind for kind in PERIOD_COLORS if any(period.kind == kind for period in periods)]
    if not kinds:
        return
    low, high = panel.get_ylim()
    panel.set_ylim(low, high * (1.0 + 0.06 * len(kinds)))
    total = 1.0 + 0.06 * len(kinds)
    for row, kind in enumerate(kinds):
        y = (1.0 + 0.06 * row + 0.03) / total
        for k, period in enumerate(period for period in periods if period.kind == kind):
            label = kind.replace("_", " ") if k == 0 else None
            # A period seen at a single instant must still be visible.
            panel.plot(
                [period.begin, period.end], [y, y], transform=panel.get_xaxis_transform(), color=PERIOD_COLORS[kind],
                linewidth=4.0, solid_capstyle="butt" if period.end > period.begin else "projecting", label=label,
            )  # fmt: skip


def _draw_rates(panel: Any, tree: Lineage, captures: list[int]) -> None:
    """Births upwards and deaths by cause downwards, per minute; captures, which need not be deaths, as a line."""
    edges = np.linspace(tree.first, tree.last, RATE_BINS + 1)
    minutes = np.diff(edges) * tree.time_step / 60.0
    middles, wide = 0.5 * (edges[1:] + edges[:-1]) * tree.time_step, np.diff(edges) * tree.time_step
    births, arrivals = (np.diff(count(edges)) / minutes for count in (tree.births, tree.arrivals))
    panel.bar(middles, births, wide, color=COLORS[2], label="births", linewidth=0)
    if arrivals.any():
        panel.bar(middles, arrivals, wide, births, color=COLORS[0], label="arrivals", linewidth=0)
    below = np.zeros(RATE_BINS)
    for cause in Cause:
        rates = np.diff(tree.deaths(edges, cause=int(cause))) / minutes
        if rates.any():
            name = cause.name.lower()
            panel.bar(
                middles, -rates, wide, below, color=CAUSE_COLORS[name], label=f"died of {name}", linewidth=0
            )
            below -= rates
    if captures:
        rates = np.histogram(captures, edges)[0] / minutes
        panel.step(middles, -rates, where="mid", color="black", linewidth=1.0, label="captures")
    panel.axhline(0.0, color="black", linewidth=0.8)
    panel.yaxis.set_major_formatter(lambda value, _: f"{abs(value):g}")
    panel.set_ylabel("births and deaths [1/min]")
    panel.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.3)


def _has_traits(source: Any) -> bool:
    return _is_run(source) and bool(_genes(source))


def _has_genes_in_frames(source: Any) -> bool:
    return _is_run(source) and bool(genes_among(source.frames.columns))


def _genes(run: Run) -> list[str]:
    """Genes whose means were measured, or that were recorded."""
    measured = [name.removesuffix("_mean") for name in next(run.metrics(), {}) if name.endswith("_mean")]
    found = dict.fromkeys([*measured, *run.frames.columns])
    return genes_among(found)


def _chosen_traits(run: Run, options: PlotOptions) -> list[str]:
    known = list(dict.fromkeys([*_genes(run), *run.frames.columns]))
    for name in options.traits:
        if name not in known:
            raise ScenarioError(
                f"{run.folder} has no trait {name!r}{nearest(name, known)}; it has {', '.join(known) or 'none'}"
            )
    return list(options.traits) or _genes(run)


def _recorded(run: Run, traits: list[str], options: PlotOptions) -> list[str]:
    """The traits that frames contain for each agent; raises if a requested one is missing."""
    found = [name for name in traits if name in run.frames.columns]
    if not found or (options.traits and len(found) < len(traits)):
        missing = next(name for name in traits if name not in run.frames.columns)
        raise ScenarioError(
            f"a figure over generations needs every agent's {missing}: record it with `murmura run ... --columns "
            f"{missing}`; figures over time need only the means"
        )
    return found


@register_plot(
    "traits",
    "means of genes with their spread, over time or, with --x generation, over generations",
    _has_traits,
    of_traits=True,
    takes=("x", "of"),
)
def draw_traits(run: Run, figure: Any, options: PlotOptions) -> None:
    """A panel for each trait: the mean of each species, with a band of one standard deviation."""
    if options.x not in (None, "time", "generation"):
        raise ScenarioError(f"traits are drawn over time or generation, got --x {options.x}")
    traits = _chosen_traits(run, options)
    if options.x == "generation":
        traits = _recorded(run, traits, options)
    panels = _grid(
        figure, traits, options, label="generation" if options.x == "generation" else measure_label("time")
    )
    values = _by_generation(run, traits) if options.x == "generation" else None
    colors = species_colors(run)
    names = run.scenario.species_names()
    for trait, panel in zip(traits, panels, strict=True):
        for kind, name in enumerate(names):
            x, mean, spread = values[trait][kind] if values else _over_time(run, trait, name, len(names))
            panel.fill_between(x, mean - spread, mean + spread, color=colors[kind], alpha=0.18, linewidth=0)
            panel.plot(x, mean, color=colors[kind], label=name if len(names) > 1 else None)
        panel.set_title(trait.replace("_", " "), loc="left")
    _shared_legend(figure, panels)


def _grid(figure: Any, names: list[str], options: PlotOptions, label: str) -> list[Any]:
    across = min(3, len(names))
    rows = math.ceil(len(names) / across)
    figure.set_size_inches(options.width, 0.45 + max(1.35 * rows, 0.5 * options.width * (across == 1)))
    panels = figure.subplots(rows, across, sharex=True, squeeze=False)
    for panel in panels.flat[len(names) :]:
        panel.remove()
    used = list(panels.flat[: len(names)])
    for k, panel in enumerate(used):
        panel.margins(x=0.01)
        if k >= len(names) - across:
            panel.set_xlabel(label)
            panel.tick_params(labelbottom=True)
    return used


def _shared_legend(figure: Any, panels: list[Any]) -> None:
    handles, labels = panels[0].get_legend_handles_labels()
    if labels:
        figure.legend(handles, labels, loc="outside upper center", ncols=min(len(labels), 5))


def _over_time(
    run: Run, trait: str, kind: str, kinds: int
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Times, means and standard deviations: as measured, or computed from the recorded column."""
    end = f"@{kind}" if kinds > 1 else ""
    rows = [
        (row["time"], row.get(f"{trait}_mean{end}"), row.get(f"{trait}_sd{end}")) for row in run.metrics()
    ]
    if rows and rows[0][1] is not None:
        x, mean, spread = np.array([(t, m, s) for t, m, s in rows if m is not None], float).T
        return x, mean, spread
    number = run.scenario.species_names().index(kind)
    found = []
    for frame in run.frames:
        values = frame.columns[trait][frame.species == number].astype(np.float64)
        found.append((frame.time, *((values.mean(), values.std()) if len(values) else (math.nan, math.nan))))
    x, mean, spread = np.array(found).T
    return x, mean, spread


def _by_generation(run: Run, traits: list[str]) -> dict[str, list[tuple[NDArray[Any], ...]]]:
    """For each trait and species: generations, means and standard deviations over all agents that are in any frame."""
    tree = run.lineage()
    known = {name: np.full(len(tree), math.nan) for name in traits}
    for frame in run.frames:  # genes never change, so any frame will do
        rows = np.searchsorted(tree.ids, frame.ids)
        for name in traits:
            known[name][rows] = frame.columns[name]
    found: dict[str, list[tuple[NDArray[Any], ...]]] = {}
    for name in traits:
        found[name] = []
        for kind in range(len(tree.species_names)):
            seen = (tree.species == kind) & np.isfinite(known[name])
            generations, values = tree.generations[seen], known[name][seen]
            counts = np.bincount(generations, minlength=1).astype(float)
            enough = np.flatnonzero(counts >= FEWEST)
            mean = np.bincount(generations, values, minlength=1)[enough] / counts[enough]
            square = np.bincount(generations, values**2, minlength=1)[enough] / counts[enough]
            found[name].append((enough, mean, np.sqrt(np.maximum(square - mean**2, 0.0))))
    return found


@register_plot(
    "selection",
    "selection differentials of genes from frame to frame",
    _has_genes_in_frames,
    of_traits=True,
    takes=("of",),
)
def draw_selection(run: Run, figure: Any, options: PlotOptions) -> None:
    """For each gene and species, the cumulative difference between the parents of newborns and the population."""
    recorded = [name for name in _chosen_traits(run, options) if name in run.frames.columns]
    panels = _grid(figure, recorded, options, measure_label("time"))
    tree, frames = run.lineage(), run.frames
    colors, names = species_colors(run), run.scenario.species_names()
    steps = frames.steps
    found = {(trait, kind): [0.0] for trait in recorded for kind in range(len(names))}
    for k in range(len(frames) - 1):
        frame = frames[k]
        young = (tree.born > steps[k]) & (tree.born <= steps[k + 1])
        parents = np.concatenate([tree.mothers[young], tree.fathers[young]])
        for (trait, kind), values in found.items():
            own = frame.species == kind
            step = selection_differential(frame.ids[own], frame.columns[trait][own], parents[parents >= 0])
            values.append(0.0 if math.isnan(step) else step)
    for trait, panel in zip(recorded, panels, strict=True):
        for kind, name in enumerate(names):
            panel.plot(
                frames.times, np.cumsum(found[trait, kind]), color=colors[kind],
                label=name if len(names) > 1 else None,
            )  # fmt: skip
        panel.axhline(0.0, color="#999999", linewidth=0.6, zorder=0)
        panel.set_title(f"{trait.replace('_', ' ')}: selection so far", loc="left")
    _shared_legend(figure, panels)


@register_plot(
    "family", "the maternal lines of all agents alive at the end, from their founders on", _is_run, takes=()
)
def draw_family(run: Run, figure: Any, options: PlotOptions) -> None:
    """Time runs to the right; a line is a life, connected to its mother's line at birth."""
    whole = run.lineage()
    ends_with = whole.alive if whole.alive.any() else whole.died >= whole.died.max(initial=0)
    shown, every_nth = _thinned(whole, ends_with)
    rows = _layout(shown)
    figure.set_size_inches(options.width, min(max(2.0, 0.6 + 0.012 * len(shown)), 1.5 * options.width))
    panel = figure.subplots()
    several = len(shown.species_names) > 1
    colors = _family_colors(shown, rows) if not several else np.array(species_colors(run))[shown.species]
    dt = shown.time_step
    ends = np.where(shown.died == ALIVE, shown.last, shown.died) * dt
    wide = 1.1 if len(shown) < 250 else 0.8
    panel.hlines(rows, shown.born * dt, ends, colors=colors, linewidths=wide)
    heirs = np.flatnonzero(shown.mother_rows >= 0)
    panel.vlines(
        shown.born[heirs] * dt, rows[shown.mother_rows[heirs]], rows[heirs], colors=colors[heirs],
        linewidths=0.8 * wide,
    )  # fmt: skip
    alive = shown.alive
    panel.scatter(ends[alive], rows[alive], s=1.5, c=colors[alive], linewidths=0, zorder=3)
    panel.set_ylim(len(shown) + 0.5, -1.5)
    panel.set_yticks([])
    panel.spines["left"].set_visible(False)
    panel.set_xlabel(measure_label("time"))
    panel.margins(x=0.01)
    families = int((shown.mother_rows < 0).sum())
    told = f"{int(whole.alive.sum()):,} alive of {len(whole):,} that ever lived; "
    told += f"{families:,} founding mother{'s' if families != 1 else ''}"
    panel.set_title(told + (f" (1 in {every_nth} lines)" if every_nth > 1 else ""), loc="left")
    if several:
        every = species_colors(run)
        for kind in np.unique(shown.species):
            panel.plot([], [], color=every[kind], label=shown.species_names[kind])
        panel.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.3)


def _thinned(whole: Lineage, chosen: NDArray[np.bool_]) -> tuple[Lineage, int]:
    """The lines that lead to every n-th selected agent, with the least n whose lines fit into a figure."""
    rows = np.flatnonzero(chosen)
    for n in range(1, max(2, len(rows) + 1)):
        mask = np.zeros(len(whole), bool)
        mask[rows[::n]] = True
        shown = whole.leading_to(mask)
        if len(shown) <= MOST_LINES:
            break
    return shown, n


def _family_colors(tree: Lineage, rows: NDArray[np.float64]) -> NDArray[Any]:
    """Distinguishable colours for neighbouring families."""
    heads = np.flatnonzero(tree.mother_rows < 0)
    turns = np.zeros(len(tree), int)
    turns[heads[np.argsort(rows[heads])]] = np.arange(len(heads))
    return np.asarray(np.array(COLORS)[turns[tree.families] % len(COLORS)])


def _layout(tree: Lineage) -> NDArray[np.float64]:
    """The row of each agent: families one below the other, without crossing lines."""
    children: list[list[int]] = [[] for _ in range(len(tree))]
    roots: list[int] = []
    for row, mother in enumerate(tree.mother_rows.tolist()):
        (children[mother] if mother >= 0 else roots).append(row)
    places = np.zeros(len(tree))
    sizes = np.bincount(tree.families, minlength=len(tree))
    roots.sort(key=lambda row: (int(tree.species[row]), -int(sizes[row]), row))  # the largest families on top
    todo = roots[::-1]
    place = 0
    while (
        todo
    ):  # a mother, then each child with its descendants, the youngest child first, so that no branches cross
        row = todo.pop()
        places[row] = place
        place += 1
        todo += children[row]
    return places
