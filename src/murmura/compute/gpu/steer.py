"""The kernel `steer`: an agent meets its neighbours, decides, moves and reports."""

from __future__ import annotations

from typing import Any

from murmura.compute.gpu.agent_trace import AgentTrace
from murmura.compute.gpu.reports import name_after, note, report_to_items
from murmura.compute.step import initial_contributions


def trace_steer(trace: AgentTrace) -> None:
    """Write the body of the kernel into the trace's target."""
    step, plan = trace.step, trace.plan
    contributions = trace.contributions()
    columns = trace.agent()
    p, me = step.sense(columns, columns.identity)
    trace.memory.place = me.position
    items = initial_contributions(trace.target, trace.shapes.items)
    decision = step.decide(p, me, contributions, items, trace.eye)
    outcome = step.outcome(p, decision)
    me = step.live(p, decision.me, decision.force)
    crowd: Any = decision.me.neighbors
    trace.store(me, decision.force, crowd, name_after(trace, me, outcome))
    if plan.stateful_items:
        report_to_items(trace, p, me, outcome.cause == 0.0)
    if plan.eventful:
        note(trace, me, outcome)
