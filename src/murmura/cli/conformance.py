"""`murmura conformance`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from murmura.cli.idle_options import refuses_idle
from murmura.cli.options import Force, Json, app, print_facts
from murmura.core.errors import RunError, ScenarioError
from murmura.core.request import Idle


@app.command
@refuses_idle(
    Idle("force", lambda given: given.out is None, "nothing is written without --out"),
    Idle(
        "model",
        lambda given: given.check is not None and given.check.suffix != ".csv",
        "the file names its model",
    ),
)
def conformance(
    *,
    out: Annotated[
        Path | None, Parameter(help="Write reference trajectories of published models there.")
    ] = None,
    check: Annotated[
        Path | None, Parameter(help="Judge a trajectory of another program: .json or .csv.")
    ] = None,
    model: Annotated[
        str | None, Parameter(help="Only this model; or that of a .csv file that is not called so.")
    ] = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Write reference trajectories that other programs can run against, or judge theirs (docs/conformance.md)."""
    if (out is None) == (check is None):
        raise ScenarioError("say what to do: --out DIR writes the set, --check FILE judges a trajectory")
    if out is not None:
        _write(out, model, force, as_json)
    elif check is not None:
        _check(check, model, as_json)


def _write(out: Path, model: str | None, force: bool, as_json: bool) -> None:
    from murmura.lab.conformance.record import write_set
    from murmura.lab.progress import Progress

    with Progress("models") as progress:
        written = write_set(out, None if model is None else [model], force, progress.update)
    print_facts({"files": len(written), "folder": str(out)}, as_json)


def _check(file: Path, model: str | None, as_json: bool) -> None:
    from murmura.lab.conformance.check import check, read_theirs

    found = check(read_theirs(file, model))
    facts = {
        "model": found.model,
        "steps": found.steps,
        "conforms": "yes" if found.conforms else "no",
        "farthest": f"{found.farthest:.3g} u from the reference's trajectory",
    }
    if found.beyond is not None:
        facts["beyond"] = f"the tolerance from step {found.beyond}"
    if not found.conforms:
        facts |= {"departs": f"at step {found.departs}", "because": "; ".join(found.reasons)}
    print_facts(facts, as_json)
    if not found.conforms:
        raise RunError(f"{file} departs from {found.model} at step {found.departs}")
