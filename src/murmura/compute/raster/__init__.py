"""Painting for films. The only package that uses Numba."""
