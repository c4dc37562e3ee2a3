"""Headless work: recorded runs, sweeps, searches, exports, films, figures and benchmarks.

It loads scenarios, steps and reads simulations, and does not depend on the live view.
"""
