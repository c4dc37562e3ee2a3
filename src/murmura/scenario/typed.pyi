"""Types of a scenario's rules and of `Scenario.edit`, for editors and mypy. By scripts/make_typed.py."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

from murmura.rules.environment.daylight import Daylight
from murmura.rules.environment.home_ranges import HomeRange, Territory
from murmura.rules.environment.terrain import (
    Attractor,
    Attractors,
    AvoidObstacles,
    Boundary,
    Box,
    Circle,
    Containment,
    Cylinder,
    Plane,
    Polygon,
    Wall,
)
from murmura.rules.environment.weather import Jitter, Noise, Wind
from murmura.rules.evolution.ageing import Ageing
from murmura.rules.evolution.behavior import Behavior
from murmura.rules.evolution.combat import Combat
from murmura.rules.evolution.genome import Genome
from murmura.rules.evolution.immigration import Immigration
from murmura.rules.evolution.remains import Remains
from murmura.rules.evolution.reproduction import Reproduction
from murmura.rules.flocking.flee_and_chase import Chase, Flee
from murmura.rules.flocking.reynolds import Alignment, Cohesion, Separation
from murmura.rules.life.body import Energy, MatingCooldown, Starvation
from murmura.rules.life.breeding import Breeding
from murmura.rules.life.feeding import Feeding
from murmura.rules.life.mating import Mating
from murmura.rules.life.panic import Fear, Threat
from murmura.rules.life.sources import FoodSource
from murmura.rules.models.active_brownian import ActiveBrownian
from murmura.rules.models.cucker_smale import CuckerSmale
from murmura.rules.models.dorsogna import DOrsogna
from murmura.rules.models.inertial_spin import InertialSpin
from murmura.rules.models.informed import Informed
from murmura.rules.models.olfati_saber import OlfatiSaber
from murmura.rules.models.pedestrians import Pedestrians
from murmura.rules.models.stardisplay import StarDisplay
from murmura.rules.models.strombom import Sheep, Sheepdog
from murmura.rules.models.vicsek import Vicsek
from murmura.rules.models.vision import Vision
from murmura.rules.models.zones import Zones
from murmura.rules.predators.hunter import Hunter
from murmura.rules.predators.rule import Predators
from murmura.rules.steering.action import Action
from murmura.rules.steering.cruise import Cruise
from murmura.rules.steering.flight import Altitude, Banking, Level
from murmura.rules.steering.goals import Evade, FleePoint, FollowLeader, Pursue, Seek, Wander
from murmura.scenario.models import RulesBase, Species

_default: Any

class Rules(RulesBase):
    separation: Separation = _default
    alignment: Alignment = _default
    cohesion: Cohesion = _default
    noise: Noise = _default
    wind: Wind = _default
    jitter: Jitter = _default
    boundary: Boundary = _default
    containment: Containment = _default
    avoid_obstacles: AvoidObstacles = _default
    attractors: Attractors = _default
    fear: Fear = _default
    predators: Predators = _default
    energy: Energy = _default
    starvation: Starvation = _default
    feeding: Feeding = _default
    mating: Mating = _default
    breeding: Breeding = _default
    mating_cooldown: MatingCooldown = _default
    daylight: Daylight = _default
    territory: Territory = _default
    genome: Genome = _default
    remains: Remains = _default
    behavior: Behavior = _default
    combat: Combat = _default
    reproduction: Reproduction = _default
    ageing: Ageing = _default
    immigration: Immigration = _default
    seek: Seek = _default
    flee_point: FleePoint = _default
    pursue: Pursue = _default
    evade: Evade = _default
    wander: Wander = _default
    follow_leader: FollowLeader = _default
    flee: Flee = _default
    chase: Chase = _default
    vicsek: Vicsek = _default
    zones: Zones = _default
    cucker_smale: CuckerSmale = _default
    vision: Vision = _default
    action: Action = _default
    active_brownian: ActiveBrownian = _default
    altitude: Altitude = _default
    banking: Banking = _default
    cruise: Cruise = _default
    dorsogna: DOrsogna = _default
    inertial_spin: InertialSpin = _default
    informed: Informed = _default
    level: Level = _default
    olfati_saber: OlfatiSaber = _default
    pedestrians: Pedestrians = _default
    sheep: Sheep = _default
    sheepdog: Sheepdog = _default
    stardisplay: StarDisplay = _default
    def __getattr__(self, name: str) -> Any: ...  # rules of your own

class WorldEdits(TypedDict, total=False):
    width: float
    height: float
    boundary: Literal["wrap", "soft", "reflect", "open"]
    depth: float | None
    boundary_y: Literal["wrap", "soft", "reflect"] | None
    boundary_z: Literal["wrap", "soft", "reflect", "open"] | None

class MotionEdits(TypedDict, total=False):
    policy: Literal["capped", "constant", "overdamped"]
    max_speed: float
    speed: float
    min_speed: float
    max_force: float
    clamp_total: bool
    panic_force: float
    panic_speed: float
    velocity_unit: Literal["second", "tick"]
    time_step: float

class PerceptionEdits(TypedDict, total=False):
    radius: float
    field_of_view: float
    nearest: int | None
    rear_attention: float
    occlusion: bool
    body: float
    bins: int

class StartEdits(TypedDict, total=False):
    layout: Literal["uniform", "disc"]
    margin: float
    radius: float
    speed: float
    speed_spread: float
    direction: float | None
    direction_spread: float

class DisplayEdits(TypedDict, total=False):
    size: float
    glow: float
    speed: float
    trails: bool
    follow_window: bool
    shape: Literal["bird", "fish"]

class SeparationEdits(TypedDict, total=False):
    enabled: bool
    radius: float
    weight: float
    falloff: Literal["inverse", "inverse_square"]
    response: Literal["steer", "push"]
    priority: Literal["weight", "early_exit"]
    exit_distance: float
    foresight: float
    clearance: float

class AlignmentEdits(TypedDict, total=False):
    enabled: bool
    radius: float | None
    weight: float
    weighting: Literal["uniform", "linear"]
    coincident: bool

class CohesionEdits(TypedDict, total=False):
    enabled: bool
    radius: float | None
    weight: float
    weighting: Literal["uniform", "linear"]
    density_adaptation: bool
    crowd: float
    crowd_floor: float

class NoiseEdits(TypedDict, total=False):
    enabled: bool
    strength: float
    wander: float
    scale: float
    rate: float
    gain: float

class WindEdits(TypedDict, total=False):
    enabled: bool
    speed: float
    direction: float
    turbulence: float
    scale: float
    rate: float
    gain: float

class JitterEdits(TypedDict, total=False):
    enabled: bool
    angle: float
    max_turn_rate: float

class BoundaryEdits(TypedDict, total=False):
    enabled: bool
    margin: float
    force: float
    shape: Literal["rectangle", "ellipse"]

class ContainmentEdits(TypedDict, total=False):
    enabled: bool
    weight: float
    margin: float
    foresight: float

class AvoidObstaclesEdits(TypedDict, total=False):
    enabled: bool
    weight: float
    reach: float

class AttractorsEdits(TypedDict, total=False):
    enabled: bool
    weight: float
    points: Sequence[Attractor | Mapping[str, Any]]

class FearEdits(TypedDict, total=False):
    enabled: bool
    weight: float
    threats: Sequence[Threat | Mapping[str, Any]]
    flight_boost: float
    spread_from: float
    spread: float
    fade: float
    calm_below: float

class PredatorsEdits(TypedDict, total=False):
    enabled: bool
    weight: float
    hunters: Sequence[Hunter | Mapping[str, Any]]
    on_capture: Literal["remove", "respawn", "count"]
    aggression: float
    speed_factor: float
    flight_boost: float
    flight_cost: float
    eagerness: float
    rest_until: float
    spread: float
    isolation_distance: float
    isolation_crowd: float
    edge_distance: float
    intercept_distance: float
    unsteady_turn: float
    edge_margin: float
    edge_push: float
    starve_after: float
    breed_after: int
    most_hunters: int

class EnergyEdits(TypedDict, total=False):
    enabled: bool
    decay: float
    speed_cost: float
    min_speed: float

class StarvationEdits(TypedDict, total=False):
    enabled: bool
    after: float

class FeedingEdits(TypedDict, total=False):
    enabled: bool
    weight: float
    manner: Literal["stages", "passing"]
    sources: Sequence[FoodSource | Mapping[str, Any]]
    count: int
    amount: float
    capacity: int
    consumption: float
    energy_restore: float
    respawn: Literal["elsewhere", "same_place", "never"]
    respawn_time: float
    margin: float
    reach: float
    attraction: float
    hunger_gain: float
    drawn_below: float
    hungry_below: float
    sated_above: float
    content_above: float
    duration: float
    panic_limit: float
    approach_speed: float
    arrival_radius: float
    ignore_within: float
    style: Literal["gather", "swarm", "hover"]
    gather_radius: float
    gather_from: float
    lost_from: float
    gather_speed: float
    gather_force: float
    swarm_pull: float
    swarm_noise: float
    swarm_core: float
    hover_speed: float
    hover_force: float
    hover_damping: float
    eagerness: float
    turn_time: float
    landing_radius: float
    sit_radius: float
    sit_damping: float
    feed_speed: float
    feed_force: float
    feed_damping: float
    approach_flocking: float
    gather_flocking: float
    approach_space: float
    gather_space: float
    shelter: float

class MatingEdits(TypedDict, total=False):
    enabled: bool
    weight: float
    seek_rate: float
    search_radius: float
    attraction: float
    courting_distance: float
    court_time: float
    court_speed: float
    patience: float
    selectivity: float
    mating_distance: float
    mating_duration: float
    energy_cost: float
    cooldown: float
    loser_share: float
    pair_force: float
    pair_damping: float
    close_damping: float
    close: float
    fight_radius: float
    fight_duration: float
    fight_strength: float
    fight_push: float
    fight_drain: float
    luck: float
    home_advantage: float
    energy_threshold: float
    panic_limit: float
    flocking: float

class BreedingEdits(TypedDict, total=False):
    enabled: bool
    most: int
    gift: float
    maturity: float
    first_flight: float

class MatingCooldownEdits(TypedDict, total=False):
    enabled: bool

class DaylightEdits(TypedDict, total=False):
    enabled: bool
    length: float
    start: float
    nocturnal: float
    dawn_at: float
    day_at: float
    dusk_at: float
    change: float
    night_speed: float
    dawn_speed: float
    day_speed: float
    dusk_speed: float
    night_activity: float
    dawn_activity: float
    day_activity: float
    dusk_activity: float
    night_cohesion: float
    dawn_cohesion: float
    day_cohesion: float
    dusk_cohesion: float

class TerritoryEdits(TypedDict, total=False):
    enabled: bool
    weight: float
    homes: Sequence[HomeRange | Mapping[str, Any]]
    pull: float
    push: float
    inner: float
    outer: float

class GenomeEdits(TypedDict, total=False):
    enabled: bool
    speed: float
    force: float
    vision: float
    size: float
    aggression: float
    sociability: float
    efficiency: float
    fear: float
    maturity: float
    longevity: float
    hue: float
    eye: float
    fin: float
    tail: float
    spike: float
    antenna: float
    glow: float
    shell: float
    spread: float
    max_vision: float
    least_vision: float
    tail_speed: float
    fin_turn: float
    eye_vision: float
    antenna_vision: float
    part_cost: float
    glow_cost: float
    spike_cost: float
    shell_cost: float
    vision_cost: float
    force_cost: float
    longevity_cost: float
    flight_cost: float
    efficiency_saves: float
    efficiency_slows: float

class RemainsEdits(TypedDict, total=False):
    enabled: bool
    weight: float
    warning_weight: float
    appetite: float
    places: int
    share: float
    sense: float
    reach: float
    bite: float
    arrival: bool
    lasts: float
    warning_radius: float
    warning_growth: float
    warning_lasts: float

class BehaviorEdits(TypedDict, total=False):
    enabled: bool
    weight: float
    decision: Literal["ladder", "scored"]
    fear_radius: float
    chase_radius: float
    aggression_reach: float
    mate_radius: float
    pair_distance: float
    arrival: bool
    build_up: float
    lead: float
    hungry_below: float
    sated_above: float
    hunts_below: float
    sprint: float
    idles_alone: bool
    glow_calls: float
    least_idle: float
    least_flocking: float
    least_fleeing: float
    least_hunting: float
    least_food: float
    least_mating: float
    score_flocking: float
    score_forage: float
    score_partner: float
    score_rest: float
    score_mating: float
    score_eating: float
    score_chase: float
    score_flee: float
    score_scavenge: float
    score_carcass: float
    score_desperate: float
    ignored_threat: float
    threat_radius: float
    close_hunter: float
    close_other: float
    content_below: float
    tired_below: float
    rested_above: float

class CombatEdits(TypedDict, total=False):
    enabled: bool
    range: float
    cooldown: float
    damage: float
    aggression_damage: float
    spike_damage: float
    shell_defence: float
    most_defence: float
    knockback: float
    strike_back: float
    health: float
    maturity_health: float
    regeneration: float
    food_healing: float
    energy_units: float
    bite_cost: float

class ReproductionEdits(TypedDict, total=False):
    enabled: bool
    energy_threshold: float
    least_age: float
    maturity_span: float
    cooldown: float
    young: float
    asexual: float
    alone_after: float
    gift: float
    cost: float
    keeps: float
    first_flight: float
    most: int
    most_of_kind: float
    crossover: Literal["blend", "choice"]
    mutation_rate: float
    mutation_size: float
    hue_mutation_rate: float
    part_mutation_rate: float
    most_parts: int

class AgeingEdits(TypedDict, total=False):
    enabled: bool
    least: float
    span: float
    founders: float

class ImmigrationEdits(TypedDict, total=False):
    enabled: bool
    rate: float
    below: float
    first_flight: float

class SeekEdits(TypedDict, total=False):
    enabled: bool
    weight: float
    x: float
    y: float
    z: float | None
    arrival_radius: float

class FleePointEdits(TypedDict, total=False):
    enabled: bool
    weight: float
    x: float
    y: float
    z: float | None
    reach: float

class PursueEdits(TypedDict, total=False):
    enabled: bool
    weight: float
    agent: int
    lead: float

class EvadeEdits(TypedDict, total=False):
    enabled: bool
    weight: float
    agent: int
    lead: float
    reach: float

class WanderEdits(TypedDict, total=False):
    enabled: bool
    weight: float
    circle_distance: float
    rate: float

class FollowLeaderEdits(TypedDict, total=False):
    enabled: bool
    weight: float
    agent: int
    distance: float
    arrival_radius: float

class FleeEdits(TypedDict, total=False):
    enabled: bool
    weight: float

class ChaseEdits(TypedDict, total=False):
    enabled: bool
    weight: float
    lead: float

class VicsekEdits(TypedDict, total=False):
    enabled: bool
    weight: float
    noise: float
    vectorial: bool

class ZonesEdits(TypedDict, total=False):
    enabled: bool
    repulsion: float
    orientation: float
    attraction: float
    blind_angle: float
    turning_rate: float
    noise: float

class CuckerSmaleEdits(TypedDict, total=False):
    enabled: bool
    strength: float
    decay: float
    length: float

class VisionEdits(TypedDict, total=False):
    enabled: bool
    weight: float
    body: float
    preferred_speed: float
    least_speed: float
    relaxation: float
    acceleration: float
    acceleration_edges: float
    turning: float
    turning_edges: float

class ActionEdits(TypedDict, total=False):
    enabled: bool
    weight: float
    axes: Literal["own", "world"]

class ActiveBrownianEdits(TypedDict, total=False):
    enabled: bool
    swim_speed: float
    turning: float
    thermal: float
    stiffness: float
    diameter: float

class AltitudeEdits(TypedDict, total=False):
    enabled: bool
    weight: float
    z: float | None
    range: float

class BankingEdits(TypedDict, total=False):
    enabled: bool
    weight: float
    cruise_speed: float
    gravity: float
    lift_to_drag: float
    roll_in: float
    roll_out: float
    most_roll: float

class CruiseEdits(TypedDict, total=False):
    enabled: bool
    weight: float
    speed: float
    relaxation: float

class DOrsognaEdits(TypedDict, total=False):
    enabled: bool
    propulsion: float
    drag: float
    repulsion: float
    repulsion_length: float
    attraction: float
    attraction_length: float
    coupling: float

class InertialSpinEdits(TypedDict, total=False):
    enabled: bool
    inertia: float
    stiffness: float
    friction: float
    temperature: float

class InformedEdits(TypedDict, total=False):
    enabled: bool
    repulsion: float
    range: float
    preference: float
    direction: float
    turning_rate: float
    noise: float

class LevelEdits(TypedDict, total=False):
    enabled: bool
    weight: float
    relaxation: float

class OlfatiSaberEdits(TypedDict, total=False):
    enabled: bool
    spacing: float
    interaction: float
    stiffness: float
    agreement: float
    epsilon: float
    bump: float
    goal_pull: float
    goal_friction: float
    goal_x: float
    goal_y: float

class PedestriansEdits(TypedDict, total=False):
    enabled: bool
    direction: float
    wanted_speed: float
    speed_spread: float
    relaxation: float
    repulsion: float
    repulsion_length: float
    ahead: float
    wall: float
    wall_length: float
    view: float
    behind: float
    fastest: float

class SheepEdits(TypedDict, total=False):
    enabled: bool
    step: float
    dog: int
    fear_radius: float
    personal_space: float
    inertia: float
    cohesion: float
    repulsion: float
    fear: float
    error: float
    grazing: float

class SheepdogEdits(TypedDict, total=False):
    enabled: bool
    pace: float
    sight: float
    goal_x: float
    goal_y: float
    spacing: float
    stop: float

class StarDisplayEdits(TypedDict, total=False):
    enabled: bool
    weight: float
    mass: float
    separation: float
    cohesion: float
    alignment: float
    randomness: float
    neighbors: float
    widest_range: float
    adjustment: float
    body: float
    softness: float
    separation_radius: float
    blind_angle: float
    roost_x: float
    roost_y: float
    roost_z: float
    roost_radius: float
    roost_turning: float
    roost_height: float

class RulesEdits(TypedDict, total=False):
    separation: SeparationEdits
    alignment: AlignmentEdits
    cohesion: CohesionEdits
    noise: NoiseEdits
    wind: WindEdits
    jitter: JitterEdits
    boundary: BoundaryEdits
    containment: ContainmentEdits
    avoid_obstacles: AvoidObstaclesEdits
    attractors: AttractorsEdits
    fear: FearEdits
    predators: PredatorsEdits
    energy: EnergyEdits
    starvation: StarvationEdits
    feeding: FeedingEdits
    mating: MatingEdits
    breeding: BreedingEdits
    mating_cooldown: MatingCooldownEdits
    daylight: DaylightEdits
    territory: TerritoryEdits
    genome: GenomeEdits
    remains: RemainsEdits
    behavior: BehaviorEdits
    combat: CombatEdits
    reproduction: ReproductionEdits
    ageing: AgeingEdits
    immigration: ImmigrationEdits
    seek: SeekEdits
    flee_point: FleePointEdits
    pursue: PursueEdits
    evade: EvadeEdits
    wander: WanderEdits
    follow_leader: FollowLeaderEdits
    flee: FleeEdits
    chase: ChaseEdits
    vicsek: VicsekEdits
    zones: ZonesEdits
    cucker_smale: CuckerSmaleEdits
    vision: VisionEdits
    action: ActionEdits
    active_brownian: ActiveBrownianEdits
    altitude: AltitudeEdits
    banking: BankingEdits
    cruise: CruiseEdits
    dorsogna: DOrsognaEdits
    inertial_spin: InertialSpinEdits
    informed: InformedEdits
    level: LevelEdits
    olfati_saber: OlfatiSaberEdits
    pedestrians: PedestriansEdits
    sheep: SheepEdits
    sheepdog: SheepdogEdits
    stardisplay: StarDisplayEdits

class ScenarioEdits(TypedDict, total=False):
    name: str
    title: str
    agents: int
    world: WorldEdits
    motion: MotionEdits
    perception: PerceptionEdits
    rules: RulesEdits
    obstacles: Sequence[Circle | Polygon | Wall | Cylinder | Box | Plane | Mapping[str, Any]]
    species: Sequence[Species | Mapping[str, Any]]
    start: StartEdits
    display: DisplayEdits
