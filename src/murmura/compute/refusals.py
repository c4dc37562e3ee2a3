"""What only some backends can compute."""

from __future__ import annotations

from murmura.compute.plan import Plan
from murmura.core.errors import BackendError


def refuse_occlusion(plan: Plan, backend: str) -> None:
    """Raise where bodies hide each other: graphics processors have no visual fields yet."""
    if plan.occludes:
        raise BackendError(
            f"the {backend} backend cannot compute perception.occlusion: backend='cpu' can, or set "
            "perception.occlusion = false"
        )
