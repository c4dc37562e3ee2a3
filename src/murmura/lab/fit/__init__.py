"""Models fitted to runs by approximate Bayesian computation: with which values a scenario moves like the animals."""
