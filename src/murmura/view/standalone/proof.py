"""Computes again, natively, what an exported page simulates: the hashes are equal, whatever browser runs the page."""

from __future__ import annotations

import base64
import json
import re
import zlib
from pathlib import Path
from typing import Any

from murmura import __version__
from murmura.core.errors import RunError, ScenarioError
from murmura.core.notices import print_notice
from murmura.engine.simulation import Simulation
from murmura.scenario import Scenario
from murmura.scenario.plain_files import read_plain_file

LARGEST_FILE, LARGEST_DATA = 20_000_000, 100_000_000
PROOF_STEPS = 100
"""The step whose hash is in the file."""
LEAST_DIGITS = 6


def state_after(scenario: Scenario, seed: int, steps: int) -> str:
    """The hash of the state after some steps, with the arithmetic of pages."""
    simulation = Simulation(scenario, seed, "cpu", portable=True, announce=None)
    simulation.step(steps)
    return simulation.state_hash()


def scenes_of(file: Path) -> dict[str, dict[str, Any]]:
    """The scenes in an exported page by name.

    Raises:
        RunError: If it is no page that simulates.
    """
    try:
        text = read_plain_file(file, LARGEST_FILE).decode("utf-8", "replace")
    except (OSError, ValueError) as error:
        raise RunError(f"cannot read {file}: {error}") from None
    found = re.search(r'id="murmura-data">([A-Za-z0-9+/=]*)</script>', text)
    try:
        inflate = zlib.decompressobj(-15)
        data = json.loads(inflate.decompress(base64.b64decode(found[1] if found else ""), LARGEST_DATA))
        if data["version"] != __version__:
            print_notice(f"{file} was made by murmura {data['version']}, this is {__version__}")
        return {scene["hello"]["scenario"]["name"]: scene for scene in data["scenes"] if "proof" in scene}
    except (ValueError, KeyError, TypeError, zlib.error):
        raise RunError(
            f"{file} is no page made by murmura: expected a file of `murmura export NAME --to html`"
        ) from None


def verified(
    file: Path, name: str | None, seed: int | None, step: int | None, expected: str | None
) -> dict[str, Any]:
    """Step a page's scene natively and compare: with the hash in the file, or with the one that a page shows.

    Raises:
        RunError: If the hashes differ.
    """
    scenes = scenes_of(file)
    if not scenes:
        raise RunError(f"{file} shows a recorded run: it simulates nothing that could be verified")
    if name is not None and name not in scenes:
        raise ScenarioError(f"{file} has no scenario {name!r}; it has {', '.join(scenes)}")
    scene = scenes[name or next(iter(scenes))]
    scenario = Scenario.from_data(scene["hello"]["scenario"])
    if expected is None:
        seed, step, expected = scene["hello"]["seed"], scene["proof"]["step"], scene["proof"]["hash"]
    seed = scene["hello"]["seed"] if seed is None else seed
    found = state_after(scenario, seed, step or 0)
    if len(expected) < LEAST_DIGITS or not found.startswith(expected.lower()):
        raise RunError(f"at step {step} the state has the hash {found}, expected {expected}")
    return {"scenario": scenario.name, "seed": seed, "step": step, "hash": found}
