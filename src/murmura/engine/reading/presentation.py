"""Presents a simulation: read-only arrays, and an HTML table for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from numpy.typing import NDArray

from murmura.scenario.about import html_table

if TYPE_CHECKING:
    from murmura.engine.simulation import Simulation

Array = TypeVar("Array", bound=NDArray[Any])


def read_only(copy: Array) -> Array:
    """Make a copy read-only, because writing to it would not change the flock."""
    copy.setflags(write=False)
    return copy


def html_of(simulation: Simulation) -> str:
    """The HTML table of a simulation in a notebook."""
    facts = {
        "agents": f"{simulation.agent_count:,}",
        "step": f"{simulation.step_count:,} ({simulation.time:.1f} s)",
        "seed": simulation.seed,
        "computed by": simulation.adapter or f"{simulation.backend} x {simulation.threads}",
        "state": simulation.state_hash()[:12],
    }
    return html_table(f"Simulation of {simulation.scenario.name}", facts)
