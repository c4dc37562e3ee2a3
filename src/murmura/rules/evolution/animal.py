"""The columns that the rules of evolution share, as fields of an agent and of a neighbour."""

from __future__ import annotations

from murmura.core.algebra import Number
from murmura.core.rule_arguments import Agent, Columns, Neighbor


class AnimalColumns(Columns):
    """Genome, body, stance, and what two animals must agree on."""

    gene_speed: Number
    """Genes are inherited and range from 0 to 1, but size."""
    gene_force: Number
    gene_vision: Number
    gene_size: Number
    """From 0.5 to 3."""
    gene_aggression: Number
    gene_sociability: Number
    gene_efficiency: Number
    gene_fear: Number
    gene_maturity: Number
    gene_longevity: Number
    gene_hue: Number

    part_eye: Number
    """Parts of the body are counted."""
    part_fin: Number
    part_tail: Number
    part_spike: Number
    part_antenna: Number
    part_glow: Number
    part_shell: Number

    age: Number
    """[s]"""
    generation: Number
    mother_id: Number
    father_id: Number

    stance: Number
    """What it does now: see `murmura.rules.evolution.stances.Stance`."""
    stance_reason: Number
    stance_time: Number
    """[s] Since it took the stance."""
    quarry_id: Number
    """The prey it chases; -1: none."""
    quarry_distance: Number
    """[u]"""
    scent: Number
    """[u] Distance of the nearest carcass it can smell."""
    pressure: Number
    """How full the world is for its species."""
    fright: Number
    """Fear of hunters of the rule `predators`."""

    health: Number
    """Share of the health that a body like this can have."""
    attack_id: Number
    """The prey it bites; -1: none."""
    blow: Number
    """Strength of the bite, for the prey to read."""
    attack_cooldown: Number
    """[s] Until it may bite again."""
    wound: Number
    """Damage in this step."""
    hurt_by: Number
    """Who did it; -1: nobody."""
    hurt_as: Number
    """Whether as prey or as the biter."""
    energy_before: Number
    """Energy a step ago: healing follows the gain."""
    kick_x: Number
    """[u/s or u/tick] Velocity that a bite gave it."""
    kick_y: Number
    kick_z: Number

    ready: Number
    """1: can mate, 2: has young alone."""
    ready_for: Number
    """[s] Since when."""
    consents: Number
    """Whether it has courted long enough."""
    mated: Number
    """Whether it has just mated."""
    bore: Number
    """Whether it has a young one in this step."""
    gave: Number
    """Energy given to the young one."""
    starving: Number
    """[s] Without energy."""
    meal: Number
    """Food eaten in the present meal."""


class Animal(AnimalColumns, Agent):
    """The animal that decides."""


class OtherAnimal(AnimalColumns, Neighbor):
    """A neighbour, as the animal perceives it."""
