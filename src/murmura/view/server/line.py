"""One end of a TCP connection: what HTTP and WebSockets share."""

from __future__ import annotations

import asyncio
from typing import Any

CLOSE_SECONDS = 10.0  # time for the client to read the last bytes


class Line(asyncio.Protocol):
    """A connection to which no more is written than the client reads."""

    transport: Any

    def __init__(self) -> None:
        self._is_writable = asyncio.Event()
        self._is_writable.set()
        self.is_lost = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_lost.set()
        self._is_writable.set()

    def pause_writing(self) -> None:
        self._is_writable.clear()

    def resume_writing(self) -> None:
        self._is_writable.set()

    async def drain(self) -> None:
        """Wait until the client has read enough of what was written; raises if it has left."""
        await self._is_writable.wait()
        if self.is_lost.is_set():
            raise ConnectionResetError("the client has left")

    def abort_later(self, seconds: float) -> None:
        """Give the client this long to read the last bytes and to close."""
        asyncio.get_running_loop().call_later(seconds, self.transport.abort)
