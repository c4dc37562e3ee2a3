"""A session that is shown in views that come and go, whatever carries their messages: it runs while somebody looks."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from murmura.view.session.session import Session
from murmura.view.session.subscriber import Watcher

MOST_VIEWS = 16


class Showing:
    """One session and a watcher for each view.

    Args:
        session: Not yet open; closed with this.
        send: Brings a message to the view of a name, from a thread of its own.
    """

    def __init__(self, session: Session, send: Callable[[str, str | bytes], None]) -> None:
        self.session = session
        self.watchers: dict[str, Watcher] = {}
        self._send = send
        self._news = threading.Event()
        self._is_wanted = True  # to be running, as soon as somebody looks
        self._is_closed = False
        session.running = False
        session.listen(self._news.set)

    def open(self) -> None:
        self.session.open()
        threading.Thread(target=self._tell, name="murmura-view", daemon=True).start()

    def close(self) -> None:
        """End the session, and the telling of it."""
        self._is_closed = True
        self._news.set()
        self.session.close()

    def play(self) -> None:
        self.session.submit({"type": "play"}, print)

    def pause(self) -> None:
        self.session.submit({"type": "pause"}, print)

    def hear(self, content: dict[str, Any]) -> None:
        """A view opened, closed, or said something."""
        view, kind = str(content.get("view"))[:40], content.get("kind")
        if kind == "open" and len(self.watchers) < MOST_VIEWS:
            self._enter(view)
        elif kind == "close":
            self._leave(view)
        elif kind == "say" and view in self.watchers:
            self.watchers[view].take(str(content.get("text")))

    def _enter(self, view: str) -> None:
        self._leave(view)
        if not self.watchers and self._is_wanted:
            self.play()
        self.watchers[view] = Watcher(self.session, self._news.set)
        self.watchers[view].open()

    def _leave(self, view: str) -> None:
        if self.watchers.pop(view, None) is None:
            return
        if not self.watchers:  # nobody looks: a flock that nobody sees need not keep the machine busy
            self._is_wanted = self.session.running
            self.pause()

    def _tell(self) -> None:
        while not self._is_closed:
            self._news.wait()
            self._news.clear()
            for view, watcher in list(self.watchers.items()):
                for message in watcher.news():
                    self._send(view, message)
