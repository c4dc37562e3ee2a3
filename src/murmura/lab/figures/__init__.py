"""Figures of runs, sweeps, searches and populations, by matplotlib."""
