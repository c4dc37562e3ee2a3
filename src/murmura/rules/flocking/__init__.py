"""Separation, alignment and cohesion, and what one species wants of another."""
