"""Errors for scenarios that only some backends can compute."""

from __future__ import annotations

from murmura.compute.plan import Plan
from murmura.core.errors import BackendError

MOST_BINS = 1536
"""Maximum for a visual field on webgpu: 6 KiB of the 8 KiB that WGSL allows for the variables of a function."""


def refuse_many_bins(plan: Plan) -> None:
    """Raise where a visual field is too fine for a WebGPU thread."""
    if plan.bins > MOST_BINS:
        raise BackendError(
            f"the webgpu backend takes perception.bins of at most {MOST_BINS}, got {plan.bins}: the memory of a "
            "thread holds no more; use fewer bins, or backend='cpu', which takes all"
        )
