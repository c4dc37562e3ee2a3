"""The published models of the conformance set: each without chance, with 24 to 31 agents and a start of its own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.core.errors import UnknownNameError, nearest
from murmura.scenario import Scenario, load_scenario

DIGITS = 3
"""Decimals of the positions at the start: few, so that they are easy to copy."""
PARTICLES = {
    "rules.zones.enabled": False, "motion.max_speed": 5.0, "motion.policy": "capped", "motion.time_step": 0.05,
    "world.width": 60.0, "world.height": 60.0, "perception.radius": 25.0,
}  # fmt: skip
"""What makes a world of particles from the scenario couzin."""


@dataclass(frozen=True)
class Model:
    """A published model as Murmura ships it.

    Attributes:
        paper: Where it was published.
        source: The scenario it is made from.
        values: What is changed in it: chance is switched off.
        box: The side of the square or cube in which agents start [u].
        speed: At which they start, in the scenario's unit.
        agents: How many.
        species: How many of them are of the first species; 0 where there is only one.
    """

    paper: str
    source: str
    box: float
    speed: float
    values: dict[str, Any] = field(default_factory=dict)
    agents: int = 30
    first_species: int = 0

    def scenario(self) -> Scenario:
        return load_scenario(self.source).with_values({"agents": self.agents, **self.values})

    def start(self, name: str) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
        """Positions of three decimals, velocities and species: a function of the name."""
        scenario = self.scenario()
        world, dimension = scenario.world, scenario.world.dimension
        rng = np.random.default_rng(list(name.encode()))
        middle = 0.5 * np.array([world.width, world.height, world.depth or 0.0])[:dimension]
        places = middle + (rng.random((self.agents, dimension)) - 0.5) * self.box
        headings = rng.normal(size=(self.agents, dimension))
        headings *= self.speed / np.linalg.norm(headings, axis=1)[:, None]
        species = np.where(np.arange(self.agents) < self.first_species, 0, int(self.first_species > 0))
        return np.round(places, DIGITS), headings, species.astype(np.int64)


MODELS: dict[str, Model] = {
    "reynolds-1987": Model(
        "Reynolds C. W. (1987). Flocks, herds, and schools. Computer Graphics 21.", "classic", 120.0, 2.0
    ),
    "vicsek-1995": Model(
        "Vicsek T. et al. (1995). Novel type of phase transition. Phys. Rev. Lett. 75.", "vicsek", 4.0, 1.8,
        {"rules.vicsek.noise": 0.0},
    ),
    "couzin-2002": Model(
        "Couzin I. D. et al. (2002). Collective memory and spatial sorting. J. Theor. Biol. 218.", "couzin", 12.0, 3.0,
        {"rules.zones.noise": 0.0},
    ),
    "couzin-2002-space": Model(
        "Couzin I. D. et al. (2002). Collective memory and spatial sorting. J. Theor. Biol. 218.", "couzin-space",
        12.0, 3.0, {"rules.zones.noise": 0.0},
    ),
    "cucker-smale-2007": Model(
        "Cucker F., Smale S. (2007). Emergent behavior in flocks. IEEE Trans. Autom. Control 52.", "cucker-smale",
        30.0, 3.0,
    ),
    "ballerini-2008": Model(
        "Ballerini M. et al. (2008). Interaction ruling animal collective behavior. PNAS 105.", "topological",
        200.0, 60.0,
    ),
    "hildenbrandt-2010": Model(
        "Hildenbrandt H. et al. (2010). Self-organized aerial displays of starlings. Behav. Ecol. 21.", "stardisplay",
        20.0, 10.0, {"rules.stardisplay.randomness": 0.0}, agents=24,
    ),
    "bastien-romanczuk-2020": Model(
        "Bastien R., Romanczuk P. (2020). A model of collective behavior based purely on vision. Sci. Adv. 6.",
        "vision", 30.0, 1.0, agents=24,
    ),
    "dorsogna-2006": Model(
        "D'Orsogna M. R. et al. (2006). Self-propelled particles with soft-core interactions. Phys. Rev. Lett. 96.",
        "couzin", 6.0, 1.5, PARTICLES | {"rules.dorsogna.enabled": True},
    ),
    "fily-marchetti-2012": Model(
        "Fily Y., Marchetti M. C. (2012). Athermal phase separation. Phys. Rev. Lett. 108.", "couzin", 10.0, 1.0,
        PARTICLES | {
            "rules.active_brownian.enabled": True, "rules.active_brownian.turning": 0.0,
            "motion.policy": "overdamped", "motion.time_step": 0.01,
        },
    ),
    "cavagna-2014": Model(
        "Cavagna A. et al. (2014). Flocking and turning: a new model for self-organized collective motion. J. Stat. "
        "Phys. 158.", "couzin", 6.0, 3.0,
        PARTICLES | {
            "rules.inertial_spin.enabled": True, "rules.inertial_spin.temperature": 0.0, "perception.radius": 2.0,
            "motion.policy": "constant",
        },
    ),
    "strombom-2014": Model(
        "Strömbom D. et al. (2014). Solving the shepherding problem. J. R. Soc. Interface 11.", "sheep", 40.0, 1.0,
        {"rules.sheep.error": 0.0, "rules.sheep.grazing": 0.0}, agents=31, first_species=1,
    ),
}  # fmt: skip


def find_model(name: str) -> Model:
    """The model of this name.

    Raises:
        UnknownNameError: If there is none.
    """
    if name not in MODELS:
        raise UnknownNameError(
            f"no model is called {name!r}{nearest(name, MODELS)}; known: {', '.join(MODELS)}"
        )
    return MODELS[name]
