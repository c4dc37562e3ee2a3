"""Connections over HTTP, until they become a WebSocket: their limits, and an answer to everything that is refused.

HTTP is read and written by h11. A request is small, so that it is read whole before the application gets it: whoever
sends too much or too slowly costs a connection for some seconds and nothing else.
"""

from __future__ import annotations

import asyncio
import errno
import logging
from collections.abc import Coroutine
from http import HTTPStatus
from typing import Any, Protocol

import h11

from murmura.view.server.answers import Answer, refusal, scope_of
from murmura.view.server.guard import App
from murmura.view.server.line import CLOSE_SECONDS, Line
from murmura.view.server.web_socket import WebSocket, protocol_of

logger = logging.getLogger("murmura")
REQUEST_SECONDS = 10.0  # from the connection, or the last answer, to the last byte of a request
LINGER_SECONDS = 1.0  # after a refusal: closing at once would discard the answer together with unread bytes
LARGEST_HEAD = 256 * 1024  # bytes: other programs' cookies for 127.0.0.1 are sent to every port
MOST_LINES = 1000  # of a head
LARGEST_BODY = 64 * 1024  # bytes
OUT_OF_FILES = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
REASONS = {
    408: "the request was not complete in time",
    413: f"expected a body of at most {LARGEST_BODY // 1024} kB",
    431: f"expected at most {LARGEST_HEAD // 1024} kB and {MOST_LINES} lines before the body. If other programs "
    "have set many cookies for this address, delete them in the browser",
    500: "the server made an error; its terminal says which",
    503: "too many connections are open; try again",
}


class Owner(Protocol):
    """What a connection needs of its server."""

    app: App

    def opened(self, one: Line) -> None: ...
    def closed(self, one: Line) -> None: ...

    def waits(self, one: Connection) -> None:
        """A connection has no complete request: it may have to make room for another."""

    def works(self, one: Connection) -> None:
        """A connection is being answered, or has become a WebSocket."""

    def keep(self, work: Coroutine[Any, Any, None]) -> None:
        """Do this beside everything else."""

    def warn(self, warning: str) -> None:
        """Print a warning, unless the last one was a moment ago."""


class Connection(Line):
    """One connection: HTTP requests one after another, until it becomes a WebSocket or ends."""

    def __init__(self, owner: Owner) -> None:
        super().__init__()
        self._owner = owner
        self._parser = h11.Connection(h11.SERVER, max_incomplete_event_size=LARGEST_HEAD)
        self._request: h11.Request | None = None
        self._body = b""
        self._lines = 0
        self.has_begun = False  # whether anything of the next request has arrived
        self._is_answering = self._is_refused = self._is_half_closed = False
        self.deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._owner.opened(self)
        self._await_request()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._stop_deadline()
        self._owner.closed(self)

    def _await_request(self) -> None:
        self._request, self._body, self._lines = None, b"", 0
        self.has_begun = self._is_answering = False
        self._owner.waits(self)
        self.deadline = asyncio.get_running_loop().call_later(REQUEST_SECONDS, self._time_out)

    def _stop_deadline(self) -> None:
        if self.deadline is not None:
            self.deadline.cancel()
            self.deadline = None

    def _time_out(self) -> None:
        if self.has_begun:
            self.refuse(408)
        else:
            self.transport.close()

    def data_received(self, data: bytes) -> None:
        if self._is_refused:
            return
        self.has_begun = True
        self._lines += data.count(b"\n")
        self._parser.receive_data(data)
        self._read()

    def eof_received(self) -> bool:
        """Stay open for the answer, if one is under way."""
        self._is_half_closed = True
        return self._is_answering

    def _read(self) -> None:
        """Handle what has arrived, up to the end of one request."""
        try:
            while not (self._is_answering or self._is_refused):
                event = self._parser.next_event()
                if event in (h11.NEED_DATA, h11.PAUSED):
                    self._check_head()
                    return
                self._handle(event)
        except h11.RemoteProtocolError as error:
            self.refuse(error.error_status_hint, str(error))

    def _check_head(self) -> None:
        if self._request is None and self._lines > MOST_LINES:
            self.refuse(431)
        elif self._parser.they_are_waiting_for_100_continue:
            self._write(h11.InformationalResponse(status_code=100, headers=[]))

    def _handle(self, event: Any) -> None:
        if isinstance(event, h11.Request):
            self._request = event
            if self._lines > MOST_LINES:
                self.refuse(431)
            elif b"%00" in event.target:  # in no file's name, and an error for the system
                self.refuse(400, "the address contains a zero byte")
            elif int(dict(event.headers).get(b"content-length", 0)) > LARGEST_BODY:
                self.refuse(413)
        elif isinstance(event, h11.Data):
            self._body += event.data
            if len(self._body) > LARGEST_BODY:
                self.refuse(413)
        elif isinstance(event, h11.EndOfMessage) and self._request is not None:
            self._begin(self._request)

    def _begin(self, request: h11.Request) -> None:
        """Start to answer a request. Nothing further is read until that is done."""
        self._is_answering = True
        if any(name == b"upgrade" and value.lower() == b"websocket" for name, value in request.headers):
            self._open_web_socket(request)
            return
        self._stop_deadline()
        self._owner.works(self)
        self.transport.pause_reading()
        self._owner.keep(self._answer(Answer(self, self._parser, request, self._body)))

    async def _answer(self, answer: Answer) -> None:
        try:
            await answer.give(self._owner.app)
        except ConnectionError:
            self.transport.abort()
            return
        except Exception as error:  # whatever it is, the client gets an answer and the server goes on
            self._fail(error)
        if (
            self._parser.our_state is h11.DONE
            and self._parser.their_state is h11.DONE
            and not self._is_half_closed
        ):
            self._parser.start_next_cycle()
            self.transport.resume_reading()
            self._await_request()
            self.has_begun = bool(self._parser.trailing_data[0])
            self._read()
        elif not self._is_refused:
            self.transport.close()
            self.abort_later(CLOSE_SECONDS)

    def _fail(self, error: Exception) -> None:
        is_crowded = isinstance(error, OSError) and error.errno in OUT_OF_FILES
        if is_crowded:
            self._owner.warn(f"a request could not be answered: {error}")
        else:
            logger.error("a request could not be answered", exc_info=error)
        self.refuse(503 if is_crowded else 500)

    def _open_web_socket(self, request: h11.Request) -> None:
        """Hand a handshake to the application. The deadline of requests runs until it is accepted."""
        protocol, answer = protocol_of(request.target.decode("ascii"), list(request.headers))
        if self._body or answer.status_code != 101:
            self.refuse(
                400, "this is no WebSocket handshake: " + (answer.body or b"it has a body").decode().strip()
            )
            return

        def accept() -> bytes:
            if self._is_refused or self.is_lost.is_set():
                raise ConnectionResetError("the client has left, or has waited too long")
            self._stop_deadline()
            self._owner.works(self)
            self._owner.closed(self)
            self._owner.opened(socket)
            self.transport.set_protocol(socket)
            self.transport.write(answer.serialize())
            return self._parser.trailing_data[0]

        socket = WebSocket(self.transport, protocol, accept, lambda: self.refuse(403), self._owner.closed)
        self._owner.keep(socket.run(self._owner.app, scope_of(request, "websocket", self)))

    def refuse(self, status: int, why: str = "", is_urgent: bool = False) -> None:
        """Answer with this status and close, at once if it is urgent."""
        if self._is_refused or self.is_lost.is_set():
            if is_urgent:
                self.transport.abort()
            return
        self._is_refused = True
        if self._parser.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            for event in refusal(status, why or REASONS.get(status, HTTPStatus(status).phrase)):
                self._write(event)
        if is_urgent or self._is_half_closed:
            self.transport.close()
            return
        self.transport.write_eof()
        self.transport.resume_reading()
        self.abort_later(LINGER_SECONDS)

    def _write(self, event: Any) -> None:
        self.transport.write(self._parser.send(event) or b"")
