"""What pages are told of a flock besides its frames: measures, history, and details of the animals they look at."""

from __future__ import annotations

from typing import Any

from murmura.core.errors import MurmuraError
from murmura.view.session.observing.bodies import BodyObserver
from murmura.view.session.observing.chronicle import Chronicle
from murmura.view.session.observing.observer import Observer, ShownHash, inspect
from murmura.view.session.source import ShownFlock

NOBODY: dict[str, Any] = {"type": "inspect", "id": None}


class Watch:
    """Everything that is observed of one flock after another."""

    def __init__(self) -> None:
        self.selected: int | None = None
        self.inspection: dict[str, Any] | None = None
        self.bodies = BodyObserver()
        self.observer = Observer()
        self._chronicle = Chronicle()
        self.feed = self._chronicle.feed
        self._hash = ShownHash()

    def deselect(self) -> None:
        """Clear the selection."""
        self.selected, self.inspection = None, NOBODY

    def begin(self) -> None:
        """Another flock is shown: pages ask again for what they need of it."""
        self.bodies.ask({})
        if self.selected is not None:
            self.deselect()

    def jumped(self) -> None:
        """The same flock is shown at another step: what was measured before is not of this moment."""
        self.observer.forget()

    @property
    def is_close(self) -> bool:
        """Whether a page looks at single animals."""
        return self.selected is not None or self.bodies.window is not None

    def look(self, flock: ShownFlock) -> None:
        """Update the details of the selected animal and of those in a close-up."""
        self.inspect(flock)
        self.bodies.observe(flock)

    def inspect(self, flock: ShownFlock) -> None:
        """Update the details of the selected animal."""
        if self.selected is None:
            return
        try:
            self.inspection = inspect(flock, self.selected)
        except MurmuraError:
            self.deselect()  # it died

    def record(self, epoch: int, flock: ShownFlock, now: float) -> None:
        """Note births, deaths and events."""
        energy = self.observer.reading_of(flock)["measures"].get("energy_mean")
        self._chronicle.update(epoch, flock, now, energy)

    def state_hash(self, epoch: int, flock: ShownFlock, running: bool) -> str:
        """The first digits of the state's hash; empty while a large flock runs."""
        return self._hash.now(epoch, flock, running)

    def report(self, flock: ShownFlock) -> dict[str, Any]:
        """The latest measures, counts and rates, as part of a status."""
        return self.observer.reading_of(flock) | self._chronicle.report()
