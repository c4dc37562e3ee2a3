"""The vocabulary of a model: algebra, vectors, space, randomness, noise, state columns, the base class of rules.

Knows no particular rule, no clock and no compiler.
"""
