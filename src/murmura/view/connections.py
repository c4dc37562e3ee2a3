"""How long the server bears with a connection: limits of size and time, and lines that let go.

A connection that is closed politely waits until all is sent, and who stalls never takes it. So whoever stays
silent, or is to leave and does not, is cut off, and what was kept for them is freed.
"""

from __future__ import annotations

import asyncio
from typing import Any

from murmura.view.guard import Guard
from murmura.view.watching import LARGEST_MESSAGE

PING_SECONDS, PONG_SECONDS = 10.0, 20.0  # a page that is silent for 30 s is gone
REQUEST_SECONDS = 10.0  # from the first byte of a connection to the end of its request's header
GOODBYE_SECONDS = 10.0  # to take the last bytes


def server_config(app: Guard, host: str, port: int) -> Any:
    """How uvicorn serves the application. No compression: it costs a hundred times what it saves."""
    import uvicorn
    from uvicorn.protocols.http.h11_impl import H11Protocol
    from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

    class Door(H11Protocol):
        """HTTP, with an end to how long a request may take to be told."""

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self.loop.call_later(REQUEST_SECONDS, self._cut_off_if_nothing_was_asked)

        def _cut_off_if_nothing_was_asked(self) -> None:
            if self.cycle is None and self.transport.get_protocol() is self:
                self.transport.abort()

    class Line(WebSocketsSansIOProtocol):
        """A WebSocket that is cut off when the other side does not answer or does not take its goodbye."""

        def keepalive_timeout(self) -> None:
            super().keepalive_timeout()
            self.transport.abort()

        async def run_asgi(self) -> None:
            await super().run_asgi()
            asyncio.get_running_loop().call_later(GOODBYE_SECONDS, self.transport.abort)

    return uvicorn.Config(
        app, host=host, port=port, log_level="warning", http=Door, ws=Line, ws_max_size=LARGEST_MESSAGE,
        ws_per_message_deflate=False, ws_ping_interval=PING_SECONDS, ws_ping_timeout=PONG_SECONDS, lifespan="off",
        server_header=False, timeout_graceful_shutdown=1,
    )  # fmt: skip
