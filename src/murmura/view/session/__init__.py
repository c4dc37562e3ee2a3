"""A watched simulation: its thread, commands, frames and subscribers."""
