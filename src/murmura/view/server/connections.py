"""Limits on connections: sizes, times, and how they are closed.

Closing a connection normally waits until everything is sent, which never happens if the client stalls. So clients that
do not respond, or do not complete the close, are disconnected, and their buffers freed.
"""

from __future__ import annotations

import asyncio
from typing import Any

from murmura.view.server.guard import Guard
from murmura.view.session.subscriber import LARGEST_MESSAGE

PING_SECONDS, PONG_SECONDS = 10.0, 20.0  # a page that is silent for 30 s is disconnected
REQUEST_SECONDS = 10.0  # from the connection, or the first byte of a request, to its last byte
CLOSE_SECONDS = 10.0  # time for the client to read the last bytes
NOT_TEXT = 1007  # the WebSocket code for text that is not UTF-8


def is_text(data: bytes) -> bool:
    """Whether bytes are UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def server_config(app: Guard, host: str, port: int) -> Any:
    """The configuration of uvicorn. No compression: it costs a hundred times more than it saves."""
    import h11
    import uvicorn
    from uvicorn.protocols.http.h11_impl import H11Protocol
    from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
    from websockets.protocol import State

    class HttpProtocol(H11Protocol):
        """HTTP, with a time limit for each request, header and body."""

        deadline: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._start_deadline()

        def handle_events(self) -> None:
            super().handle_events()
            state = self.conn.their_state
            if state is h11.SEND_BODY or (state is h11.IDLE and self.conn.trailing_data[0]):
                self._start_deadline()
            elif self.deadline is not None:
                self.deadline.cancel()
                self.deadline = None

        def _start_deadline(self) -> None:
            """Start the timer when a request begins; further bytes do not restart it."""
            if self.deadline is None:
                self.deadline = self.loop.call_later(REQUEST_SECONDS, self._cut_off)

        def _cut_off(self) -> None:
            if self.transport.get_protocol() is self:  # otherwise it has become a WebSocket
                self.transport.abort()

        def connection_lost(self, exc: Exception | None) -> None:
            if self.deadline is not None:
                self.deadline.cancel()
            super().connection_lost(exc)

    class WebSocketProtocol(WebSocketsSansIOProtocol):
        """A WebSocket that is aborted when the client does not answer pings or does not complete the close."""

        def keepalive_timeout(self) -> None:
            super().keepalive_timeout()
            self.transport.abort()

        def send_receive_event_to_app(self) -> None:
            # uvicorn would log a traceback for invalid text, which any client can send.
            if self.curr_msg_data_type == "text" and not is_text(b"".join(self.frames)):
                self.frames = []
                if (
                    self.conn.state is State.OPEN
                ):  # otherwise a close frame arrived earlier in the same packet
                    self.conn.send_close(NOT_TEXT)
                    self.handle_parser_exception()
                return
            super().send_receive_event_to_app()

        async def run_asgi(self) -> None:
            await super().run_asgi()
            asyncio.get_running_loop().call_later(CLOSE_SECONDS, self.transport.abort)

    return uvicorn.Config(
        app, host=host, port=port, log_level="warning", http=HttpProtocol, ws=WebSocketProtocol,
        ws_max_size=LARGEST_MESSAGE, ws_per_message_deflate=False, ws_ping_interval=PING_SECONDS,
        ws_ping_timeout=PONG_SECONDS, lifespan="off", server_header=False, timeout_graceful_shutdown=1,
    )  # fmt: skip
