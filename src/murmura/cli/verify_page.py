"""`murmura verify-page`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from murmura.cli.options import Json, RuleFiles, Whole, app, load_rules, print_facts
from murmura.core.errors import ScenarioError


@app.command
def verify_page(
    file: Path,
    /,
    *,
    step: Annotated[Whole | None, Parameter(help="The step that the page shows.")] = None,
    hash: Annotated[
        str | None, Parameter(help="The hash that the page shows there, or its first digits.")
    ] = None,
    seed: Annotated[
        Whole | None, Parameter(help="The seed that the page shows; by default that of the file.")
    ] = None,
    scenario: Annotated[
        str | None, Parameter(help="A preset of the page; by default its first scenario.")
    ] = None,
    rules: RuleFiles = None,
    as_json: Json = False,
) -> None:
    """Simulate an exported page's scenario natively and compare the state's hash; the exit code is 1 if it differs.

    Without `--step` and `--hash`, with the hash of step 100 in the file. Pages whose sliders were moved, or in which
    something was placed, show other hashes.

    Parameters
    ----------
    file
        The page.
    """
    load_rules(rules)
    from murmura.view.standalone.proof import verified

    if (step is None) != (hash is None) or (step is None and seed is not None):
        raise ScenarioError(
            "give --step and --hash together, as the page shows them (and --seed if it was changed)"
        )
    print_facts(verified(file, scenario, seed, step, hash), as_json)
