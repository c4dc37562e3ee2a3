"""`murmura scenarios` and `murmura doctor`."""

from __future__ import annotations

import json

from murmura.cli.words import Json, app, print_facts


@app.command
def scenarios(name: str | None = None, /, *, as_json: Json = False) -> None:
    """List the shipped scenarios, or all values of one with their paths.

    Parameters
    ----------
    name
        A scenario's name or file.
    """
    from murmura.scenario import load_scenario, scenario_names, value_paths

    if name is None:
        titles = {entry: load_scenario(entry).title for entry in scenario_names()}
        print_facts(titles, as_json)
        return
    scenario = load_scenario(name)
    if as_json:
        print(json.dumps(scenario.model_dump(mode="json"), indent=2))
    else:
        for path, value in value_paths(scenario):
            print(f"{path} = {value}")


@app.command
def doctor(*, as_json: Json = False) -> None:
    """Say what this machine has and what is missing."""
    from murmura.lab.doctor import examine

    print_facts(examine(), as_json)
