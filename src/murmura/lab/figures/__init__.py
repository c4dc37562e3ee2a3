"""Figures of runs, sweeps, searches and populations, with matplotlib."""
