"""The fields of a hunter, declared once: the layout of its row follows from these classes.

The classes are never instantiated. Their annotations are the fields of a row in order, with types for the checker:
`Vec` is a vector, `Number` a single number. New fields go to the end of the last class, because checkpoints keep whole
rows.
"""

from __future__ import annotations

from inspect import get_annotations

from murmura.core.algebra import Number
from murmura.core.layout import Layout, vector
from murmura.core.vec import Vec


class Appearance:
    """Fields that agents can read and that change from step to step."""

    position: Vec
    velocity: Vec
    fright: Number  # how far it frightens now; 0: it is not there
    target: Number  # the id of the agent it pursues or watches; -1: none
    caught: Number  # the id of the agent it has just caught; -1: none
    number: Number  # its place among the hunters
    tires: Number  # the energy its target loses each second now
    center: Vec  # the middle of the birds it sees
    salt: Number  # varies the random choice from step to step
    reach: Number  # how far it looks for prey now; 0: it does not
    reach_from: Number  # prey nearer than this does not count
    least_approach: Number  # least cosine with which prey must fly towards it
    watch: Vec  # a place at which it counts birds
    watch_radius: Number  # how far from there; 0: it does not count
    watch_cosine: Number  # least cosine with which they must fly there


class Taste:
    """Fields that agents can read and that the scenario sets: which of them it sees and prefers."""

    sight: Number
    isolation_weight: Number
    edge_weight: Number
    velocity_weight: Number
    panic_weight: Number
    intercept_weight: Number
    pace_weight: Number
    approach_weight: Number


class Memory:
    """The hunter's own fields that change from step to step. Times in seconds."""

    state: Number
    state_time: Number  # since it entered its state
    time: Number
    cooldown: Number  # until it may hunt again
    energy: Number
    rest: Number  # since its last effort
    alive: Number
    kind_before: Number  # the kind it had in its last turn; -1: none
    altitude: Number
    angle: Number  # of its place on a circle
    radius: Number  # of that circle
    hunt_clock: Number  # since it began to hunt
    bonus: Number  # factor on its speed from pursuit
    exhaustion: Number  # what its target has lost in this pursuit
    burst_left: Number
    stealth: Number  # 1: it hides
    patience: Number
    goal: Vec
    goal_score: Number
    goal_time: Number  # until it looks for another goal
    tries: Number
    seen: Number  # how many birds it sees
    flock_velocity: Vec
    watched: Number  # how many birds fly towards the place it watches
    best: Number  # the score of the best prey
    best_id: Number  # and its id; -1: none
    speed_share: Number  # the greatest share of its top speed that it steered for in this turn
    prey_here: Number  # whether its target reports: GONE, TAKEN or HERE
    prey: Vec  # where its target is
    prey_velocity: Vec
    prey_panic: Number
    prey_isolation: Number
    prey_velocity_before: Vec
    feint: Number  # what is left of a feint
    hunts: Number
    catches: Number
    failed_hunts: Number
    hunger: Number  # since it last ate
    meals: Number  # since it last had young


class Settings:
    """The hunter's own fields that the scenario sets. `Hunter` has the description and unit of each."""

    kind: Number
    listed: Number  # whether the scenario lists it; else its row is free for young
    start: Vec
    line: Number  # which hunter of the scenario's list it is, or descends from
    rows: Number  # how many hunters there may be
    max_speed: Number
    max_force: Number
    max_energy: Number
    energy_regen: Number
    hunting_drain: Number
    attack_cost: Number
    exhaustion_threshold: Number
    burst: Number
    recovery_delay: Number
    panic_radius: Number
    stealth_radius: Number
    attack_distance: Number
    catch_distance: Number
    lose_distance: Number
    hunt_time: Number
    pursuit_time: Number
    attack_time: Number
    attack_force: Number
    circle_radius: Number
    circle_rate: Number
    scan_time: Number
    stalk_time: Number
    stalk_distance: Number
    stalk_speed: Number
    stalk_force: Number
    least_isolation: Number
    drop_isolation: Number
    bonus_rate: Number
    bonus_max: Number
    tiring: Number
    tiring_max: Number
    climb_rate: Number
    max_altitude: Number
    scan_altitude: Number
    dive_altitude: Number
    wait_time: Number
    ambush_time: Number
    strike_range: Number
    agility: Number
    feint_rate: Number
    catch_cooldown: Number
    miss_cooldown: Number
    hunt_energy: Number
    target_distance: Number
    stalking_drain: Number
    hunt_distance: Number


class HunterRow(Appearance, Taste, Memory, Settings):
    """A hunter in its turn: all fields can be read and assigned by name."""


GONE = 0.0
TAKEN = 0.5
HERE = 1.0
"""What `prey_here` says of a target: no longer there, just caught by another hunter, or there."""
ANY_HEADING = -2.0
"""A cosine that every heading satisfies."""


def fields_of(part: type) -> tuple[str, ...]:
    """The fields that a class declares, in order."""
    return tuple(vector(name) if kind == "Vec" else name for name, kind in get_annotations(part).items())


KNOWN = (*fields_of(Appearance), *fields_of(Taste))
MEMORY = (*fields_of(Memory), *fields_of(Settings))
SETTINGS = (*fields_of(Taste), *fields_of(Settings))
LAYOUT = Layout((*KNOWN, *MEMORY))
"""A row in the plane; in space every vector has a number more."""
SPACE_LAYOUT = Layout((*KNOWN, *MEMORY), 3)


def layout_of(width: int) -> Layout:
    """The layout of rows of this width. Rows of an older recording may lack fields that were added since."""
    return SPACE_LAYOUT if width >= len(SPACE_LAYOUT) else LAYOUT
