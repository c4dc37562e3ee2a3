"""What an animal wants: flocking, steering, terrain, weather, fear, strength; and what a hunter does.

Scalar functions and their parameters. Knows no loop, no clock, no compiler and no scenario.
"""

from murmura.rules.body import Energy, MatingCooldown
from murmura.rules.daylight import Daylight
from murmura.rules.fear import Fear, Threat
from murmura.rules.flocking import Alignment, Cohesion, Separation
from murmura.rules.hunting.kinds import Hunter
from murmura.rules.kinship import Chase, Flee
from murmura.rules.predators import Predators
from murmura.rules.steering import Evade, FleePoint, FollowLeader, Pursue, Seek, Wander
from murmura.rules.terrain import (
    Attractor,
    Attractors,
    AvoidObstacles,
    Boundary,
    Circle,
    Containment,
    Polygon,
    Wall,
)
from murmura.rules.territory import HomeRange, Territory
from murmura.rules.weather import Jitter, Noise, Wind

__all__ = [
    "Alignment",
    "Attractor",
    "Attractors",
    "AvoidObstacles",
    "Boundary",
    "Chase",
    "Circle",
    "Cohesion",
    "Containment",
    "Daylight",
    "Energy",
    "Evade",
    "Fear",
    "Flee",
    "FleePoint",
    "FollowLeader",
    "HomeRange",
    "Hunter",
    "Jitter",
    "MatingCooldown",
    "Noise",
    "Polygon",
    "Predators",
    "Pursue",
    "Seek",
    "Separation",
    "Territory",
    "Threat",
    "Wall",
    "Wander",
    "Wind",
]
