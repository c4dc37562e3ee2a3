"""Fits models to runs by approximate Bayesian computation: finds values for which a scenario moves like animals."""
