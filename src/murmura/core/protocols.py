"""Types for the arguments of a rule's functions: with `Me`, `Seen` and `World`, editors complete names.

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
    max_speed: Number  # undisturbed by fear and hunger
    max_force: Number
    neighbors: Number  # how many it perceives; 0 inside `pair`
    panic: Number
    energy: Number
    species: Integer
    heading_angle: Number  # [rad] as last seen: kept at rest
    eye: Eye  # what covers its view: for rules with `uses_eye`, after `pair`, where `world.occludes`

    def __getattr__(self, column: str) -> Any: ...


class Seen(Protocol):
    """A neighbour, as the agent perceives it."""

    id: Integer
    offset: Vec  # from me to it, the shortest way round [u]
    square: Number  # of the distance
    distance: Number  # [u]
    inverse: Number  # 1 / distance
    nearness: Number  # 1 - distance / perception radius
    velocity: Vec
    attention: Number  # less for those behind, where `perception.rear_attention` says so
    separation: Number  # how much I want of its species, as are the next four
    alignment: Number
    cohesion: Number
    flee: Number
    chase: Number
    panic: Number
    energy: Number
    species: Integer
    heading_angle: Number
    visible: Condition  # whether it is in view: for rules that meet everyone
    sees_me: Condition
    bins: Number  # of my visual field in which I see it, where `world.occludes`; 0: it is hidden

    def __getattr__(self, column: str) -> Any: ...


class World(Protocol):
    """The world and the time."""

    size: Vec  # [u]
    width: Number
    height: Number
    depth: Number  # 0 in the plane
    edges: Any  # what happens at them, axis by axis
    wraps: bool
    walled: bool
    occludes: bool  # whether bodies and obstacles hide what is behind them
    dt: Number  # [s] of a step
    time: Number  # [s]
    noise_time: Number  # [s], from 0 again every 5120 s
    step: Integer
    thrust: Number  # velocity that a unit of force gives in a step
    stride: Number  # length that a unit of velocity carries in a step
    pace: Number  # what makes u/s of a velocity
    skin: Number  # distance kept from obstacles [u]
    seed_low: Integer
    seed_high: Integer
    noise_x: Number  # the seed's place on the noise lattice
    noise_y: Number
    noise_z: Number
