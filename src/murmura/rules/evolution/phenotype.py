"""From genes to bodies: the formulas S3-30 to S3-37 as plain functions of an agent.

Genes are columns with values from 0 to 1 (size: 0.5 to 3), body parts are columns with counts. The body is
computed from them in every step, so genome and body cannot contradict each other (S3-40).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from murmura.core.algebra import Number, maximum, minimum
from murmura.rules.evolution.animal import Animal

if TYPE_CHECKING:
    from murmura.rules.evolution.combat import Combat
    from murmura.rules.evolution.genome import Genome

GENES = (
    "speed", "force", "vision", "size", "aggression", "sociability", "efficiency", "fear", "maturity", "longevity",
    "hue",
)  # fmt: skip
PARTS = ("eye", "fin", "tail", "spike", "antenna", "glow", "shell")
LEAST_SIZE, MOST_SIZE = 0.5, 3.0
LEAST = 0.02
"""The least value of any ability, so that a gene of 0 does not cause a division by zero."""

GENE_COLUMNS: dict[str, float | int] = {
    f"gene_{gene}": 1.0 if gene == "size" else 0.0 if gene == "hue" else 0.5 for gene in GENES
}
PART_COLUMNS: dict[str, float | int] = {f"part_{part}": 0.0 for part in PARTS}
BODY_COLUMNS = GENE_COLUMNS | PART_COLUMNS


def speed_factor(p: Genome, me: Animal) -> Number:
    """S3-30: speed gene and tails; efficiency slows (S3-45)."""
    slowed = 1.0 - p.efficiency_slows * me.gene_efficiency
    return maximum(LEAST, me.gene_speed * (1.0 + p.tail_speed * me.part_tail) * slowed)


def force_factor(p: Genome, me: Animal) -> Number:
    """S3-31: force gene and fins."""
    return maximum(LEAST, me.gene_force * (1.0 + p.fin_turn * me.part_fin))


def vision_range(p: Genome, me: Animal) -> Number:
    """S3-32: how far it sees [u], between the least vision and the longest range of the scenario."""
    bonus = p.eye_vision * me.part_eye + p.antenna_vision * me.part_antenna
    return minimum(p.reach, maximum(p.least_vision, p.max_vision * me.gene_vision * (1.0 + bonus)))


def upkeep(p: Genome, me: Animal) -> Number:
    """What living costs, as a multiple of `energy.decay`: body parts, force, longevity and sight add to it."""
    plain = me.part_eye + me.part_fin + me.part_tail + me.part_antenna
    parts = p.part_cost * plain + p.glow_cost * me.part_glow
    parts = parts + p.spike_cost * me.part_spike + p.shell_cost * me.part_shell
    body = 1.0 + parts + p.force_cost * me.gene_force + p.longevity_cost * me.gene_longevity
    saved = 1.0 - p.efficiency_saves * me.gene_efficiency
    return (body * saved + p.vision_cost * vision_range(p, me)) * (1.0 + p.flight_cost * me.panic)


def separation_factor(me: Animal) -> Number:
    """S3-33: 1.5 down to 1."""
    return 1.5 - 0.5 * me.gene_sociability


def alignment_factor(me: Animal) -> Number:
    """S3-34: 1 up to 2.5."""
    return 1.0 + 1.5 * me.gene_sociability


def cohesion_factor(me: Animal) -> Number:
    """S3-35: 1 up to 3."""
    return 1.0 + 2.0 * me.gene_sociability


def crowd_tolerance(me: Animal) -> Number:
    """S3-36: how many neighbours it tolerates, 10 to 50."""
    return 10.0 + 40.0 * me.gene_sociability


def attack_damage(p: Combat, me: Animal) -> Number:
    """S3-37: the damage of a bite, by size, aggression and spikes."""
    return (
        p.damage
        * me.gene_size
        * (1.0 + p.aggression_damage * me.gene_aggression)
        * (1.0 + p.spike_damage * me.part_spike)
    )


def defence(p: Combat, me: Animal) -> Number:
    """S3-22: the share of a bite that shells absorb."""
    return minimum(p.most_defence, p.shell_defence * me.part_shell)


def health_capacity(p: Combat, me: Animal) -> Number:
    """The health of an unhurt animal: by size, and more for those that matured slowly."""
    return p.health * me.gene_size * (1.0 + p.maturity_health * me.gene_maturity)
