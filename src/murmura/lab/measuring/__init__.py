"""Measures over time of runs, tracked animals, ensembles and sweeps: curves and averages with errors and units."""
