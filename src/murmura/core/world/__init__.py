"""Mechanics of the world that rules build on: space, motion, sight and randomness."""
