"""A user's script, which mypy checks strictly and nobody runs: public names have types that an editor can show."""

import numpy as np

import murmura as mm
from murmura.core.merging import Sum
from murmura.measure import Flock, register_measure
from murmura.rules import Me, Seen, Vec, World, quantity


@mm.register_rule("brake")
class Brake(mm.Rule):
    weight: float = quantity(1.0, "How much.", "", (0, 5), ge=0)

    @staticmethod
    def pair(p: "Brake", me: Me, seen: Seen, world: World) -> Sum:
        return Sum(seen.nearness)

    @staticmethod
    def steer(p: "Brake", me: Me, found: float, world: World) -> Vec:
        return me.velocity * (-0.1 * p.weight * found)


@register_measure("north")
def north(flock: Flock) -> float:
    return float(flock.positions[:, 1].max())


scenario = mm.load_scenario("starlings").with_values({"rules.alignment.weight": 2.0, "agents": 500})
sim = mm.Simulation(scenario, seed=7)
sim.step(60)
print(sim.step_count, round(sim.measure()["polarization"], 3), sim.state_hash()[:12])
positions: np.ndarray = sim.positions
told = sim.explain(0)
ensemble = mm.Ensemble(scenario, seeds=range(3))
ensemble.step(5)
rows = ensemble.measure(["polarization"])

run = mm.open_run("runs/x")
for frame in run.frames:
    print(frame.step, frame.positions.shape)
mm.plot("runs/x", "a.png")
sweep = mm.sweep("vicsek", {"rules.vicsek.noise": [1, 2]}, steps=10, out="s")

# What readers tell has keys that mypy knows.
force: list[float] = told["rules"]["alignment"]["force"]
kinds: list[str] = [hunter["kind"] for hunter in mm.hunters(sim)]
left: float = sum(source["amount"] for source in mm.food(sim))
causes = {event["id"]: event["cause"] for event in sim.events()}
told["position"], told["postion"]  # type: ignore[misc]
mm.sweep("vicsek", {"agents": [1]}, 9, "s", repeats=3, measures=["polarization"], progress=None)
mm.sweep("vicsek", {"agents": [1]}, 9, "s", repeats="three")  # type: ignore[arg-type]
mm.sweep("vicsek", {"agents": [1]}, 9, "s", repeat=3)  # type: ignore[call-arg]
mm.optimize("vicsek", ["rules.vicsek.noise=0:1"], 9, "s", maximize="polarization")
mm.fit("vicsek", "runs/x", ["rules.vicsek.noise=0:1"], "s", most_runs=99).table()
