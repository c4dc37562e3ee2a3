"""What the documents call the values of a scenario, for messages, the page's search and a table of docs/model.md."""

from __future__ import annotations

NAMES: dict[str, tuple[str, str]] = {
    # Document 002's table.
    "birdCount": ("agents", "S2-39"),
    "particleSize": ("display.size", "S2-40"),
    "maxSpeed": ("motion.max_speed", "S2-41"),
    "maxForce": ("motion.max_force", "S2-42"),
    "perceptionRadius": ("perception.radius", "S2-43"),
    "separationRadius": ("rules.separation.radius", "S2-44"),
    "alignmentWeight": ("rules.alignment.weight", "S2-45"),
    "cohesionWeight": ("rules.cohesion.weight", "S2-46"),
    "separationWeight": ("rules.separation.weight", "S2-47"),
    "fieldOfView": ("perception.field_of_view", "S2-48"),
    "boundaryMargin": ("rules.boundary.margin", "S2-49"),
    "boundaryForce": ("rules.boundary.force", "S2-50"),
    "simulationSpeed": ("display.speed", "S2-51"),
    "noiseStrength": ("rules.noise.strength", "S2-52"),
    "wanderStrength": ("rules.noise.wander", "S2-53"),
    "energyEnabled": ("rules.energy.enabled", "S2-54"),
    "energyDecayRate": ("rules.energy.decay", "S2-55"),
    "minEnergySpeed": ("rules.energy.min_speed", "S2-56"),
    "foodEnergyRestore": ("rules.feeding.energy_restore", "S2-57"),
    # What documents 000 and 002 use beside it.
    "panicDecay": ("rules.fear.spread", "S2-58"),
    "windSpeed": ("rules.wind.speed", "S2-58"),
    "windDirection": ("rules.wind.direction", "S2-58"),
    "windTurbulence": ("rules.wind.turbulence", "S2-58"),
    "panicRadius": ("rules.predators.hunters.N.panic_radius", "S2-58"),
    "gatherRadius": ("rules.feeding.gather_radius", "S2-58"),
    "fixedDeltaTime": ("motion.time_step", "S0-32"),
    "noiseScale": ("rules.noise.scale", "S0-103"),
    "maxEnergy": ("rules.predators.hunters.N.max_energy", "S0-67"),
    "energyRegenRate": ("rules.predators.hunters.N.energy_regen", "S0-67"),
    "huntingDrain": ("rules.predators.hunters.N.hunting_drain", "S0-67"),
    "attackCost": ("rules.predators.hunters.N.attack_cost", "S0-67"),
    "exhaustionThreshold": ("rules.predators.hunters.N.exhaustion_threshold", "S0-67"),
    "stealthRadius": ("rules.predators.hunters.N.stealth_radius", "S0-99"),
    "circleRadius": ("rules.predators.hunters.N.circle_radius", "S0-74"),
    "climbRate": ("rules.predators.hunters.N.climb_rate", "S0-81"),
    "maxAltitude": ("rules.predators.hunters.N.max_altitude", "S0-81"),
    "minDiveAltitude": ("rules.predators.hunters.N.dive_altitude", "S0-83"),
    "minWaitTime": ("rules.predators.hunters.N.wait_time", "S0-97"),
    # Document 003.
    "alignmentRadius": ("rules.alignment.radius", "S3-5"),
    "cohesionRadius": ("rules.cohesion.radius", "S3-5"),
    "fearRadius": ("rules.behavior.fear_radius", "S3-6"),
    "chaseRadius": ("rules.behavior.chase_radius", "S3-8"),
    "foodDetectionRadius": ("rules.feeding.reach", "S3-10"),
    "obstacleAvoidanceRadius": ("rules.avoid_obstacles.reach", "S3-11"),
    "attackRange": ("rules.combat.range", "S3-21"),
    "healthRegenRate": ("rules.combat.regeneration", "S3-27"),
    "maxVisionRange": ("rules.genome.max_vision", "S3-32"),
    # Document 004.
    "target_speed": ("motion.speed", "S4-65"),
    "R": ("perception.radius", "S4-66"),
    "d_min": ("rules.separation.radius", "S4-66"),
    "w_sep": ("rules.separation.weight", "S4-67"),
    "w_align": ("rules.alignment.weight", "S4-67"),
    "w_coh": ("rules.cohesion.weight", "S4-67"),
    "FOV": ("perception.field_of_view", "S4-68"),
    "max_turn_rate": ("rules.jitter.max_turn_rate", "S4-12"),
}
"""For each name the path, with N for a number in a list, and the statement that uses it."""

_BY_LOWER_CASE = {name.lower(): name for name in NAMES}


def path_of(path: str) -> str | None:
    """The path of what a document calls so: a bare name in any case of letters, or one at the end of a path."""
    last = path.rpartition(".")[2]
    known = last if last in NAMES else _BY_LOWER_CASE.get(path.lower())
    return NAMES[known][0] if known else None


def names_by_path() -> dict[str, list[str]]:
    """The documents' names of each path."""
    found: dict[str, list[str]] = {}
    for name, (path, _) in NAMES.items():
        found.setdefault(path, []).append(name)
    return found
