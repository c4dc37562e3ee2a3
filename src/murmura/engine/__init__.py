"""The simulation, its start, its checkpoints, its clock, and readers of its state.

The only package that advances time. Knows nothing of run folders, views or plots.
"""
