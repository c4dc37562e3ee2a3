"""The step on any GPU: WGSL through the package wgpu, on Vulkan, Metal or DirectX 12. A page runs the same kernels."""

from murmura.compute.webgpu.backend import BackendWebgpu

__all__ = ["BackendWebgpu"]
