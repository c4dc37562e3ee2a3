"""Measures of a flock: pure functions from arrays to numbers.

Knows geometry and counting, and nothing of rules, engines, files or screens.
"""

from murmura.measure.catalog import (
    MEASURES,
    Measure,
    cheap_measures,
    find_measure,
    measure_flock,
    register_measure,
    unregister_measure,
    usual_measures,
)
from murmura.measure.flock import Flock
from murmura.measure.lives import LOOK_BACK, Lives, births, deaths
from murmura.measure.motion import mean_speed, milling, polarization, speed_deviation
from murmura.measure.structure.correlation import correlation_length, velocity_correlation
from murmura.measure.structure.linkage import clustering_coefficient, groups, largest_group, mean_group
from murmura.measure.structure.neighbors import (
    Leadership,
    NeighborMap,
    ResponseMap,
    alignment_by_distance,
    anisotropy,
    leadership,
    nearest_anisotropy,
    neighbor_map,
    response_map,
)
from murmura.measure.structure.shape import (
    principal_lengths,
    thickness,
    thickness_to_length,
    thickness_to_width,
)
from murmura.measure.structure.spacing import local_density, nearest_neighbor_distance, spread
from murmura.measure.traits import gene_diversity, part_heterozygosity, selection_differential
from murmura.measure.turning import information_speed, turn_times, turning_rate, turning_rates

__all__ = [
    "LOOK_BACK",
    "MEASURES",
    "Flock",
    "Leadership",
    "Lives",
    "Measure",
    "NeighborMap",
    "ResponseMap",
    "alignment_by_distance",
    "anisotropy",
    "births",
    "cheap_measures",
    "clustering_coefficient",
    "correlation_length",
    "deaths",
    "find_measure",
    "gene_diversity",
    "groups",
    "information_speed",
    "largest_group",
    "leadership",
    "local_density",
    "mean_group",
    "mean_speed",
    "measure_flock",
    "milling",
    "nearest_anisotropy",
    "nearest_neighbor_distance",
    "neighbor_map",
    "part_heterozygosity",
    "polarization",
    "principal_lengths",
    "register_measure",
    "response_map",
    "selection_differential",
    "speed_deviation",
    "spread",
    "thickness",
    "thickness_to_length",
    "thickness_to_width",
    "turn_times",
    "turning_rate",
    "turning_rates",
    "unregister_measure",
    "usual_measures",
    "velocity_correlation",
]
