"""Sweeps: many runs of a scenario over ranges of values, in a folder that can be resumed."""
