"""Cavagna et al. 2010: the range over which birds' fluctuations agree grows with the flock.

    python experiments/correlation.py [--quick | --full]

Published: with u_i = v_i - mean velocity and C(r) the mean of u_i . u_j at the distance r over that at 0, the first
zero xi of C is 0.35 L in 24 flocks of 122 to 4,268 starlings, L their greatest extent. C must cross zero in any
finite flock, as the u_i add up to zero; so the same is done with the u_i shuffled, and with random vectors correlated
over a fixed length.
"""

from __future__ import annotations

import numpy as np
from report import COLORS, Experiment

import murmura as mm


def first_zero(x: np.ndarray, u: np.ndarray) -> tuple[float, float]:
    """The first zero of C(r), and the greatest distance of two birds."""
    upper = np.triu_indices(len(x), 1)
    distance = np.linalg.norm(x[:, None] - x[None], axis=-1)[upper]
    product = (u @ u.T)[upper]
    extent = float(distance.max())
    bins = np.minimum((distance / extent * 40).astype(int), 39)
    counts = np.bincount(bins, minlength=40)
    curve = np.bincount(bins, product, minlength=40) / np.maximum(counts, 1)
    middles = (np.arange(40) + 0.5) * extent / 40.0
    use = counts >= 20
    r, c = middles[use], curve[use]
    below = np.flatnonzero(c <= 0.0)
    if not len(below):
        return float("nan"), extent
    k = int(below[0])
    if k == 0:
        return float(r[0]), extent
    return float(r[k - 1] + (r[k] - r[k - 1]) * c[k - 1] / (c[k - 1] - c[k])), extent


def fixed_range(x: np.ndarray, length: float, rng: np.random.Generator) -> np.ndarray:
    """Random vectors whose correlation falls by e over a length, minus their mean."""
    distance = np.linalg.norm(x[:, None] - x[None], axis=-1)
    root = np.linalg.cholesky(np.exp(-distance / length) + 1e-6 * np.eye(len(x)))
    u = root @ rng.standard_normal(x.shape)
    return u - u.mean(axis=0)


def measure(lab: Experiment) -> list[tuple]:
    rng, rows = np.random.default_rng(5), []
    for agents in lab.pick((60, 120), (100, 200, 400, 800, 1_600), (100, 200, 400, 800, 1_600, 3_200)):
        # Seven neighbours count, however far they are, so that larger flocks are wider and not denser.
        scenario = mm.load_scenario("topological").with_values(
            {
                "agents": agents, "world.boundary": "open", "world.width": 1e5, "world.height": 1e5,
                "rules.fear.enabled": False, "rules.noise.enabled": False, "rules.jitter.enabled": True,
                "rules.jitter.angle": 3.0, "start.radius": 7.0 * agents**0.5, "start.direction": 0.0,
            }
        )  # fmt: skip
        flocks = mm.Ensemble(scenario, seeds=range(lab.pick(1, 3, 6)))
        flocks.step(lab.pick(300, 1_500, 6_000))
        for _ in range(lab.pick(1, 3, 10)):
            flocks.step(100)
            for world, (x, v) in enumerate(
                zip(flocks.positions.astype(float), flocks.velocities.astype(float), strict=True)
            ):
                u = v - v.mean(axis=0)
                order = float(np.linalg.norm((v / np.linalg.norm(v, axis=1, keepdims=True)).mean(axis=0)))
                xi, extent = first_zero(x, u)
                shuffled, _ = first_zero(x, rng.permutation(u))
                fixed, _ = first_zero(x, fixed_range(x, 20.0, rng))
                rows.append((agents, world, flocks.step_count, extent, xi, shuffled, fixed, order))
        mine = np.array([row[3:] for row in rows if row[0] == agents])
        flock, shuffled, fixed = (np.nanmean(mine[:, k] / mine[:, 0]) for k in (1, 2, 3))
        lab.say(
            f"N {agents}: L {mine[:, 0].mean():.1f}, xi / L {flock:.3f}, shuffled {shuffled:.3f}, "
            f"fixed range {fixed:.3f}, order {mine[:, 4].mean():.3f}"
        )
    return rows


def draw(lab: Experiment, rows: list[tuple]) -> None:
    figure, axes = lab.figure(1, 5.0)
    mine = np.array(rows)
    for column, color, label in (
        (4, COLORS[0], "flocks"),
        (5, "0.7", "shuffled"),
        (6, COLORS[1], "fixed range of 20 u"),
    ):
        axes[0].plot(mine[:, 3], mine[:, column], "o", ms=3, color=color, label=label)
    extent = np.array([0.0, mine[:, 3].max()])
    axes[0].plot(extent, 0.35 * extent, "-", lw=1, color="k", label="0.35 L, published")
    axes[0].set(xlabel="extent of the flock L [u]", ylabel="first zero of C(r), ξ [u]")
    axes[0].legend(frameon=False, fontsize=8)
    lab.save(figure)


def main() -> None:
    lab = Experiment("correlation", "The range of correlation grows with the flock (Cavagna et al. 2010).")
    rows = measure(lab)
    flocks = np.array([row[3:7] for row in rows if np.isfinite(row[3:7]).all()])
    for name, column in (("flocks", 1), ("shuffled", 2), ("fixed range", 3)):
        slope = float((flocks[:, 0] @ flocks[:, column]) / (flocks[:, 0] @ flocks[:, 0]))
        by_world = np.array([one @ two / (one @ one) for one, two in blocks(rows, 3 + column)])
        error = float(by_world.std(ddof=1) / np.sqrt(len(by_world)))
        pearson = float(np.corrcoef(flocks[:, 0], flocks[:, column])[0, 1])
        lab.say(f"{name}: xi = {slope:.3f} +- {error:.3f} L, Pearson {pearson:.3f}")
    lab.table(("agents", "flock", "step", "extent", "xi", "xi_shuffled", "xi_fixed_range", "order"), rows)
    draw(lab, rows)


def blocks(rows: list[tuple], column: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Extents and zeros of each flock by itself: its moments are not independent."""
    keys = sorted({row[:2] for row in rows})
    found = [np.array([(row[3], row[column]) for row in rows if row[:2] == key]) for key in keys]
    return [(one[:, 0], one[:, 1]) for one in found if np.isfinite(one).all()]


if __name__ == "__main__":
    main()
