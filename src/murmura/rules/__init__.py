"""What an animal wants: flocking, steering, terrain, weather, fear, strength, food, mates.

Scalar functions and their parameters. Knows no loop, no clock, no compiler and no scenario.
"""

from murmura.rules.body import Energy, MatingCooldown, Starvation
from murmura.rules.breeding import Breeding
from murmura.rules.fear import Fear, Threat
from murmura.rules.feeding import Feeding, FoodSource
from murmura.rules.flocking import Alignment, Cohesion, Separation
from murmura.rules.kinship import Chase, Flee
from murmura.rules.mating import Mating
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
from murmura.rules.weather import Jitter, Noise, Wind

__all__ = [
    "Alignment",
    "Attractor",
    "Attractors",
    "AvoidObstacles",
    "Boundary",
    "Breeding",
    "Chase",
    "Circle",
    "Cohesion",
    "Containment",
    "Energy",
    "Evade",
    "Fear",
    "Feeding",
    "Flee",
    "FleePoint",
    "FollowLeader",
    "FoodSource",
    "Jitter",
    "Mating",
    "MatingCooldown",
    "Noise",
    "Polygon",
    "Pursue",
    "Seek",
    "Separation",
    "Starvation",
    "Threat",
    "Wall",
    "Wander",
    "Wind",
]
