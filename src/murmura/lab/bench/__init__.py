"""Benchmarks of a step, compared with careful NumPy code."""
