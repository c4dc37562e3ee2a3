"""Two fish that burst and coast in a round tank (Calovi et al. 2018), for the contest of `inference.py`.

A plain program: it imports nothing of murmura. Each fish kicks at moments of its own, turns, and glides straight on.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
TANK = 25.0
"""[cm] Radius."""
GLIDE, SHORTEST, LONGER = 0.8, 0.2, 0.525
"""[s] Decay of the speed; least time between kicks, and the mean of what is added."""
NOISE = 0.3
"""[rad]"""
SPEED = 14.0
"""[cm/s] Just after a kick, on average."""
PLANTED = {
    "wall": 0.23, "wall_range": 6.0, "attraction": 0.3, "balance": 3.0, "attraction_range": 20.0, "alignment": 0.3,
    "alignment_range": 20.0,
}  # fmt: skip


def turn(place: Numbers, angle: float, other: Numbers, others_angle: float) -> float:
    """The mean turn of a fish that kicks [rad]."""
    p, r = PLANTED, float(np.hypot(*place))
    wall = angle - np.arctan2(place[1], place[0])
    found = (
        p["wall"]
        * np.exp(-(((TANK - r) / p["wall_range"]) ** 2))
        * np.sin(wall)
        * (1.0 + 0.7 * np.cos(2.0 * wall))
    )
    way = other - place
    d, psi, phi = float(np.hypot(*way)), np.arctan2(way[1], way[0]) - angle, others_angle - angle
    pull = p["attraction"] * (d - p["balance"]) / 3.0 / (1.0 + (d / p["attraction_range"]) ** 2)
    found += pull * np.sin(psi) * (1.0 - 0.33 * np.cos(psi))
    along = (
        p["alignment"]
        * np.exp(-((d / p["alignment_range"]) ** 2))
        * np.sin(phi)
        * (1.0 + 0.3 * np.cos(2.0 * phi))
    )
    return float(found + along * (1.0 + 0.6 * np.cos(psi) - 0.32 * np.cos(2.0 * psi)))


def kicks(seed: int, count: int) -> dict[str, NDArray]:
    """What a tracker sees of each kick: who kicks, where both fish are [cm], where both head before and after [rad]."""
    rng = np.random.default_rng(seed)
    begun, next_kick = np.zeros(2), rng.uniform(0.0, 0.5, 2)
    origin, angle = rng.uniform(-8.0, 8.0, (2, 2)), rng.uniform(-np.pi, np.pi, 2)
    speed = np.full(2, SPEED)
    rows = []
    for _ in range(count):
        who = int(next_kick.argmin())
        now = next_kick[who]
        glided = speed * GLIDE * (1.0 - np.exp(-(now - begun) / GLIDE))
        places = origin + glided[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
        places *= np.minimum(1.0, 0.99 * TANK / np.hypot(*places.T))[:, None]  # the wall stops a glide
        mean = turn(places[who], angle[who], places[1 - who], angle[1 - who])
        after = angle[who] + mean + NOISE * rng.normal()
        rows.append((who, places, angle.copy(), after))
        origin[who], angle[who], begun[who] = places[who], after, now
        speed[who] = SPEED * rng.uniform(0.6, 1.4)
        next_kick[who] = now + SHORTEST + rng.gamma(2.0, LONGER / 2.0)
    who, places, angles, after = zip(*rows, strict=True)
    return {
        "who": np.array(who),
        "places": np.array(places),
        "angles": np.array(angles),
        "after": np.array(after),
    }
