"""Family trees for other programs: of a simulation or a recorded run, as a table or in Newick format.

The tree of a run is derived from its first frame and its events. Other frames are read only for the species of agents
that were born without a mother.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from murmura.core.errors import RunError, ScenarioError, nearest
from murmura.core.events import EVENT_FIELDS, Cause, Event
from murmura.core.extras import needs
from murmura.core.request import check_free
from murmura.engine.lineage import ALIVE, CAUSE_NAMES, Lineage, Register
from murmura.engine.simulation import Simulation
from murmura.lab.files.atomic_write import atomic_write
from murmura.lab.runs.run import Run, open_run
from murmura.lab.units import units_of, with_unit

if TYPE_CHECKING:
    import polars

FORMATS = (".csv", ".parquet", ".nwk")
COMING_AND_GOING = {"birth": Event.BIRTH, "arrival": Event.ARRIVAL, "death": Event.DEATH}
CAUSES = {cause.name.lower(): int(cause) for cause in Cause}


def lineage(source: Simulation | Run | str | Path) -> Lineage:
    """All agents that ever lived in a simulation or a recorded run: parents, birth, death and its cause.

    Args:
        source: A simulation, a run, or the folder of one.
    """
    if isinstance(source, Simulation):
        return source.lineage()
    run = source if isinstance(source, Run) else open_run(source)
    return lineage_of_run(run)


def lineage_of_run(run: Run, until: int | None = None) -> Lineage:
    """The family tree of a run, up to a step or to the end of what is on disk."""
    if not len(run.frames):
        raise RunError(f"the run in {run.folder} has no frames yet, and so no agents")
    founders = run.frames[0]
    register = Register(founders.ids, founders.species, founders.step, founders.columns.get("generation"))
    try:
        rows = np.array(list(_rows(run, until)), np.float64).reshape(-1, len(EVENT_FIELDS))
        register.note(rows)
    except (LookupError, TypeError, ValueError, OverflowError) as error:
        raise RunError(f"the events of {run.folder} are damaged: {error}") from None
    if ((rows[:, 1] == Event.BIRTH) & (rows[:, 3] < 0)).any():
        for frame in run.frames:
            register.correct(frame.ids, frame.species)
    last = max(int(rows[:, 0].max(initial=founders.step)), int(run.frames.steps[-1]))
    scenario = run.scenario
    return register.lineage(
        tuple(scenario.species_names()), last if until is None else until, scenario.motion.time_step
    )


def _rows(run: Run, until: int | None) -> Iterator[tuple[float, ...]]:
    """Births, arrivals and deaths as backends report them: rows of EVENT_FIELDS."""
    for event in run.events():
        kind, step = event.get("kind"), event.get("step", 0)
        if kind not in COMING_AND_GOING or (until is not None and step > until):
            continue
        other = event.get("other")
        last = event["species"] if kind == "arrival" else event.get("father")
        yield (
            step,
            COMING_AND_GOING[kind],
            event["id"],
            -1 if other is None else other,
            0.0,
            0.0,
            CAUSES.get(event.get("cause") or "", 0),
            -1 if last is None else last,
            0.0,
        )


def table(tree: Lineage) -> polars.DataFrame:
    """A row for each agent: id, species, mother, father, born, died, cause, killer, generation, young.

    `born` and `died` are steps. Values that do not apply are null.
    """
    with needs("analysis"):
        import polars

    def known(values: NDArray[Any], least: int = 0) -> Any:
        series = polars.Series(values)
        return series.set(series < least, None)

    names = polars.Series(tree.species_names)
    causes = np.where(tree.died == ALIVE, len(CAUSE_NAMES), tree.causes)
    return polars.DataFrame(
        {
            "id": tree.ids,
            "species": names.gather(tree.species),
            "mother": known(tree.mothers),
            "father": known(tree.fathers),
            "born": tree.born,
            "died": known(tree.died),
            "cause": polars.Series([*CAUSE_NAMES, None], dtype=polars.String).gather(causes),
            "killer": known(tree.killers),
            "generation": tree.generations,
            "young": tree.young,
        }
    )


def newick(tree: Lineage) -> str:
    """The maternal lines in Newick format: one tree per founder and line, oldest first.

    Every agent is a node, named by its id; children are in the order of their birth. The length of a branch is the
    time from the mother's birth to the child's [s]; for a founder or newcomer, from the beginning. If there are
    several species, each node has its species as a New Hampshire X comment: `17:3.5[&&NHX:S=wolf]`.
    """
    children: list[list[int]] = [[] for _ in range(len(tree))]
    roots: list[int] = []
    for row, mother in enumerate(tree.mother_rows.tolist()):
        (children[mother] if mother >= 0 else roots).append(row)
    begun = np.where(tree.mother_rows >= 0, tree.born[tree.mother_rows], tree.first)
    lengths = ((tree.born - begun) * tree.time_step).tolist()
    kinds = [f"[&&NHX:S={name}]" if len(tree.species_names) > 1 else "" for name in tree.species_names]
    tails = [
        f"{name}:{length:.6g}{kinds[kind]}"
        for name, length, kind in zip(tree.ids.tolist(), lengths, tree.species.tolist(), strict=True)
    ]
    return "".join(f"{_subtree(root, children, tails)};\n" for root in roots)


def _subtree(root: int, children: list[list[int]], tails: list[str]) -> str:
    """One tree, built without recursion: lines may be thousands of generations long."""
    pieces: list[str] = []
    todo: list[str | int] = [root]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            pieces.append(item)
        elif children[item]:
            todo.append(f"){tails[item]}")
            for k, child in enumerate(reversed(children[item])):
                todo += [child, ","] if k < len(children[item]) - 1 else [child]
            pieces.append("(")
        else:
            pieces.append(tails[item])
    return "".join(pieces)


def export_lineage(
    source: Simulation | Run | str | Path,
    out: str | Path,
    living: bool = False,
    least: int = 1,
    force: bool = False,
) -> int:
    """Write a family tree as a table (.csv, .parquet) or its maternal lines in Newick format (.nwk).

    Args:
        source: As for `lineage`.
        out: A new file; its suffix determines the format.
        living: Only agents that are alive at the end or have living descendants in the maternal line.
        least: Only families (maternal lines of founders) with at least this many members in all.
        force: Whether to overwrite an existing file.

    Returns:
        The number of agents written.
    """
    out = Path(out)
    check_lineage_request(out, least, force)
    tree = lineage(source).pruned(living, least)
    with atomic_write(out) as (temporary,):
        if out.suffix == ".nwk":
            temporary.write_text(newick(tree), encoding="ascii")
        elif out.suffix == ".csv":
            table(tree).rename(with_unit).write_csv(temporary)
        else:
            table(tree).write_parquet(temporary, metadata={"units": json.dumps(units_of(("born", "died")))})
    return len(tree)


def check_lineage_request(out: Path, least: int, force: bool = False) -> None:
    """Raise if the file cannot be written, before a long run is read."""
    if out.suffix not in FORMATS:
        raise ScenarioError(
            f"a family tree must end in {', '.join(FORMATS)}, got {out.name!r}{nearest(out.suffix, FORMATS)}"
        )
    if least < 1:
        raise ScenarioError(f"a line has at least 1 member, got {least}")
    if not out.absolute().parent.is_dir():
        raise ScenarioError(f"there is no folder {out.parent} to write {out.name} to")
    check_free(out, force=force)
