"""Draws docs/images/starlings.png: `python docs/make_picture.py` (needs murmura[analysis])."""

from pathlib import Path

import matplotlib as mpl
import numpy as np

mpl.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.collections import LineCollection

import murmura as mm

TRAIL = 40
scenario = mm.load_scenario("starlings").with_values({"agents": 6000})
sim = mm.Simulation(scenario, seed=11)
sim.step(3000)
trail = [sim.positions]
for _ in range(TRAIL):
    sim.step(2)
    trail.append(sim.positions)

fig = plt.figure(figsize=(12, 7.5), facecolor="#070b16")
axes = fig.add_axes((0, 0, 1, 1), facecolor="#070b16")
turn = (np.arctan2(*sim.velocities.T[::-1]) / (2 * np.pi)) % 1.0
colors = 0.55 * plt.get_cmap("hsv")((turn + 0.45) % 1.0) + 0.45 * np.array([0.85, 0.9, 1.0, 1.0])
for k in range(TRAIL):
    alpha = 0.04 + 0.5 * (k / TRAIL) ** 2
    segments = np.stack([trail[k], trail[k + 1]], axis=1)
    axes.add_collection(LineCollection(segments, colors=colors, linewidths=1.3, alpha=alpha))
axes.scatter(*sim.positions.T, s=5.0, c=colors, linewidths=0)
axes.set(xlim=(0, scenario.world.width), ylim=(0, scenario.world.height))
axes.set_aspect("equal")
axes.axis("off")
target = Path(__file__).with_name("images") / "starlings.png"
fig.savefig(target, dpi=100, facecolor=fig.get_facecolor())
print(f"wrote {target.name}: {sim.agent_count} agents, step {sim.step_count}, hash {sim.state_hash()[:12]}")
