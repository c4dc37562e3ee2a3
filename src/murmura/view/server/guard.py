"""Access control of the server. Loopback is no boundary: any web page in the user's browser can reach it.

A request must name an allowed host; a WebSocket and every request that is not a GET must come from the same origin;
data needs the cookie, which is set in exchange for the one-time launch token.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import parse_qs

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

SECURITY_HEADERS = [
    (
        b"content-security-policy",
        b"default-src 'self'; connect-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; "
        b"style-src 'self'; script-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; "
        b"frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
]


def _headers(may_be_framed: bool) -> list[tuple[bytes, bytes]]:
    """The headers of a response; only the two pages of a comparison may be framed, and only by our own page."""
    if not may_be_framed:
        return SECURITY_HEADERS
    return [
        (name, value.replace(b"ancestors 'none'", b"ancestors 'self'")) for name, value in SECURITY_HEADERS
    ]


class Guard:
    """Wraps an application: passes allowed requests on and answers others with 403."""

    def __init__(self, app: App, port: int, hosts: tuple[str, ...], framed: tuple[str, ...] = ()) -> None:
        self._app, self._framed = app, framed
        self._hosts = {f"{host}:{port}" for host in hosts}
        self._origins = {f"http://{host}" for host in self._hosts}
        self._cookie_name = f"murmura_{port}"
        self._cookie = secrets.token_urlsafe(32)
        self.launch_token: str | None = secrets.token_urlsafe(32)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        if not self._is_allowed(scope, headers):
            await _refuse(scope, send)
            return
        token = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [""])[0]
        if scope["type"] == "http" and scope["path"] == "/" and token:
            await self._redeem(token, send)
            return
        if not self._has_cookie(headers):
            await _refuse(scope, send)
            return
        framed = any(scope["path"].startswith(path) for path in self._framed)
        await self._app(scope, receive, _with_headers(send, _headers(framed)))

    def _is_allowed(self, scope: Scope, headers: dict[bytes, str]) -> bool:
        if headers.get(b"host", "") not in self._hosts:
            return False
        if scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD"):
            return headers.get(b"origin", "") in self._origins
        return True

    def _has_cookie(self, headers: dict[bytes, str]) -> bool:
        # Parsed by hand: other servers on this host share the cookie jar, and http.cookies fails on some cookies.
        expected = f"{self._cookie_name}={self._cookie}".encode()
        found = (part.strip().encode() for part in headers.get(b"cookie", "").split(";"))
        return any(hmac.compare_digest(part, expected) for part in found)

    async def _redeem(self, token: str, send: Send) -> None:
        """Exchange the one-time token for the cookie, and remove it from the address."""
        expected, self.launch_token = self.launch_token, None
        if expected is None or not hmac.compare_digest(token.encode(), expected.encode()):
            if expected is not None:
                self.launch_token = expected
            await _refuse({"type": "http"}, send)
            return
        cookie = f"{self._cookie_name}={self._cookie}; HttpOnly; SameSite=Strict; Path=/".encode()
        headers = [(b"location", b"/"), (b"set-cookie", cookie), *SECURITY_HEADERS]
        await send({"type": "http.response.start", "status": 303, "headers": headers})
        await send({"type": "http.response.body", "body": b""})


def _with_headers(send: Send, headers: list[tuple[bytes, bytes]]) -> Send:
    async def wrapped(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", []), *headers]}
        await send(message)

    return wrapped


async def _refuse(scope: Scope, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 4403, "reason": ""})
        return
    body = b"403: open the address that murmura printed; its token works once\n"
    headers = [(b"content-type", b"text/plain; charset=utf-8"), *SECURITY_HEADERS]
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    await send({"type": "http.response.body", "body": body})
