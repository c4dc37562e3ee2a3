"""Murmura: a flocking laboratory.

    import murmura as mm
    sim = mm.Simulation("starlings", seed=7)
    sim.step(600)
    sim.measure()["polarization"]

Names are loaded when they are first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from murmura.core.errors import MurmuraError
    from murmura.core.rule import Rule, register_rule
    from murmura.engine.clock import Clock
    from murmura.engine.ensemble import Ensemble
    from murmura.engine.reading.surroundings import food, hunters
    from murmura.engine.simulation import Simulation
    from murmura.lab.exports.lineage import lineage
    from murmura.lab.figures.plot import plot
    from murmura.lab.fit.fit import fit
    from murmura.lab.infer.infer import infer
    from murmura.lab.measuring.measure_run import measure_ensemble, measure_run
    from murmura.lab.runs.run import open_run
    from murmura.lab.search import optimize
    from murmura.lab.sensitivity import sensitivity
    from murmura.lab.sweeps.folder import open_sweep
    from murmura.lab.sweeps.sweep import resume_sweep, sweep
    from murmura.lab.tracks.tracks import load_tracks
    from murmura.measure import Flock, measure_flock, register_measure
    from murmura.scenario import Scenario, load_scenario, save_scenario, scenario_names
    from murmura.view.notebook import show

__version__ = "0.2.0.dev0"

_HOMES = {
    "MurmuraError": "murmura.core.errors",
    "Rule": "murmura.core.rule",
    "register_rule": "murmura.core.rule",
    "Clock": "murmura.engine.clock",
    "Ensemble": "murmura.engine.ensemble",
    "food": "murmura.engine.reading.surroundings",
    "hunters": "murmura.engine.reading.surroundings",
    "Simulation": "murmura.engine.simulation",
    "lineage": "murmura.lab.exports.lineage",
    "plot": "murmura.lab.figures.plot",
    "fit": "murmura.lab.fit.fit",
    "infer": "murmura.lab.infer.infer",
    "measure_ensemble": "murmura.lab.measuring.measure_run",
    "measure_run": "murmura.lab.measuring.measure_run",
    "open_run": "murmura.lab.runs.run",
    "optimize": "murmura.lab.search",
    "sensitivity": "murmura.lab.sensitivity",
    "open_sweep": "murmura.lab.sweeps.folder",
    "resume_sweep": "murmura.lab.sweeps.sweep",
    "sweep": "murmura.lab.sweeps.sweep",
    "load_tracks": "murmura.lab.tracks.tracks",
    "Flock": "murmura.measure",
    "measure_flock": "murmura.measure",
    "register_measure": "murmura.measure",
    "Scenario": "murmura.scenario",
    "load_scenario": "murmura.scenario",
    "save_scenario": "murmura.scenario",
    "scenario_names": "murmura.scenario",
    "show": "murmura.view.notebook",
}

__all__ = [
    "Clock",
    "Ensemble",
    "Flock",
    "MurmuraError",
    "Rule",
    "Scenario",
    "Simulation",
    "fit",
    "food",
    "hunters",
    "infer",
    "lineage",
    "load_scenario",
    "load_tracks",
    "measure_ensemble",
    "measure_flock",
    "measure_run",
    "open_run",
    "open_sweep",
    "optimize",
    "plot",
    "register_measure",
    "register_rule",
    "resume_sweep",
    "save_scenario",
    "scenario_names",
    "sensitivity",
    "show",
    "sweep",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        from importlib import import_module

        value = getattr(import_module(_HOMES[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'murmura' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
