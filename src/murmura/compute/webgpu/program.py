"""The kernels of a plan as WGSL: plain data that both Python's wgpu and a web page can run."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from murmura.compute.gpu.agent_trace import AgentTrace
from murmura.compute.gpu.grid import SCAN_THREADS
from murmura.compute.gpu.reports import best_width
from murmura.compute.gpu.steer import trace_steer
from murmura.compute.plan import Plan
from murmura.compute.shapes import Shapes, shapes_of
from murmura.compute.trace.wgsl_target import WgslHelpers
from murmura.compute.webgpu import index_text, nearest, reports
from murmura.compute.webgpu.lifecycle import (
    ADD_NEWBORNS,
    BIRTH_GROUPS,
    FIND_FATHERS,
    FINISH_STEP,
    ITEM_THREADS,
    LifecycleWgsl,
)
from murmura.compute.webgpu.records import BUFFERS, head_text, in_its_world
from murmura.compute.webgpu.target import KernelTarget

THREADS = 256
"""Threads of a workgroup. All devices allow this many; with fewer, 10 M agents would exceed the limit of workgroups."""
MAIN = """
@compute @workgroup_size({threads})
fn main(
    @builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) local: u32
) {{
{begin}    let i = i32((group.y * groups.x + group.x) * {threads}u + local);
    let t = i32(local);
{body}}}
"""
WORLD_OF_GROUP = "    world = i32(group.z);\n"
FUNCTIONS = {**index_text.FUNCTIONS, **nearest.FUNCTIONS, **reports.FUNCTIONS}


@dataclass(frozen=True)
class Kernel:
    """A compute shader: its text, what it is bound to (buffer and access, in order), and how many workgroups it has.

    `groups`: "agents", "scan" or "shift" (as many as there are agents, bins or parts of bins), or a number.
    """

    name: str
    code: str
    bindings: tuple[tuple[str, str], ...]
    groups: str


@dataclass
class Program:
    """All kernels of a step in order, and the sizes that the host needs. `many`: they step many worlds at once."""

    kernels: list[Kernel]
    constants: NDArray[np.int32]
    report_width: int
    best_width: int
    many: bool = False

    @cached_property
    def digest(self) -> str:
        texts = "".join(f"{kernel.name}\n{kernel.code}" for kernel in self.kernels)
        return hashlib.sha256(texts.encode() + self.constants.tobytes()).hexdigest()


class _ProgramBuilder:
    """Assembles texts: each kernel with the functions it calls and the buffers it names."""

    def __init__(self, plan: Plan, functions: dict[str, str], many: bool) -> None:
        deep, edges = plan.dimension == 3, plan.scenario.world.edges
        open_z = deep and edges[0] == edges[-1] == "open"
        self._holds = {"plane": not deep, "space": deep, "open z": open_z, "closed z": deep and not open_z}
        self._plan, self._many = plan, many
        self._functions = {name: index_text.for_world(text, self._holds) for name, text in functions.items()}
        self.kernels: list[Kernel] = []

    def add(
        self,
        name: str,
        body: str,
        groups: str,
        writes: tuple[str, ...],
        threads: int = THREADS,
        kinds: dict[str, str] | None = None,
        before: str = "",
    ) -> None:
        body = index_text.for_world(body, self._holds)
        body = body.replace("CARRIED", f"{len(self._plan.carried)}i").replace("THREADS", f"{threads}i")
        text = self._called(body).replace("MOST_NEAREST", str(self._plan.nearest_room))
        begin = WORLD_OF_GROUP if self._many else ""
        text += MAIN.format(threads=threads, body=body, begin=begin)
        if self._many:
            text = in_its_world(text, kinds or {})
        head = "read_write" if "head" in writes else "read" if self._many else "uniform"
        bindings = [("head", head)]
        for buffer in BUFFERS:
            if re.search(rf"\b{buffer}\[", text):
                bindings.append((buffer, "read_write" if buffer in writes else "read"))
        lines = []
        for k, (buffer, access) in enumerate(bindings):
            if buffer == "head":
                space = "uniform" if access == "uniform" else f"storage, {access}"
                what = "heads: array<Head>;\nvar<private> world: i32" if self._many else "a: Head"
                lines.append(f"@group(0) @binding({k}) var<{space}> {what};\n")
                continue
            kind = (kinds or {}).get(buffer, BUFFERS[buffer])
            lines.append(f"@group(0) @binding({k}) var<storage, {access}> {buffer}: array<{kind}>;\n")
        code = head_text(self._many) + "".join(lines) + before + text
        self.kernels.append(Kernel(name, code, tuple(bindings), groups))

    def _called(self, body: str) -> str:
        """The functions that a body calls, directly or indirectly."""
        found: list[str] = []
        waiting = [body]
        while waiting:
            text = waiting.pop()
            for name in dict.fromkeys(re.findall(r"\b(\w+)\(", text)):
                if name in self._functions and name not in found:
                    found.append(name)
                    waiting.append(self._functions[name])
        return "".join(self._functions[name] for name in found)


def program_of(plan: Plan, many: bool = False) -> Program:
    """Trace a plan. `many`: for many worlds in one dispatch."""
    shapes = shapes_of(plan)
    helpers = WgslHelpers()
    life = LifecycleWgsl(plan, shapes, helpers)
    functions: dict[str, str] = dict(FUNCTIONS)
    steer = _steer_text(plan, shapes, helpers)
    updates, updates_body = life.item_updates() if plan.stateful_items else ({}, "")
    if plan.has_lifecycle:
        functions |= {"bear": life.bear_text(), "add_arrivals": life.add_arrivals_text()}
    maker = _ProgramBuilder(plan, functions | updates | helpers, many)
    _add_index(maker, plan)
    maker.add("steer", steer, "agents", ("places", "columns", "outputs"))
    scores = best_width(shapes)
    if scores:
        text = reports.naming_text(_agent_trace(plan, shapes, helpers))
        maker.add("name_best", f"{_FLOCK}{text}", "agents", ("outputs",))
    if plan.has_lifecycle:
        maker.add("find_fathers", FIND_FATHERS, "agents", ("outputs",))
        maker.add("add_newborns", ADD_NEWBORNS, str(BIRTH_GROUPS), ("places", "columns", "outputs"))
    if plan.stateful_items:
        maker.add(
            "update_items", updates_body, str(len(plan.stateful_items)), ("tables", "outputs"), ITEM_THREADS
        )
    if plan.has_lifecycle:
        maker.add("finish_step", FINISH_STEP, "1", ("head", "places", "columns", "outputs"), 1)
    return Program(maker.kernels, helpers.constants, shapes.report_width, scores, many)


_FLOCK = "    if (i >= start[a.sizes_bins]) { return; }\n"


def _add_index(maker: _ProgramBuilder, plan: Plan) -> None:
    if plan.scenario.world.boundary == "open":
        maker.add("reset_bounds", index_text.RESET_BOUNDS, "1", ("outputs",), 6)
        maker.add("find_bounds", index_text.FIND_BOUNDS, "agents", ("outputs",))
        maker.add("make_grid", index_text.MAKE_GRID, "1", ("head", "outputs"), 1)
    maker.add(
        "count_bins",
        index_text.COUNT_BINS,
        "agents",
        ("head", "spots", "counts", "tables"),
        kinds={"counts": "atomic<i32>"},
    )
    fours = {"counts": "vec4i", "start": "vec4i"}
    maker.add("add_up", index_text.ADD_UP, "scan", ("counts", "start"), SCAN_THREADS, fours)
    maker.add(
        "shift_blocks", index_text.SHIFT_BLOCKS, "shift", ("start",), SCAN_THREADS, fours,
        "var<workgroup> all_before: i32;\n",
    )  # fmt: skip
    maker.add("note_places", index_text.NOTE_PLACES, "agents", ("order",))
    maker.add("gather", index_text.GATHER, "agents", ("sorted_places", "sorted_columns", "tables"))


def _agent_trace(plan: Plan, shapes: Shapes, helpers: WgslHelpers) -> AgentTrace:
    return AgentTrace(plan, shapes, KernelTarget(helpers))


def _steer_text(plan: Plan, shapes: Shapes, helpers: WgslHelpers) -> str:
    trace = _agent_trace(plan, shapes, helpers)
    trace_steer(trace)
    return _FLOCK + trace.target.text
