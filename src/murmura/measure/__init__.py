"""What can be said about a flock: pure functions from arrays to numbers.

This room knows geometry and counting. It must not know rules, engines, files or screens.
"""

from murmura.measure.catalog import (
    MEASURES,
    Measure,
    cheap_measures,
    measure_flock,
    register_measure,
    unregister_measure,
)
from murmura.measure.correlation import correlation_length, velocity_correlation
from murmura.measure.flock import Flock
from murmura.measure.linkage import clustering_coefficient, groups, largest_group, mean_group
from murmura.measure.motion import mean_speed, milling, polarization, speed_deviation
from murmura.measure.spacing import local_density, nearest_neighbor_distance, spread
from murmura.measure.turning import information_speed, turn_times, turning_rate, turning_rates

__all__ = [
    "MEASURES",
    "Flock",
    "Measure",
    "cheap_measures",
    "clustering_coefficient",
    "correlation_length",
    "groups",
    "information_speed",
    "largest_group",
    "local_density",
    "mean_group",
    "mean_speed",
    "measure_flock",
    "milling",
    "nearest_neighbor_distance",
    "polarization",
    "register_measure",
    "speed_deviation",
    "spread",
    "turn_times",
    "turning_rate",
    "turning_rates",
    "unregister_measure",
    "velocity_correlation",
]
