#!/usr/bin/env python3
"""Write the moments at which the live page opens shipped scenarios: checkpoints of seed 0 at a step that looks good.

Run it after a change of one of these scenarios or of what its agents do: `python scripts/make_moments.py [NAME ...]`.
"""

from __future__ import annotations

import sys

import murmura as mm
from murmura.view.session.editing.tools import with_pointer
from murmura.view.session.good_moments import FOLDER

SECONDS = {
    "classic": 45.0,
    "midges": 30.0,
    "murmuration": 14.0,
    "murmuration-hawk": 45.0,
    "roosts": 20.0,
    "school": 40.0,
    "shark-and-herring": 60.0,
    "stardisplay": 60.0,
    "vicsek": 15.0,
}
"""When, in simulated time [s]."""


def main(names: list[str]) -> None:
    FOLDER.mkdir(exist_ok=True)
    for name in names or sorted(SECONDS):
        scenario = mm.load_scenario(name)
        simulation = mm.Simulation(with_pointer(scenario, None), 0, "cpu")
        simulation.step(round(SECONDS[name] / scenario.motion.time_step))
        simulation.save(FOLDER / f"{name}.npz")


if __name__ == "__main__":
    main(sys.argv[1:])
