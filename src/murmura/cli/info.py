"""`murmura scenarios` and `murmura doctor`."""

from __future__ import annotations

import json

from murmura.cli.options import Json, app, print_facts


@app.command
def scenarios(name: str | None = None, /, *, as_json: Json = False) -> None:
    """List the shipped scenarios, or all values of one: path, value, unit, bounds and meaning.

    Parameters
    ----------
    name
        A scenario's name or file.
    """
    from murmura.scenario import load_scenario, value_paths
    from murmura.scenario.about import about
    from murmura.scenario.files import scenario_titles

    if name is None:
        print_facts(scenario_titles(), as_json)
        return
    scenario = load_scenario(name)
    if as_json:
        print(json.dumps(scenario.model_dump(mode="json"), indent=2))
    else:
        for path, value in value_paths(scenario):
            said = about(scenario, path)
            print(f"{path} = {value}" + (f"  # {said}" if said else ""))


@app.command
def doctor(*, as_json: Json = False) -> None:
    """Report the hardware and libraries of this machine, and what is missing."""
    from murmura.lab.doctor import examine

    print_facts(examine(), as_json)
