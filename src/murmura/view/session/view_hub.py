"""A session with views that open and close, over any transport. It runs while at least one view is open."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from murmura.view.session.session import Session
from murmura.view.session.subscriber import Subscriber

MOST_VIEWS = 16


class ViewHub:
    """One session and a subscriber for each view.

    Args:
        session: Not yet open; closed together with the hub.
        send: Sends a message to the view with this name; called from a thread of the hub.
        told: Called there with each new status.
    """

    def __init__(
        self,
        session: Session,
        send: Callable[[str, str | bytes], None],
        told: Callable[[dict[str, Any]], None] = lambda status: None,
    ) -> None:
        self.session = session
        self._told, self._status = told, session.status
        self.subscribers: dict[str, Subscriber] = {}
        self._send = send
        self._changed = threading.Event()
        self._is_wanted = True  # whether to run once a view is open
        self._is_closed = False
        session.running = False
        session.add_listener(self._changed.set)

    def open(self) -> None:
        self.session.open()
        threading.Thread(target=self._send_updates, name="murmura-view", daemon=True).start()

    def close(self) -> None:
        """End the session and stop sending."""
        self._is_closed = True
        self._changed.set()
        self.session.close()

    def play(self) -> None:
        self.session.submit({"type": "play"}, print)

    def pause(self) -> None:
        self.session.submit({"type": "pause"}, print)

    def select(self, agent: int | None) -> None:
        self.session.submit({"type": "select", "id": agent}, print)

    def receive(self, content: dict[str, Any]) -> None:
        """Handle a view that opened, closed or sent a message."""
        view, kind = str(content.get("view"))[:40], content.get("kind")
        if kind == "open" and len(self.subscribers) < MOST_VIEWS:
            self._add(view)
        elif kind == "close":
            self._remove(view)
        elif kind == "say" and view in self.subscribers:
            self.subscribers[view].receive(str(content.get("text")))

    def _add(self, view: str) -> None:
        self._remove(view)
        if not self.subscribers and self._is_wanted:
            self.play()
        self.subscribers[view] = Subscriber(self.session, self._changed.set)
        self.subscribers[view].open()

    def _remove(self, view: str) -> None:
        if self.subscribers.pop(view, None) is None:
            return
        if not self.subscribers:  # pause without views
            self._is_wanted = self.session.running
            self.pause()

    def _send_updates(self) -> None:
        while not self._is_closed:
            self._changed.wait()
            self._changed.clear()
            for view, subscriber in list(self.subscribers.items()):
                for message in subscriber.updates():
                    self._send(view, message)
            if self.session.status is not self._status:
                self._status = self.session.status
                self._told(self._status)
