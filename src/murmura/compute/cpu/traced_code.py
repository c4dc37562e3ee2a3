"""A record of the code that a plan is traced from, so that a later process can tell whether it still has the same."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from murmura.compute.cpu.kernel import Kernel
from murmura.compute.foreign_code import has_foreign_code
from murmura.compute.kernel_cache import source_hash
from murmura.compute.plan import Plan
from murmura.compute.shapes import shapes_of


def traced_code(*plans: Plan) -> dict[str, str]:
    """Hashes of what plans are traced from, for the record: of murmura's own code ("murmura") and, if they have foreign
    code, of all that was traced from it ("rules"). The same on every machine and backend."""
    found = {"murmura": source_hash()}
    if any(has_foreign_code(plan) for plan in plans):
        found["rules"] = hashlib.sha256("\0".join(map(_emitted, plans)).encode()).hexdigest()
    return found


def is_other_code(before: Mapping[str, str], now: Mapping[str, str]) -> bool:
    """Whether two records of `traced_code` by the same murmura differ; by different ones they cannot be compared."""
    return before.get("murmura") == now["murmura"] and before.get("rules") != now.get("rules")


def _emitted(plan: Plan) -> str:
    """The text of a plan's kernel for narrow lanes, and the numbers that its rules make of their parameters."""
    modules = [str(module) for _, module in Kernel(plan, shapes_of(plan), wide=False).modules()]
    tables: list[NDArray[Any]] = [plan.numbers, plan.items, plan.ranges, plan.item_ranges]
    columns = [sorted(group.functions.columns.items()) for group in plan.rule_groups]
    return "\0".join([repr(plan.signature), repr(columns), *modules, *(repr(x.tolist()) for x in tables)])
