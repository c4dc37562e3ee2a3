"""One request and its answer, as the application sees them. h11 writes what goes over the line."""

from __future__ import annotations

import asyncio
from email.utils import formatdate
from http import HTTPStatus
from typing import Any
from urllib.parse import unquote

import h11

from murmura.view.server.guard import SECURITY_HEADERS, App, Scope
from murmura.view.server.line import CLOSE_SECONDS, Line


def scope_of(request: h11.Request, kind: str, line: Line) -> Scope:
    """What the application is told of a request; `kind` is "http" or "websocket"."""
    path, _, query = request.target.partition(b"?")
    return {
        "type": kind, "asgi": {"version": "3.0", "spec_version": "2.4"}, "http_version": request.http_version.decode(),
        "scheme": "http" if kind == "http" else "ws", "method": request.method.decode("ascii"), "root_path": "",
        "path": unquote(path.decode("ascii")), "raw_path": path, "query_string": query, "subprotocols": [],
        "headers": list(request.headers), "client": line.transport.get_extra_info("peername"),
        "server": line.transport.get_extra_info("sockname"),
    }  # fmt: skip


class Answer:
    """The answer to one request whose body has been read."""

    def __init__(self, line: Line, parser: h11.Connection, request: h11.Request, body: bytes) -> None:
        self._line, self._parser, self._request = line, parser, request
        self._body: bytes | None = body

    async def give(self, app: App) -> None:
        """Let the application answer. Raises ConnectionError if the client does not take the answer."""
        await app(scope_of(self._request, "http", self._line), self._receive, self._send)

    async def _receive(self) -> dict[str, Any]:
        if self._body is None:  # whoever asks again waits for the client to leave
            await self._line.is_lost.wait()
            return {"type": "http.disconnect"}
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}

    async def _send(self, message: dict[str, Any]) -> None:
        if self._line.is_lost.is_set():
            raise ConnectionResetError("the client has left")
        if message["type"] == "http.response.start":
            self._write(response(message["status"], message.get("headers", [])))
            return
        if message.get("body") and self._request.method != b"HEAD":
            self._write(h11.Data(data=message["body"]))
        if not message.get("more_body", False):
            self._write(h11.EndOfMessage())
        try:
            await asyncio.wait_for(self._line.drain(), CLOSE_SECONDS)
        except TimeoutError:
            raise ConnectionResetError("the client does not read") from None

    def _write(self, event: Any) -> None:
        self._line.transport.write(self._parser.send(event) or b"")


def response(status: int, headers: list[tuple[bytes, bytes]]) -> h11.Response:
    """The head of an answer."""
    date = (b"date", formatdate(usegmt=True).encode())
    return h11.Response(status_code=status, headers=[*headers, date], reason=HTTPStatus(status).phrase)


def refusal(status: int, why: str) -> tuple[h11.Event, ...]:
    """A whole answer that says why, after which the connection is closed."""
    body = f"{status}: {why}\n".encode()
    told = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    return response(status, [*told, *SECURITY_HEADERS]), h11.Data(data=body), h11.EndOfMessage()
