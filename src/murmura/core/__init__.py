"""What a world is made of: algebra, vectors, space, randomness, noise, state columns, the shape of a rule.

Knows no particular rule, no clock and no compiler.
"""
