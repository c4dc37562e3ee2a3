"""Heredity: founders' genes, crossover and mutation (numbers 2.2.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from murmura.core.algebra import Integer, Number, floor, maximum, minimum, where
from murmura.core.rule_arguments import World
from murmura.core.world.randomness import STREAM_GENES, STREAM_MUTATION, STREAM_PARTS, uniform_from
from murmura.rules.evolution.phenotype import LEAST_SIZE, MOST_SIZE

if TYPE_CHECKING:
    from murmura.rules.evolution.reproduction import Reproduction

PART_KINDS = 7.0


def founding_gene(mean: Number, spread: Number, chance: Number) -> Number:
    """A founder's gene in [0, 1]: its species' mean with a random deviation."""
    return minimum(1.0, maximum(0.0, mean + (2.0 * chance - 1.0) * spread))


def founding_size(mean: Number, spread: Number, chance: Number) -> Number:
    moved = mean + (2.0 * chance - 1.0) * spread * (MOST_SIZE - LEAST_SIZE)
    return minimum(MOST_SIZE, maximum(LEAST_SIZE, moved))


def founding_hue(mean: Number, spread: Number, chance: Number) -> Number:
    hue = mean + (2.0 * chance - 1.0) * spread
    return hue - floor(hue)


def crossed(
    p: Reproduction, mother: Number, father: Number, gene: int, child: Integer, world: World
) -> Number:
    """One gene from both parents: their mean, or that of either."""
    if p.crossover == "choice":
        u, _ = uniform_from(world.seed_low, world.seed_high, 1, child, STREAM_GENES + gene)
        return where(u < 0.5, mother, father)
    return 0.5 * (mother + father)


def mutated(p: Reproduction, value: Number, gene: int, child: Integer, world: World) -> Number:
    """An inherited gene in [0, 1] with a random mutation."""
    u, v = uniform_from(world.seed_low, world.seed_high, 2, child, STREAM_MUTATION + gene)
    change = where(u < p.mutation_rate, (2.0 * v - 1.0) * p.mutation_size, 0.0)
    return minimum(1.0, maximum(0.0, value + change))


def gene_of(
    p: Reproduction, mother: Number, father: Number, gene: int, child: Integer, world: World
) -> Number:
    return mutated(p, crossed(p, mother, father, gene, child, world), gene, child, world)


def size_of(
    p: Reproduction, mother: Number, father: Number, gene: int, child: Integer, world: World
) -> Number:
    """The size gene, whose range is wider."""
    share = (crossed(p, mother, father, gene, child, world) - LEAST_SIZE) / (MOST_SIZE - LEAST_SIZE)
    return LEAST_SIZE + mutated(p, share, gene, child, world) * (MOST_SIZE - LEAST_SIZE)


def hue_of(
    p: Reproduction, mother: Number, father: Number, gene: int, child: Integer, world: World
) -> Number:
    """The hue halfway between the parents', around the colour circle, with a mutation rate of its own."""
    apart = father - mother
    apart = apart - floor(apart + 0.5)
    u, v = uniform_from(world.seed_low, world.seed_high, 2, child, STREAM_MUTATION + gene)
    change = where(u < p.hue_mutation_rate, (2.0 * v - 1.0) * p.mutation_size, 0.0)
    hue = mother + 0.5 * apart + change
    return hue - floor(hue)


def part_chances(child: Integer, world: World) -> tuple[Number, Number, Number, Number]:
    """The random numbers for a newborn's parts: coins, whether one mutates, which one, and how."""
    coins, happens = uniform_from(world.seed_low, world.seed_high, 3, child, STREAM_PARTS)
    which, way = uniform_from(world.seed_low, world.seed_high, 4, child, STREAM_PARTS)
    return coins, happens, which, way


def part_of(p: Reproduction, mother: Number, father: Number, part: float, chances: Any) -> Number:
    """The number of a body part: the parents' mean, a half rounded at random, and sometimes one more or one less."""
    coins, happens, which, way = chances
    # One random number serves all parts: each takes its own binary digit.
    tossed = floor(coins * 2.0 ** (part + 1.0))
    head = tossed - 2.0 * floor(0.5 * tossed)
    count = floor(0.5 * (mother + father) + 0.5 * head)
    mutates = (happens < p.part_mutation_rate) & (floor(which * PART_KINDS) == part)
    # Numbers 2.2.3: three in ten add, three in ten remove, the rest change nothing that is modelled here.
    change = where(way < 0.3, 1.0, where(way < 0.6, -1.0, 0.0))
    return minimum(p.most_parts, maximum(0.0, count + where(mutates, change, 0.0)))
