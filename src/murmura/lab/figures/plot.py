"""Figures of sweeps and runs: one function per kind of figure, and everything they share.

A kind draws one type of folder into a matplotlib `Figure`; `register_plot` adds one, and a line in `HOMES` makes
a module of kinds known. Text stays text in SVG and PDF, colours are safe for colour-blind readers, and the same
folder gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from murmura.core.errors import ScenarioError, nearest
from murmura.core.extras import needs
from murmura.core.request import check_free
from murmura.lab.files.atomic_write import atomic_write
from murmura.lab.fit.folder import Fit, is_fit, open_fit
from murmura.lab.infer.folder import Inference, is_inference, open_inference
from murmura.lab.runs.run import Run, open_run
from murmura.lab.sweeps.folder import Sweep, is_sweep, open_sweep
from murmura.measure import MEASURES

HOMES = (
    "murmura.lab.figures.search",
    "murmura.lab.figures.sweep",
    "murmura.lab.figures.sizes",
    "murmura.lab.figures.run",
    "murmura.lab.figures.curves",
    "murmura.lab.figures.lineage",
    "murmura.lab.figures.interaction",
    "murmura.lab.figures.fit",
    "murmura.lab.figures.infer",
)
"""Modules of kinds; if several kinds suit a folder, the first is the default."""
FORMATS = (".png", ".svg", ".pdf")
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Okabe and Ito's colours, which are safe for colour-blind readers, without yellow, which is too pale on white."""
COLOR_MAP = "viridis"
STYLE = {
    "font.size": 9.0,
    "axes.titlesize": 9.0,
    "axes.labelsize": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.8,
    "lines.linewidth": 1.4,
    "legend.frameon": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "murmura",
    "pdf.fonttype": 42,
    "path.simplify_threshold": 0.5,
}
UNITS = {"population": "agents", "time": "s"}
"""Units of quantities other than measures, which define their own."""
SHARES = ("polarization", "milling", "clustering_coefficient")
"""Measures from 0 to 1, always drawn on that scale so that figures can be compared."""


@dataclass(frozen=True)
class PlotOptions:
    """What a figure should show.

    Attributes:
        x, y: Paths along the axes, if there is a choice.
        of: Measures; by default the first, or all in a figure of a run.
        traits: Columns of the agents in a figure of traits; by default all genes.
        width: Width of the figure [inch].
    """

    x: str | None = None
    y: str | None = None
    of: tuple[str, ...] = ()
    width: float = 5.5
    traits: tuple[str, ...] = ()


@dataclass(frozen=True)
class PlotKind:
    """A kind of figure: its name, what it shows, the folders it suits, and the function that draws it."""

    name: str
    sentence: str
    fits: Callable[[Any], bool]
    draw: Callable[[Any, Any, PlotOptions], None]
    of_traits: bool = False
    takes: tuple[str, ...] = ("x", "y", "of")


KINDS: dict[str, PlotKind] = {}


def register_plot(
    name: str,
    sentence: str,
    fits: Callable[[Any], bool],
    of_traits: bool = False,
    takes: tuple[str, ...] = ("x", "y", "of"),
) -> Callable[[Callable[[Any, Any, PlotOptions], None]], Callable[[Any, Any, PlotOptions], None]]:
    """Add a kind of figure: a function of the folder's content, a matplotlib figure to fill, and options.

    Args:
        name: Its name for `--kind`.
        sentence: What it shows.
        fits: Whether it can show a folder, given as a `Sweep` or a `Run`. The first that fits is the default.
        of_traits: Whether `of` names columns of the agents, not measures.
        takes: Which of the options x, y and of it reads; others are refused.
    """

    def register(draw: Callable[[Any, Any, PlotOptions], None]) -> Callable[[Any, Any, PlotOptions], None]:
        KINDS[name] = PlotKind(name, sentence, fits, draw, of_traits, takes)
        return draw

    return register


def plot(
    folder: str | Path,
    out: str | Path,
    kind: str | None = None,
    x: str | None = None,
    y: str | None = None,
    of: str | list[str] | None = None,
    width: float = 5.5,
    dpi: int = 200,
    force: bool = False,
) -> str:
    """Draw the folder of a sweep, a run or a fit to a .png, .svg or .pdf file.

    Args:
        folder: The folder.
        out: The file; its suffix determines the format.
        kind: Which kind of figure; by default the first that suits the folder.
        x: The varied path along the horizontal axis.
        y: The varied path along the vertical one.
        of: A measure, or several; in figures of traits, columns of the agents.
        width: Width of the figure [inch].
        dpi: Dots per inch, for .png.
        force: Whether to overwrite an existing file.

    Returns:
        The name of the kind that was drawn.
    """
    out = Path(out)
    check_target(out, force)
    if not (1.0 <= width <= 40.0 and 20 <= dpi <= 1200):
        raise ScenarioError(f"expected a width of 1 to 40 inches and 20 to 1200 dpi, got {width:g} and {dpi}")
    source = _opened(Path(folder))
    chosen = _kind(kind, source)
    for name, value in (("x", x), ("y", y), ("of", of)):
        if value is not None and name not in chosen.takes:
            raise ScenarioError(
                f"--{name} has no effect here: a figure of the kind {chosen.name} does not read it"
            )
    asked = (of,) if isinstance(of, str) else tuple(of or ())
    traits = asked if chosen.of_traits else ()
    measures = () if chosen.of_traits else asked
    _check_measures(measures, source)
    with needs("analysis"):
        import matplotlib
        from matplotlib.figure import Figure
    with matplotlib.rc_context(STYLE | {"axes.prop_cycle": matplotlib.cycler(color=COLORS)}):
        figure = Figure(layout="constrained")
        figure.set_size_inches(width, width * 0.75)
        chosen.draw(source, figure, PlotOptions(x, y, measures, width, traits))
        _save(figure, out, dpi, f"{chosen.name} of {Path(folder).name}")
    return chosen.name


def check_target(out: Path, force: bool = False) -> None:
    """Raise if a file cannot be written, before any work is done."""
    if out.suffix.lower() not in FORMATS:
        raise ScenarioError(f"a figure must end in {', '.join(FORMATS)}, got {out.name!r}")
    if not out.absolute().parent.is_dir():
        raise ScenarioError(f"there is no folder {out.parent} to write {out.name} to")
    check_free(out, force=force)
    with needs("analysis"):
        import matplotlib  # noqa: F401


def _opened(folder: Path) -> Run | Sweep | Fit | Inference:
    if is_inference(folder):
        return open_inference(folder)
    if is_fit(folder):
        return open_fit(folder)
    if is_sweep(folder):
        return open_sweep(folder)
    try:
        return open_run(folder)
    except ScenarioError:
        raise ScenarioError(
            f"{folder} is not the folder of a run, a sweep, a fit or an inference; make one with `murmura "
            "run`, `sweep`, `fit` or `infer`"
        ) from None


def _kind(name: str | None, source: Any) -> PlotKind:
    for home in HOMES:
        import_module(home)
    fitting = [kind for kind in sorted(KINDS.values(), key=_rank) if kind.fits(source)]
    if name is None:
        return fitting[0]
    if name not in KINDS:
        raise ScenarioError(f"no figure is called {name!r}{nearest(name, KINDS)}; known: {', '.join(KINDS)}")
    if KINDS[name] not in fitting:
        known = ", ".join(kind.name for kind in fitting)
        raise ScenarioError(
            f"{name} cannot show {source.folder}: it shows {KINDS[name].sentence}; this folder can be drawn as {known}"
        )
    return KINDS[name]


def _rank(kind: PlotKind) -> int:
    """The kinds in a fixed order, whichever module was imported first; user-defined ones come last."""
    home = kind.draw.__module__
    return HOMES.index(home) if home in HOMES else len(HOMES)


def _check_measures(names: tuple[str, ...], source: Any) -> None:
    if isinstance(source, Sweep):
        known = list(source.measures)
    elif isinstance(source, Fit):
        known = [*source.question.measures, *source.names]
    elif isinstance(source, Inference):
        known = source.names
    else:
        known = list(next(source.metrics(), {}))
    for name in names:
        if name not in known:
            raise ScenarioError(
                f"{source.folder} has no measure {name!r}{nearest(name, known)}; it has {', '.join(known)}"
            )


def _save(figure: Any, out: Path, dpi: int, title: str) -> None:
    form = out.suffix.lower()[1:]
    timeless: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(form, {})
    with atomic_write(out) as (temporary,):
        figure.savefig(temporary, format=form, dpi=dpi, metadata={"Title": title, **timeless})


def measure_label(name: str) -> str:
    """The axis label of a measure, with its unit."""
    unit = UNITS.get(name) or getattr(MEASURES.get(name), "unit", "")
    unit = "" if unit == name else unit
    return name.replace("_", " ") + (f" [{unit}]" if unit else "")


def path_label(source: Any, path: str) -> str:
    """The axis label of a scenario path, with its unit: "alignment weight", "perception radius [u]"."""
    from murmura.scenario.paths import unit_at

    parts = path.split(".")
    words = parts[1:] if parts[0] == "rules" else parts
    unit = unit_at(source.scenario, path)
    return " ".join(words).replace("_", " ") + (f" [{unit}]" if unit else "")
