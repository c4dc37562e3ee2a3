"""Separation, alignment and cohesion, and reactions between species."""
