"""The hunters: one file for each mind, over one shared body and one row of numbers.

A mind is ordinary scalar code with `if`: it is compiled for the CPU and the GPU, and run as it is by the reference.
It knows its row, what the flock told it in this step, and the world; never the flock itself.
"""
