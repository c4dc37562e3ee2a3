"""Reads a flock at one instant: arrays, measures, explanations, surroundings. Nothing here advances time."""
