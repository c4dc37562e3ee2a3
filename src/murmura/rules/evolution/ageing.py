"""Ageing: animals grow old and die of old age (decision 20)."""

from __future__ import annotations

from typing import Any

from murmura.core.algebra import where
from murmura.core.events import Cause
from murmura.core.model import quantity
from murmura.core.rule import Rule, register_rule
from murmura.core.rule_arguments import World
from murmura.core.world.randomness import STREAM_AGE, seed_words, uniform_from
from murmura.rules.evolution.animal import Animal
from murmura.rules.evolution.phenotype import GENE_COLUMNS

AGE = float(Cause.AGE)


@register_rule("ageing")
class Ageing(Rule):
    """An animal dies at an age that its longevity gene determines."""

    least: float = quantity(100.0, "Lifespan without longevity.", "s", (10, 1000), gt=0)
    span: float = quantity(200.0, "What full longevity adds.", "s", (0, 1000), ge=0)
    founders: float = quantity(
        0.5, "Maximum age of founders, as a share of their lifespan.", "", (0, 1), ge=0, le=1
    )

    reads = ("gene_longevity",)
    writes = ("age",)
    columns = {"age": 0.0, "gene_longevity": GENE_COLUMNS["gene_longevity"]}

    def columns_at_start(self, ids: Any, seed: int) -> Any:
        u, _ = uniform_from(*seed_words(seed), 0, ids, STREAM_AGE)
        return {"age": u * self.founders * self.least}

    @staticmethod
    def age(p: Ageing, me: Animal, world: World) -> Any:
        return {"age": me.age + world.dt}

    @staticmethod
    def dies(p: Ageing, me: Animal, found: Any, world: World) -> Any:
        return where(me.age > p.least + p.span * me.gene_longevity, AGE, 0.0), -1.0
