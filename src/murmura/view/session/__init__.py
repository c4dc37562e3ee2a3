"""A watched simulation: its thread, its commands, its frames, and those who subscribe to it."""
