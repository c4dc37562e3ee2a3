"""What became of a watched flock: births, deaths by cause, and the times it goes through."""

from __future__ import annotations

import math
import time
from typing import Any

from murmura.engine.census import censuses, hunting_species
from murmura.engine.lineage import CAUSE_NAMES, Lineage
from murmura.engine.simulation import Simulation
from murmura.measure.atmosphere import Atmosphere
from murmura.view.session.event_feed import EventFeed
from murmura.view.session.observer import Pace

MOST_TIMES = 8
"""So many of the latest times are told."""


class Chronicle:
    """Looks at the family tree now and then; another epoch is another story."""

    def __init__(self) -> None:
        self._epoch = self._last = -1
        self._pace = Pace(0.5)
        self._told: dict[str, Any] = {}
        self._atmosphere = Atmosphere(0)
        self.feed = EventFeed()

    def look(self, epoch: int, simulation: Simulation, now: float, energy: float | None) -> None:
        """Take notice of the flock, if it is time and something happened since."""
        self.feed.hear(epoch, simulation.events())
        step = simulation.step_count
        if (epoch, step) == (self._epoch, self._last) or not self._pace.is_due(
            now, anyway=epoch != self._epoch
        ):
            return
        if epoch != self._epoch:
            self._told = {}
        if simulation.keeps_lineage:
            tree = simulation.lineage()
            if epoch != self._epoch or step < self._last:
                self._atmosphere = Atmosphere(int(tree.population([tree.first])[0]))
            self._count(tree, step, hunting_species(simulation.scenario), energy)
        self._epoch, self._last = epoch, step
        self._pace.done(time.perf_counter())

    def _count(self, tree: Lineage, step: int, hunters: list[int], energy: float | None) -> None:
        limits = self._atmosphere.limits
        for each in censuses(tree, [step], limits.window, hunters, [math.nan if energy is None else energy]):
            self._atmosphere.look(each)
        births, deaths = int(tree.births([step])[0]), int(tree.deaths([step])[0])
        if not (births or deaths):
            self._told = {}
            return
        counts = {name: int(tree.deaths([step], cause=code)[0]) for code, name in enumerate(CAUSE_NAMES)}
        self._told = {"births": births, "deaths": deaths, "causes": {k: n for k, n in counts.items() if n}}
        times = self._atmosphere.spells[-MOST_TIMES:]
        self._told["times"] = [
            {"kind": spell.kind, "begin": spell.begin, "end": spell.end, "lasts": spell.lasts}
            for spell in times
        ]

    def told(self) -> dict[str, Any]:
        """For a status; of births and deaths nothing while there are none."""
        totals = self.feed.totals
        return {**({"totals": totals} if totals else {}), **self._told}
