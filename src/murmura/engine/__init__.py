"""What happens in a step and in which order: the simulation, its start, its checkpoints, its clock.

The only room that advances time. Knows nothing of files of runs, views or plots.
"""
