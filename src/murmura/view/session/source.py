"""The interface of everything that a session can show, live or recorded.

`Scene` is the live source: a simulation that users change. `RecordedSource` shows the frames of a run. A session reads
both in the same way, and uses its scene for what only a live flock can do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from numpy.typing import NDArray

from murmura.core.state import State
from murmura.engine.lineage import Lineage
from murmura.engine.reading.facts import Event, Explanation
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

    def events(self) -> list[Event]: ...
    def column(self, name: str) -> NDArray[Any]: ...
    def explain(self, agent_id: int) -> Explanation: ...
    def flock_later(self, ordered: bool = False) -> Callable[[], Flock]: ...
    def lineage(self) -> Lineage: ...
    def reader(self, measured: bool = False) -> Reader: ...
    def measure(self, names: Sequence[str] | None = None) -> dict[str, float]: ...
    def state_hash(self) -> str: ...


class Source(Protocol):
    """A flock that moves through time, for a session to show."""

    epoch: int
    """Incremented when the flock is replaced or jumps, so that pages do not interpolate across it."""

    @property
    def flock(self) -> ShownFlock: ...

    @property
    def scenario(self) -> Scenario:
        """The scenario as users see it: without the pointer's attractor."""

    @property
    def loaded(self) -> Scenario:
        """The scenario as it was loaded, before any change."""

    @property
    def is_ready(self) -> bool:
        """Whether it can step."""

    @property
    def has_ended(self) -> bool:
        """Whether there is nothing more to show."""

    def step(self, count: int = 1) -> None: ...

    def record(self) -> dict[str, Any]:
        """The actions so far, in the format that `murmura replay` reads."""
