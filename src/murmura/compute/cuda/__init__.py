"""A step on a GPU: traced C, compiled by NVRTC. Knows rules only through the step that all targets share."""

from murmura.compute.cuda.backend import BackendCuda

__all__ = ["BackendCuda"]
