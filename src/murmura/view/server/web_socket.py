"""A WebSocket for the application. The protocol itself is that of `websockets`, without its input and output.

A regular close normally waits until everything is sent, which never happens if the client stalls. So clients that do
not answer pings, or do not complete the close, are disconnected, and their buffers freed.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

from websockets.datastructures import Headers
from websockets.frames import Frame, Opcode
from websockets.http11 import Request, Response
from websockets.protocol import State
from websockets.server import ServerProtocol

from murmura.view.server import line
from murmura.view.server.guard import App, Scope
from murmura.view.session.subscriber import LARGEST_MESSAGE

logger = logging.getLogger("murmura")
PING_SECONDS, PONG_SECONDS = 10.0, 20.0  # a page that is silent for 30 s is disconnected
MOST_UNREAD = 64  # messages that wait for the application, before no more are read from the connection
NORMAL, GOING_AWAY, NOT_TEXT, NO_CODE = 1000, 1001, 1007, 1005  # close codes of the protocol
HANDSHAKE = (b"upgrade", b"connection", b"sec-websocket-key", b"sec-websocket-version")


def protocol_of(path: str, headers: list[tuple[bytes, bytes]]) -> tuple[ServerProtocol, Response]:
    """The protocol for a handshake, and its answer: status 101, or the reason why it is none.

    No compression: it costs a hundred times more than it saves.
    """
    own = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in headers if name in HANDSHAKE]
    protocol = ServerProtocol(state=State.OPEN, max_size=LARGEST_MESSAGE)
    return protocol, protocol.accept(Request(path, Headers(own)))


class WebSocket(line.Line):
    """One WebSocket.

    Args:
        transport: Of the connection whose handshake was read.
        protocol: The one that answered the handshake.
        accept: Answers the handshake and takes the transport over; returns the bytes that came after it.
        refuse: Refuses the handshake.
        closed: Called when the connection has ended after it was accepted.
    """

    def __init__(
        self,
        transport: asyncio.Transport,
        protocol: ServerProtocol,
        accept: Callable[[], bytes],
        refuse: Callable[[], None],
        closed: Callable[[line.Line], None],
    ) -> None:
        super().__init__()
        self.transport = transport
        self._protocol, self._accept, self._refuse, self._closed = protocol, accept, refuse, closed
        self._is_accepted = self._is_paused = self._is_closing = self._is_ended = False
        self._pieces: list[bytes] = []
        self._is_text = False
        self._messages: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._messages.put_nowait({"type": "websocket.connect"})
        self._ping_timer: asyncio.TimerHandle | None = None
        self.pong_timer: asyncio.TimerHandle | None = None
        self.pongs = 0

    async def run(self, app: App, scope: Scope) -> None:
        """Let the application talk; close when it has finished."""
        try:
            await app(scope, self._receive, self._send)
        except ConnectionError:
            pass  # the client has left
        except Exception:
            logger.exception("a page's connection ended by an error")
        finally:
            if self._is_accepted:
                self.close(NORMAL)
            else:
                self._refuse()

    def close(self, code: int) -> None:
        """Start to close, unless that has begun. What still arrives is dropped."""
        self._is_closing = True
        if self._protocol.state is State.OPEN:
            self._protocol.send_close(code)
        self._flush()
        self.transport.resume_reading()
        self.abort_later(line.CLOSE_SECONDS)

    async def _receive(self) -> dict[str, Any]:
        message = await self._messages.get()
        if self._is_paused and self._messages.empty():
            self._is_paused = False
            self.transport.resume_reading()
        return message

    async def _send(self, message: dict[str, Any]) -> None:
        kind = message["type"]
        if kind == "websocket.accept":
            early = self._accept()
            self._is_accepted = True
            self._plan_ping()
            if early:
                self.data_received(early)
        elif kind == "websocket.send":
            if self._protocol.state is not State.OPEN:
                raise ConnectionResetError("the client has left")
            data = message.get("bytes")
            if data is not None:
                self._protocol.send_binary(data)
            else:
                self._protocol.send_text(message["text"].encode())
            self._flush()
            await self.drain()
        elif self._is_accepted:
            self.close(message.get("code", NORMAL))
        else:
            self._refuse()

    def _flush(self) -> None:
        for data in self._protocol.data_to_send():
            if data:
                self.transport.write(data)
            else:  # keep reading: unread bytes would reset the connection before the client has read the close code
                self.transport.write_eof()
                self.abort_later(line.CLOSE_SECONDS)

    def data_received(self, data: bytes) -> None:
        self._protocol.receive_data(data)
        self._handle_frames()

    def eof_received(self) -> None:
        self._protocol.receive_eof()
        self._handle_frames()
        self.abort_later(line.CLOSE_SECONDS)

    def _handle_frames(self) -> None:
        for frame in self._protocol.events_received():
            if isinstance(frame, Frame):
                self._handle(frame)
        self._flush()
        if self._protocol.state is not State.OPEN:
            self._end()

    def _handle(self, frame: Frame) -> None:
        if frame.opcode is Opcode.PONG and self.pong_timer is not None:
            self.pong_timer.cancel()
            self.pong_timer = None
            self.pongs += 1
            self._plan_ping()
        if frame.opcode not in (Opcode.TEXT, Opcode.BINARY, Opcode.CONT) or self._is_closing:
            return
        if frame.opcode is not Opcode.CONT:
            self._pieces, self._is_text = [], frame.opcode is Opcode.TEXT
        self._pieces.append(bytes(frame.data))
        if frame.fin:
            self._deliver(b"".join(self._pieces))

    def _deliver(self, data: bytes) -> None:
        message: dict[str, Any] = {"type": "websocket.receive"}
        try:
            message["text" if self._is_text else "bytes"] = data.decode() if self._is_text else data
        except UnicodeDecodeError:
            self.close(NOT_TEXT)
            return
        self._messages.put_nowait(message)
        if self._messages.qsize() > MOST_UNREAD and not self._is_paused:
            self._is_paused = True
            self.transport.pause_reading()

    def _plan_ping(self) -> None:
        self._ping_timer = asyncio.get_running_loop().call_later(PING_SECONDS, self._ping)

    def _ping(self) -> None:
        if self._protocol.state is State.OPEN:
            self._protocol.send_ping(b"murmura")
            self._flush()
            self.pong_timer = asyncio.get_running_loop().call_later(PONG_SECONDS, self.transport.abort)

    def _end(self) -> None:
        """Tell the application, once, that the client has left or was sent away."""
        if not self._is_ended:
            self._is_ended = True
            code = self._protocol.close_code
            self._messages.put_nowait(
                {"type": "websocket.disconnect", "code": NO_CODE if code is None else code}
            )

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        for timer in (self._ping_timer, self.pong_timer):
            if timer is not None:
                timer.cancel()
        self._end()
        self._closed(self)
