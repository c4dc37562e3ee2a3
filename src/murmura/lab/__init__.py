"""Headless work: recorded runs, sweeps, searches, exports, films, figures and benchmarks.

Loads scenarios, steps and reads; knows nothing of the live view.
"""
