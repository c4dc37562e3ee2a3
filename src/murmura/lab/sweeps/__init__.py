"""Sweeps: many runs over values of a scenario's paths, in a folder that can be resumed."""
