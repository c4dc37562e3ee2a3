"""The work queue of a session's thread: commands in order, and results of other threads before them."""

from __future__ import annotations

import queue
from collections.abc import Callable
from typing import Any

Refuse = Callable[[str], None]
Entry = tuple[Any, Refuse]
"""A message or a function to call, and a callback for its error."""


class CommandQueue:
    """Filled from any thread, emptied by the session's own.

    Args:
        wake: Called whenever something was added.
    """

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._commands: queue.Queue[Entry] = queue.Queue()
        self._urgent: queue.Queue[Entry] = queue.Queue()

    def put(self, act: Any, refuse: Refuse) -> None:
        self._commands.put((act, refuse))
        self._wake()

    def put_first(self, act: Callable[[], None], refuse: Refuse) -> None:
        """Queue a function to be called before any further command."""
        self._urgent.put((act, refuse))
        self._wake()

    @property
    def is_urgent(self) -> bool:
        return not self._urgent.empty()

    def take(self) -> Entry | None:
        """The next entry; None if there is none."""
        try:
            return (self._urgent if self.is_urgent else self._commands).get_nowait()
        except queue.Empty:
            return None

    def has_any(self, *types: str) -> bool:
        """Whether a command of one of these types is waiting."""
        with self._commands.mutex:
            waiting = {act.get("type") for act, _ in self._commands.queue if isinstance(act, dict)}
        return not waiting.isdisjoint(types)
