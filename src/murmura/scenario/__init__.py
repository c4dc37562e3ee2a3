"""The scenario: one frozen model of a world and everything in it, read from and written to JSON and TOML.

Knows the rules' parameters; knows nothing of backends, time or views.
"""

from murmura.scenario.files import load_scenario, save_scenario, scenario_names
from murmura.scenario.models import Interaction, Motion, Perception, Rules, Scenario, Species, Start, World
from murmura.scenario.paths import value_paths

__all__ = [
    "Interaction",
    "Motion",
    "Perception",
    "Rules",
    "Scenario",
    "Species",
    "Start",
    "World",
    "load_scenario",
    "save_scenario",
    "scenario_names",
    "value_paths",
]
