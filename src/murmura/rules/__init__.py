"""What an animal wants: flocking, steering, terrain, weather, fear, food, mates; what a hunter does; classic models.

Scalar functions and their parameters. Knows no loop, no clock, no compiler and no scenario.
"""

from murmura.rules.body import Energy, MatingCooldown, Starvation
from murmura.rules.breeding import Breeding
from murmura.rules.cucker_smale import CuckerSmale
from murmura.rules.daylight import Daylight
from murmura.rules.evolution.ageing import Ageing
from murmura.rules.evolution.behavior import Behavior
from murmura.rules.evolution.combat import Combat
from murmura.rules.evolution.genome import Genome
from murmura.rules.evolution.immigration import Immigration
from murmura.rules.evolution.remains import Remains
from murmura.rules.evolution.reproduction import Reproduction
from murmura.rules.fear import Fear, Threat
from murmura.rules.feeding import Feeding, FoodSource
from murmura.rules.flocking import Alignment, Cohesion, Separation
from murmura.rules.kinship import Chase, Flee
from murmura.rules.mating import Mating
from murmura.rules.predators import Hunter, Predators
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
from murmura.rules.vicsek import Vicsek
from murmura.rules.vision import Vision
from murmura.rules.weather import Jitter, Noise, Wind
from murmura.rules.zones import Zones

__all__ = [
    "Ageing",
    "Alignment",
    "Attractor",
    "Attractors",
    "AvoidObstacles",
    "Behavior",
    "Boundary",
    "Breeding",
    "Chase",
    "Circle",
    "Cohesion",
    "Combat",
    "Containment",
    "CuckerSmale",
    "Daylight",
    "Energy",
    "Evade",
    "Fear",
    "Feeding",
    "Flee",
    "FleePoint",
    "FollowLeader",
    "FoodSource",
    "Genome",
    "HomeRange",
    "Hunter",
    "Immigration",
    "Jitter",
    "Mating",
    "MatingCooldown",
    "Noise",
    "Polygon",
    "Predators",
    "Pursue",
    "Remains",
    "Reproduction",
    "Seek",
    "Separation",
    "Starvation",
    "Territory",
    "Threat",
    "Vicsek",
    "Vision",
    "Wall",
    "Wander",
    "Wind",
    "Zones",
]
