"""What a recorded run holds: its frames, what measures see of them, its periods, and a trajectory without a run."""
