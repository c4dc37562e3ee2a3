"""The life history of a live flock: births, deaths by cause, and periods such as famine or boom."""

from __future__ import annotations

import math
import time
from typing import Any

from murmura.engine.census import censuses, hunting_species
from murmura.engine.lineage import CAUSE_NAMES, Lineage
from murmura.measure.atmosphere import Atmosphere
from murmura.view.session.observing.event_feed import EventFeed
from murmura.view.session.observing.observer import Pace
from murmura.view.session.source import ShownFlock

MOST_TIMES = 8
"""At most this many of the latest periods are reported."""


class Chronicle:
    """Reads the family tree at intervals; restarts with each epoch."""

    def __init__(self) -> None:
        self._epoch = self._last = -1
        self._pace = Pace(0.5)
        self._report: dict[str, Any] = {}
        self._atmosphere = Atmosphere(0)
        self.feed = EventFeed()

    def update(self, epoch: int, simulation: ShownFlock, now: float, energy: float | None) -> None:
        """Update the counts if it is time and the flock has stepped."""
        self.feed.add(epoch, simulation.events())
        step = simulation.step_count
        if (epoch, step) == (self._epoch, self._last) or not self._pace.is_due(
            now, anyway=epoch != self._epoch
        ):
            return
        if epoch != self._epoch:
            self._report = {}
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
            self._report = {}
            return
        counts = {name: int(tree.deaths([step], cause=code)[0]) for code, name in enumerate(CAUSE_NAMES)}
        self._report = {"births": births, "deaths": deaths, "causes": {k: n for k, n in counts.items() if n}}
        times = self._atmosphere.periods[-MOST_TIMES:]
        self._report["times"] = [
            {"kind": period.kind, "begin": period.begin, "end": period.end, "lasts": period.lasts}
            for period in times
        ]

    def report(self) -> dict[str, Any]:
        """Part of a status message; births and deaths are absent while there are none."""
        totals = self.feed.totals
        return {**({"totals": totals} if totals else {}), **self._report}
