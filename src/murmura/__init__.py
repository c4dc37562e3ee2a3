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
    from murmura.core.errors import MurmuraError as MurmuraError
    from murmura.core.rule import Rule as Rule
    from murmura.core.rule import register_rule as register_rule
    from murmura.engine.clock import Clock as Clock
    from murmura.engine.ensemble import Ensemble as Ensemble
    from murmura.engine.reading.surroundings import food as food
    from murmura.engine.reading.surroundings import hunters as hunters
    from murmura.engine.simulation import Simulation as Simulation
    from murmura.lab.exports.lineage import lineage as lineage
    from murmura.lab.figures.plot import plot as plot
    from murmura.lab.fit.fit import fit as fit
    from murmura.lab.infer.infer import infer as infer
    from murmura.lab.measuring.measure_run import measure_ensemble as measure_ensemble
    from murmura.lab.measuring.measure_run import measure_run as measure_run
    from murmura.lab.runs.run import open_run as open_run
    from murmura.lab.search import optimize as optimize
    from murmura.lab.sensitivity import sensitivity as sensitivity
    from murmura.lab.sweeps.folder import open_sweep as open_sweep
    from murmura.lab.sweeps.sweep import resume_sweep as resume_sweep
    from murmura.lab.sweeps.sweep import sweep as sweep
    from murmura.lab.tracks.tracks import load_tracks as load_tracks
    from murmura.measure import Flock as Flock
    from murmura.measure import measure_flock as measure_flock
    from murmura.measure import register_measure as register_measure
    from murmura.scenario import Scenario as Scenario
    from murmura.scenario import load_scenario as load_scenario
    from murmura.scenario import save_scenario as save_scenario
    from murmura.scenario import scenario_names as scenario_names
    from murmura.view.notebook import show as show

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

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        from importlib import import_module

        value = getattr(import_module(_HOMES[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'murmura' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
