"""What a session shows, live or recorded: one interface, so that neither pretends to be the other.

`Scene` is the live source: a simulation that visitors change. `RecordedSource` shows the frames of a run. A session
reads both alike; what only a live flock can do, it asks of its scene.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from numpy.typing import NDArray

from murmura.core.state import State
from murmura.engine.lineage import Lineage
from murmura.engine.reading.reader import Reader
from murmura.measure import Flock
from murmura.scenario import Scenario


class ShownFlock(Protocol):
    """A flock as a session shows it: a simulation, or a recorded frame."""

    @property
    def scenario(self) -> Scenario: ...
    @property
    def seed(self) -> int: ...
    @property
    def step_count(self) -> int: ...
    @property
    def time(self) -> float: ...
    @property
    def agent_count(self) -> int: ...
    @property
    def ids(self) -> NDArray[Any]: ...
    @property
    def positions(self) -> NDArray[Any]: ...
    @property
    def velocities(self) -> NDArray[Any]: ...
    @property
    def state(self) -> State: ...
    @property
    def keeps_lineage(self) -> bool: ...

    def events(self) -> list[dict[str, Any]]: ...
    def column(self, name: str) -> NDArray[Any]: ...
    def explain(self, agent_id: int) -> dict[str, Any]: ...
    def flock_later(self, ordered: bool = False) -> Callable[[], Flock]: ...
    def lineage(self) -> Lineage: ...
    def reader(self, measured: bool = False) -> Reader: ...
    def measure(self, names: Sequence[str] | None = None) -> dict[str, float]: ...
    def state_hash(self) -> str: ...


class Source(Protocol):
    """A flock that moves through time, for a session to show."""

    epoch: int
    """Counted up when the flock is replaced or jumps, so that pages draw no way from there to here."""

    @property
    def flock(self) -> ShownFlock: ...

    @property
    def scenario(self) -> Scenario:
        """The scenario as visitors know it: without the pointer's attractor."""

    @property
    def loaded(self) -> Scenario:
        """The scenario as it was loaded, before any change."""

    @property
    def is_ready(self) -> bool:
        """Whether it can step."""

    @property
    def has_ended(self) -> bool:
        """Whether there is nothing further to show."""

    def step(self, count: int = 1) -> None: ...

    def record(self) -> dict[str, Any]:
        """The actions of visitors so far, which `murmura replay` reads."""
