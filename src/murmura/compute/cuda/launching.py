"""The launches of a step, of one world or of many, and the record that kernels get."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.compute.cuda.device import Device, Graph, Program
from murmura.compute.cuda.program import MARKING_KERNEL, OPEN_KERNELS, THREADS, Text, program_text
from murmura.compute.foreign_code import has_foreign_code
from murmura.compute.gpu.fields import ARRAYS, CLOCK, PLACED, record_type
from murmura.compute.plan import Plan

GRAPH_STEPS, BIRTH_BLOCKS = 8, 64
CLOCK_PLACES = {name: k for k, (_, name) in enumerate(CLOCK)}
MOST_TEXTS = 32
_texts: dict[Any, Text] = {}


def text_of(plan: Plan, many: bool = False) -> Text:
    """The text of a plan's program, traced once for all plans that differ in numbers only; foreign code each time."""
    if has_foreign_code(plan):
        return program_text(plan, many)
    key = plan.signature, tuple(group.functions for group in plan.rule_groups), many
    if key not in _texts:
        while len(_texts) >= MOST_TEXTS:
            del _texts[next(iter(_texts))]
        _texts[key] = program_text(plan, many)
    return _texts[key]


def arguments_of(address: Callable[[str], Any], sizes: Mapping[str, Any], worlds: int = 1) -> NDArray[Any]:
    """The records of some worlds.

    Args:
        address: The address of an array in each world, by the array's name.
        sizes: The fields of `Sizes`, in each world.
        worlds: How many.
    """
    found = np.zeros(worlds, record_type("Arguments"))
    for record, arrays in PLACED.items():
        for field in arrays:
            sorted_field = f"sorted_{field}"
            own = sorted_field if record == "sorted" and sorted_field in ARRAYS else field
            found[record][field] = address(own)
    for field, value in sizes.items():
        found["sizes"][field] = value
    return found


class Launches:
    """Launches the kernels of a plan, many steps as one graph.

    Args:
        device: Where they run.
        program: The compiled kernels.
        text: Their text.
        plan: Their plan; those of the other worlds have the same code.
    """

    def __init__(self, device: Device, program: Program, text: Text, plan: Plan) -> None:
        self._device, self._program, self._text, self._plan = device, program, text, plan
        self._graphs: dict[bool, Graph] = {}

    def aim(self, arguments: Mapping[bool, Any], room: int, scan_blocks: int, worlds: int = 1) -> None:
        """Launch for these worlds from now on.

        Args:
            arguments: The argument of kernels: when forces are stored, and when not.
            room: The greatest number of agents of a world.
            scan_blocks: Blocks of bins in every world.
            worlds: How many.
        """
        self._arguments, self._worlds = arguments, worlds
        self._blocks, self._scan_blocks = -(-room // THREADS), scan_blocks
        self._graphs = {}

    def run(self, steps: int, drain: Callable[[], None]) -> None:
        """Launch some steps; `drain` is called after each graph of several."""
        # Forces are stored in the last step only, after which they may be read.
        batches = max(0, steps - 1) // GRAPH_STEPS
        for _ in range(batches):
            self._graph(whole=True).launch()
            drain()
        for _ in range(steps - batches * GRAPH_STEPS):
            self._graph(whole=False).launch()

    def _graph(self, whole: bool) -> Graph:
        """A graph of a batch of steps, or of one step that stores forces: one launch instead of many."""
        if whole not in self._graphs:
            count, keep = (GRAPH_STEPS, self._plan.has_lifecycle) if whole else (1, True)

            def launch_all() -> None:
                for _ in range(count):
                    self._launch(self._arguments[keep])

            self._graphs[whole] = self._device.graph(launch_all)
        return self._graphs[whole]

    def _launch(self, arguments: Any) -> None:
        """Launch the kernels of one step."""
        program, plan, worlds = self._program, self._plan, self._worlds

        def launch(name: str, blocks: int = self._blocks, threads: int = THREADS) -> None:
            program.launch(name, (blocks, worlds), threads, arguments)

        if plan.scenario.world.boundary == "open":
            first, second, third = OPEN_KERNELS
            launch(first, 1, 1)
            launch(second)
            launch(third, 1, 1)
        launch("count_bins")
        program.scan((self._scan_blocks, worlds), arguments)
        launch("note_places")
        launch("gather")
        if MARKING_KERNEL in self._text.kernels:
            launch(MARKING_KERNEL)
        launch("steer")
        if plan.has_lifecycle:
            launch("find_fathers")
            launch("add_newborns", min(self._blocks, BIRTH_BLOCKS))
        if plan.stateful_items:
            launch("update_items", len(plan.stateful_items))
        if plan.has_lifecycle:
            launch("finish_step", 1, 1)
