"""Perlin's gradient noise: `plane` for two coordinates, whose functions are also here, and `space` for three."""

from murmura.core.noise.plane import (
    PERMUTATION,
    fade,
    fractal_noise,
    fractal_noise_pair,
    noise,
    noise_pair,
)

__all__ = ["PERMUTATION", "fade", "fractal_noise", "fractal_noise_pair", "noise", "noise_pair"]
