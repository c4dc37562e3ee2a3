"""The genome: founders' genes, and the effects of genes and body parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from murmura.core.model import quantity
from murmura.core.rule import Rule, register_rule
from murmura.core.rule_arguments import World
from murmura.core.world.randomness import STREAM_GENES, seed_words, uniform_from
from murmura.rules.evolution.animal import Animal
from murmura.rules.evolution.heredity import founding_gene, founding_hue, founding_size
from murmura.rules.evolution.phenotype import (
    BODY_COLUMNS,
    GENES,
    PARTS,
    alignment_factor,
    cohesion_factor,
    crowd_tolerance,
    force_factor,
    separation_factor,
    speed_factor,
    upkeep,
    vision_range,
)

AT_BIRTH = " Applies to founders and newcomers; living animals keep what they were born with."


def _gene(default: float, text: str) -> Any:
    return quantity(default, text + AT_BIRTH, "", (0, 1), ge=0, le=1)


def _count(default: float, text: str) -> Any:
    return quantity(default, text + AT_BIRTH, "", (0, 5), ge=0, le=9)


@register_rule("genome")
class Genome(Rule):
    """Genes and body parts of founders, and how they become speed, force, sight, company and upkeep (S3-29 to S3-40).

    The scenario's own numbers are the physics that genes scale: `motion.max_speed` is what a speed gene of 1 gives.
    """

    speed: float = _gene(0.44, "Founders' speed: share of motion.max_speed.")
    force: float = _gene(0.3, "Founders' force: share of motion.max_force.")
    vision: float = _gene(0.5, "Founders' sight: share of max_vision.")
    size: float = quantity(
        1.0, "Founders' size: food need, health, bite." + AT_BIRTH, "", (0.5, 3), ge=0.5, le=3
    )
    aggression: float = _gene(
        0.3, "Founders' aggression: harder bites, chases from farther away, more injuries."
    )
    sociability: float = _gene(0.5, "Founders' desire for company.")
    efficiency: float = _gene(0.5, "Founders' thrift with energy, at the cost of speed.")
    fear: float = _gene(0.5, "Founders' fear: how much faster they flee, at the cost of energy.")
    maturity: float = _gene(0.0, "Founders' slowness to mature; it makes sturdier adults.")
    longevity: float = _gene(0.0, "Founders' lifespan, at the cost of upkeep.")
    hue: float = _gene(0.4, "Founders' colour, as a hue.")
    eye: float = _count(2.0, "Founders' eyes: sight.")
    fin: float = _count(0.0, "Founders' fins: turning force.")
    tail: float = _count(1.0, "Founders' tails: speed.")
    spike: float = _count(0.0, "Founders' spikes: harder bites, and bites that hurt the biter.")
    antenna: float = _count(0.0, "Founders' antennae: sight.")
    glow: float = _count(0.0, "Founders' lights: partners find them from farther away.")
    shell: float = _count(0.0, "Founders' shells: defence.")
    spread: float = quantity(
        0.05, "Maximum variation between founders, as a share of a gene's range.", "", (0, 1), ge=0, le=1
    )

    max_vision: float = quantity(300.0, "Sight that a vision gene of 1 gives.", "u", (50, 600), gt=0)
    least_vision: float = quantity(50.0, "Minimum range of sight.", "u", (10, 200), gt=0)
    tail_speed: float = quantity(0.05, "Speed that a tail adds.", "", (0, 0.5), ge=0)
    fin_turn: float = quantity(0.05, "Force that a fin adds.", "", (0, 0.5), ge=0)
    eye_vision: float = quantity(0.1, "Sight that an eye adds.", "", (0, 0.5), ge=0)
    antenna_vision: float = quantity(0.15, "Sight that an antenna adds.", "", (0, 0.5), ge=0)

    part_cost: float = quantity(
        0.02, "Upkeep of an eye, fin, tail or antenna, as a share of energy.decay.", "", (0, 0.5), ge=0
    )
    glow_cost: float = quantity(0.02, "Upkeep of a light.", "", (0, 0.5), ge=0)
    spike_cost: float = quantity(0.05, "Upkeep of a spike.", "", (0, 0.5), ge=0)
    shell_cost: float = quantity(0.05, "Upkeep of a shell.", "", (0, 0.5), ge=0)
    vision_cost: float = quantity(0.002, "Upkeep of a unit of sight.", "1/u", (0, 0.02), ge=0)
    force_cost: float = quantity(0.3, "Upkeep of full force.", "", (0, 2), ge=0)
    longevity_cost: float = quantity(0.3, "Upkeep of a life of full length.", "", (0, 2), ge=0)
    flight_cost: float = quantity(1.0, "How much a flight in full fear adds to upkeep.", "", (0, 5), ge=0)
    efficiency_saves: float = quantity(
        0.5, "Share of upkeep that full efficiency saves.", "", (0, 0.9), ge=0, le=0.9
    )
    efficiency_slows: float = quantity(
        0.2, "Share of the speed that full efficiency costs.", "", (0, 0.9), ge=0, le=0.9
    )

    reads = ("panic", *BODY_COLUMNS)
    columns = BODY_COLUMNS

    reach: ClassVar[float]  # the perception radius
    per_reach: ClassVar[float]  # 1 / reach

    def numbers(self, perception_radius: float) -> dict[str, float]:
        return super().numbers(perception_radius) | {
            "reach": perception_radius,
            "per_reach": 1.0 / perception_radius,
        }

    def columns_at_start(self, ids: NDArray[Any], seed: int) -> Mapping[str, NDArray[Any]]:
        """Founders: their species' genes, each a little different."""
        found: dict[str, NDArray[Any]] = {}
        drawn = {"size": founding_size, "hue": founding_hue}
        for k, gene in enumerate(GENES):
            u, _ = uniform_from(*seed_words(seed), 0, ids, STREAM_GENES + k)
            found[f"gene_{gene}"] = drawn.get(gene, founding_gene)(getattr(self, gene), self.spread, u)
        return found | {f"part_{part}": np.full(len(ids), float(getattr(self, part))) for part in PARTS}

    @staticmethod
    def modulate(p: Genome, me: Animal, world: World) -> Any:
        speed, costs = speed_factor(p, me), upkeep(p, me)
        return {
            "motion.top_speed": speed,
            "motion.max_force": force_factor(p, me),
            "perception.radius": vision_range(p, me) * p.per_reach,
            "separation.weight": separation_factor(me),
            "alignment.weight": alignment_factor(me),
            "cohesion.weight": cohesion_factor(me),
            "cohesion.crowd": crowd_tolerance(me),
            "energy.decay": costs,
            # Flying at full speed costs decay x speed_cost x speed gene squared, whatever the upkeep.
            "energy.speed_cost": speed * speed / costs,
            "feeding.energy_of_food": 1.0 / me.gene_size,
        }
