"""The server: accepts connections until it is told to stop.

Whoever connects and sends no request holds a descriptor of the process. So only some may wait at once: a further one
takes the place of the oldest, and a page, which needs an instant for its request, always comes in.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import time
from collections.abc import Coroutine
from typing import Any

from murmura.view.server.connections import OUT_OF_FILES, Connection
from murmura.view.server.guard import App
from murmura.view.server.line import Line
from murmura.view.server.web_socket import GOING_AWAY, WebSocket

logger = logging.getLogger("murmura")
MOST_WAITING = 256
RETRY_SECONDS = 0.05  # after there were no descriptors left
WARNING_SECONDS = 60.0  # between two warnings
STOP_SECONDS = 1.0  # for pages to take leave


def most_waiting() -> int:
    """How many connections may wait for their request: a quarter of the descriptors that this process may have."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return MOST_WAITING
    allowed = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return MOST_WAITING if allowed == resource.RLIM_INFINITY else max(4, min(MOST_WAITING, allowed // 4))


class Server:
    """Serves one application on one listening socket."""

    def __init__(self, app: App) -> None:
        self.app = app
        self.lines: set[Line] = set()
        self.loop: asyncio.AbstractEventLoop | None = None
        self._waiting: dict[Connection, None] = {}  # the one that has waited longest comes first
        self._most_waiting = most_waiting()
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_stopped = False
        self._stop = asyncio.Event()
        self._warned = float("-inf")

    def stop(self) -> None:
        """End `serve`; may be called from any thread, and before it."""
        self._is_stopped = True
        if self.loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop is closed
                self.loop.call_soon_threadsafe(self._stop.set)

    async def serve(self, listener: socket.socket) -> None:
        """Serve until `stop`."""
        self.loop = asyncio.get_running_loop()
        listener.setblocking(False)
        accepting = self.loop.create_task(self._accept(self.loop, listener))
        accepting.add_done_callback(lambda _: self._stop.set())
        try:
            if not self._is_stopped:
                await self._stop.wait()
        finally:
            accepting.cancel()
            await self._take_leave()
        with contextlib.suppress(asyncio.CancelledError):
            await accepting

    async def _accept(self, loop: asyncio.AbstractEventLoop, listener: socket.socket) -> None:
        while True:
            try:
                accepted, _ = await loop.sock_accept(listener)
                await loop.connect_accepted_socket(lambda: Connection(self), accepted)
            except ConnectionError:
                continue  # it left at once
            except OSError as error:
                if error.errno not in OUT_OF_FILES:
                    raise
                self.warn(f"new connections wait: {error}")
                self._make_room()
                await asyncio.sleep(RETRY_SECONDS)

    async def _take_leave(self) -> None:
        """Close all connections; end what does not end by itself."""
        for line in list(self.lines):
            if isinstance(line, WebSocket):
                line.close(GOING_AWAY)
            else:
                line.transport.close()
        tasks = list(self._tasks)
        if tasks:
            await asyncio.wait(tasks, timeout=STOP_SECONDS)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for line in list(self.lines):
            line.transport.abort()

    def opened(self, one: Line) -> None:
        self.lines.add(one)

    def closed(self, one: Line) -> None:
        self.lines.discard(one)
        self._waiting.pop(one, None)  # type: ignore[call-overload]

    def waits(self, one: Connection) -> None:
        self._waiting[one] = None
        if len(self._waiting) > self._most_waiting:
            self._make_room()

    def works(self, one: Connection) -> None:
        self._waiting.pop(one, None)

    def _make_room(self) -> None:
        """Send away the connection that has waited longest."""
        oldest = next(iter(self._waiting), None)
        if oldest is not None:
            del self._waiting[oldest]
            oldest.refuse(503, is_urgent=True)

    def keep(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def warn(self, warning: str) -> None:
        now = time.monotonic()
        if now - self._warned >= WARNING_SECONDS:
            self._warned = now
            logger.warning("murmura: %s", warning)
