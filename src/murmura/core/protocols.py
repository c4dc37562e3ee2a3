"""Types for the arguments of a rule's functions, so that editors can complete names.

These classes are never instantiated. Columns that a rule names in `reads` and `writes` also exist, with the type `Any`.
"""

from __future__ import annotations

from typing import Any, Protocol

from murmura.core.algebra import Condition, Integer, Number
from murmura.core.vec import Vec
from murmura.core.world.visual_field import Eye


class Me(Protocol):
    """The agent that decides."""

    id: Integer
    position: Vec  # [u]
    velocity: Vec  # [u/s or u/tick]
    heading: Vec  # of length 1; along the first axis at rest
    speed: Number
    max_speed: Number  # before fear and hunger
    max_force: Number
    neighbors: Number  # how many it perceives; 0 inside `pair`
    panic: Number
    energy: Number
    species: Integer
    heading_angle: Number  # [rad]; kept while at rest
    eye: Eye  # what covers its view: for rules with `uses_eye`, after `pair`, where `world.occludes`

    def __getattr__(self, column: str) -> Any: ...


class Seen(Protocol):
    """A neighbour, as the agent perceives it."""

    id: Integer
    offset: Vec  # from me to it, the shortest way on a torus [u]
    square: Number  # of the distance
    distance: Number  # [u]
    inverse: Number  # 1 / distance
    nearness: Number  # 1 - distance / perception radius
    velocity: Vec
    attention: Number  # lower for neighbours behind, by `perception.rear_attention`
    separation: Number  # factor on this force for its species, as are the next four
    alignment: Number
    cohesion: Number
    flee: Number
    chase: Number
    panic: Number
    energy: Number
    species: Integer
    heading_angle: Number
    visible: Condition  # whether it is in view: for rules with `meets_everyone`
    sees_me: Condition
    bins: Number  # how many bins of my visual field show it, where `world.occludes`; 0: it is hidden

    def __getattr__(self, column: str) -> Any: ...


class World(Protocol):
    """The world and the time."""

    size: Vec  # [u]
    width: Number
    height: Number
    depth: Number  # 0 in the plane
    edges: Any  # what happens at the edges, axis by axis
    wraps: bool
    walled: bool
    occludes: bool  # whether bodies and obstacles hide what is behind them
    dt: Number  # [s] of a step
    time: Number  # [s]
    noise_time: Number  # [s], restarts from 0 every 5120 s
    step: Integer
    thrust: Number  # velocity that a unit of force gives in a step
    stride: Number  # distance that a unit of velocity covers in a step
    pace: Number  # converts a velocity to u/s
    skin: Number  # distance kept from obstacles [u]
    seed_low: Integer
    seed_high: Integer
    noise_x: Number  # offset on the noise lattice, from the seed
    noise_y: Number
    noise_z: Number
