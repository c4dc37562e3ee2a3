"""The arguments of kernels: the head, a record of integers and floats, and buffers divided into sections.

A kernel may use eight storage buffers, the minimum that every device has, so related arrays share a buffer, as bits:
`columns` holds ids and columns of agents, `tables` everything that a change of numbers changes, `outputs` reports,
events and births. Fields `at_...` of the head say where sections begin. The tables of `gpu.fields` name the fields.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from murmura.compute.gpu.fields import FLOAT4, GRID, PLACED, RULES, SIZES, WORLD
from murmura.compute.gpu.fields import YOUNG as YOUNG_FIELDS
from murmura.compute.schema import Element
from murmura.compute.trace.text_target import QUAD
from murmura.core.algebra import INTEGER, NUMBER
from murmura.core.events import EVENT_FIELDS

NOT_HERE = ("low_x", "low_y", "low_z", "high_x", "high_y", "high_z", "keep", "idle")
CLOCK = ("step", "alive", "next_id", "first_step", "keep_from", "seed_low", "seed_high")
"""Steps are counted from 1. Times are listed from `first_step` on; forces are kept from `keep_from` on."""
TABLE_SECTIONS = ("numbers", "affinities", "ranges", "item_ranges", "items", "shapes", "tracked", "constants")
OUTPUTS_SECTIONS = ("reports", "target_reports", "events", "young", "buckets", "scores")
FAILED_STEP, EVENTS, YOUNG, BOUNDS, OUTPUTS_HEAD = 0, 1, 2, 4, 16
"""The first words of the outputs: first bad step, number of events, number of young, bounds of the flock."""
NO_STEP = 2**31 - 1
EVENT_WORDS, YOUNG_WORDS = len(EVENT_FIELDS), len(YOUNG_FIELDS)


def _fields() -> tuple[tuple[str, str], ...]:
    words = {"int": "i32", "float": "f32"}
    found = [("i32", f"clock_{name}") for name in CLOCK]
    for owner, fields in (("world", WORLD), ("grid", GRID), ("sizes", SIZES)):
        found += [(words[kind], f"{owner}_{name}") for kind, name in fields if name not in NOT_HERE]
    found += [("i32", f"at_{name}") for name in ("forces", *TABLE_SECTIONS, *OUTPUTS_SECTIONS)]
    return tuple(found)


HEAD = _fields()
"""Kind and name of every field of the head, four bytes each."""
HEAD_PLACES = {name: k for k, (_, name) in enumerate(HEAD)}


BUFFERS: dict[str, str] = {
    "times": "vec2f", "places": "vec4f", "columns": "i32", "sorted_places": "vec4f", "sorted_columns": "i32",
    "spots": "vec2i", "order": "i32", "counts": "i32", "start": "i32", "tables": "i32", "outputs": "atomic<i32>",
}  # fmt: skip
"""Storage buffers beside the head, and what they are arrays of. `spots`: each agent's bin and its rank there."""


HEAD_IN_MANY = (*HEAD, *(("i32", f"first_{buffer}") for buffer in BUFFERS))
"""The head of one of many worlds, which also says where the world's part of each buffer begins."""


def head_text(many: bool = False) -> str:
    """The head as WGSL."""
    fields = "".join(f"    {name}: {kind},\n" for kind, name in (HEAD_IN_MANY if many else HEAD))
    return f"struct Head {{\n{fields}}}\n"


def in_its_world(text: str, kinds: Mapping[str, str]) -> str:
    """The text of a kernel for one of many worlds: with the head of that world, and its part of each buffer.

    Args:
        text: The text for one world alone.
        kinds: What some buffers are arrays of in this kernel.
    """
    text = re.sub(r"\ba\.", "heads[world].", text)
    for buffer in BUFFERS:
        fours = " / 4i" if kinds.get(buffer) == "vec4i" else ""
        text = re.sub(rf"\b{buffer}\[", f"{buffer}[heads[world].first_{buffer}{fours} + ", text)
    return text


@dataclass(frozen=True)
class Section:
    """The location of an array of `gpu.fields`: a buffer, and the field of the head with its offset."""

    buffer: str
    first: str
    kind: str


def _kind(record: str, name: str) -> str:
    """What kernels take an element of an array for."""
    field = PLACED[record][name]
    if field.record == FLOAT4:
        return QUAD
    return INTEGER if field.element == Element.INT else NUMBER


def _sections(record: str, buffers: Mapping[str, tuple[str, str]]) -> dict[str, Section]:
    """The sections of the arrays of a record, each with its buffer and the field of the head with its offset."""
    return {
        f"{record}.{name}": Section(buffer, first, _kind(record, name))
        for name, (buffer, first) in buffers.items()
    }


SECTIONS: dict[str, Section] = {
    **_sections("flock", {
        "places": ("places", ""), "velocities": ("places", "a.sizes_room"), "ids": ("columns", ""),
        "extras": ("columns", "a.sizes_room"), "forces": ("columns", "a.at_forces"),
    }),
    **_sections("sorted", {
        "places": ("sorted_places", ""), "velocities": ("sorted_places", "a.sizes_room"),
        "ids": ("sorted_columns", ""), "extras": ("sorted_columns", "a.sizes_room"),
    }),
    **_sections("index", {"start": ("start", "")}),
    **_sections("rules", {name: ("tables", f"a.at_{name}") for name in TABLE_SECTIONS if name in RULES}),
    **_sections("outputs", {"target_reports": ("outputs", "a.at_target_reports")}),
}  # fmt: skip
