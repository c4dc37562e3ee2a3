"""What the subscribers of a session read, each in its latest version, and whom to tell when there is something new."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable
from typing import Any

from murmura.view.session.first_picture import FirstPicture
from murmura.view.session.observing.frame_capture import FrameCapture
from murmura.view.session.observing.watch import Watch
from murmura.view.session.scenario_log import ScenarioLog
from murmura.view.session.source import Source
from murmura.view.wire.scenery import NO_SCENERY

logger = logging.getLogger("murmura")


class Publisher:
    """Written by the session's thread, read by any."""

    def __init__(self) -> None:
        self.extra = "density"
        self.frame = b""
        self.frame_number = 0
        self.hello_number = 0
        self.scenario_log = ScenarioLog()
        self.alarm: dict[str, Any] | None = None
        self.status: dict[str, Any] = {}
        self.scenery = NO_SCENERY
        self.wanted = True
        """Whether a subscriber waits for the next frame."""
        self.watch = Watch()
        self.first_picture = FirstPicture()
        self._capture = FrameCapture()
        self._listeners: list[Callable[[], None]] = []

    def add_listener(self, listener: Callable[[], None]) -> None:
        """Register a function that the session's thread calls whenever there is something new."""
        self._listeners.append(listener)

    def remove_listener(self, listener: Callable[[], None]) -> None:
        with contextlib.suppress(ValueError):
            self._listeners.remove(listener)

    def _tell_listeners(self) -> None:
        for listener in list(self._listeners):
            listener()

    def _tell_of_problem(self, about: str, message: str) -> None:
        """Show a message on all pages."""
        self.alarm = {"type": "error", "about": about, "message": message}

    def _tell_of_fault(self, error: Exception) -> None:
        """Tell of an error that nobody expected, in the log too; of the same one only once."""
        message = f"the view made an error ({type(error).__name__}: {error}) and has paused"
        if self.alarm is None or self.alarm["message"] != message:
            logger.error("the live view made an error and has paused", exc_info=error)
            self._tell_of_problem("view", message)

    def _capture_frame(self, source: Source) -> bool:
        """Publish a frame of the flock; False while it is still being copied from a device."""
        taken = self._capture.take(source, self.extra)
        if taken is None:
            return False
        self.scenery, self.frame = taken
        self.frame_number += 1
        self.first_picture.published(self.frame_number)
        return True
