"""Access control of the server. Loopback is no protection: any web page in the user's browser can reach it.

A request must name an allowed host; a WebSocket and every request that is not a GET must come from this
origin; data requires the cookie, which is issued for the one-time launch token. If the host shares the view with a
class, the class code grants another cookie, with which visitors may only watch.
"""

from __future__ import annotations

import hmac
import secrets
import time
from collections import OrderedDict, deque
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


VISITOR = "murmura.visitor"
"""In the scope of a request: whether it comes from a visitor, who may only watch."""
MOST_GUESSES, GUESS_SECONDS = 20, 60.0
"""Wrong codes per minute and address; after that, all codes from there are refused for a while."""
MOST_ADDRESSES = 4096  # whose guesses are remembered
LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"  # without similar letters


def class_code() -> str:
    """Six letters that can be written on a blackboard: 900 million codes, and 20 guesses a minute from one address."""
    return "".join(secrets.choice(LETTERS) for _ in range(6))


class Guard:
    """Wraps an application; passes allowed requests on and answers the others with 403.

    Args:
        app: The application to protect.
        port: The port of the server.
        hosts: Allowed host names.
        framed: Paths that our own page may embed in frames.
        code: The class code of visitors; if None, there are no visitors.
    """

    def __init__(
        self,
        app: App,
        port: int,
        hosts: tuple[str, ...],
        framed: tuple[str, ...] = (),
        code: str | None = None,
    ) -> None:
        self._app, self._framed, self._code = app, framed, code
        self._visitor = secrets.token_urlsafe(32)
        self._guesses: OrderedDict[str, deque[float]] = OrderedDict()
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
        query = parse_qs(scope.get("query_string", b"").decode("latin-1"))
        token, code = query.get("token", [""])[0], query.get("code", [""])[0]
        is_page = scope["type"] == "http" and scope["path"] == "/"
        is_host, is_visitor = (
            self._has_cookie(headers, self._cookie),
            self._has_cookie(headers, self._visitor),
        )
        if is_page and token:
            await self._redeem(token, send, is_host)
        elif is_page and code and self._code is not None:
            await self._admit(code, scope, send)
        elif is_host or (is_visitor and self._is_open_to_visitors(scope["path"])):
            framed = any(scope["path"].startswith(path) for path in self._framed)
            shown = {**scope, VISITOR: not is_host}
            await self._app(shown, receive, _with_headers(send, _headers(framed)))
        else:
            await _refuse(scope, send, is_page, self._code is not None)

    def _is_open_to_visitors(self, path: str) -> bool:
        return self._code is not None and (path in ("/", "/ws") or path.startswith("/assets/"))

    def renew(self) -> str:
        """Make a new launch token; the previous one, if unused, is void."""
        self.launch_token = secrets.token_urlsafe(32)
        return self.launch_token

    def _is_allowed(self, scope: Scope, headers: dict[bytes, str]) -> bool:
        if headers.get(b"host", "") not in self._hosts:
            return False
        if scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD"):
            return headers.get(b"origin", "") in self._origins
        return True

    def _has_cookie(self, headers: dict[bytes, str], value: str) -> bool:
        # Parsed by hand: other servers on this host share the cookies, and http.cookies fails on some of theirs.
        expected = f"{self._cookie_name}={value}".encode()
        found = (part.strip().encode() for part in headers.get(b"cookie", "").split(";"))
        return any(hmac.compare_digest(part, expected) for part in found)

    async def _admit(self, code: str, scope: Scope, send: Send) -> None:
        """Issue a visitor's cookie for the class code; refuse an address that has guessed too often for a while."""
        if not self._is_class_code(code, (scope.get("client") or ("",))[0]):
            await _refuse(scope, send, True, True)
        else:
            await self._grant(self._visitor, send)

    def _is_class_code(self, code: str, address: str) -> bool:
        """Whether the code is right and may be tried: who guesses must not lock the others out."""
        now = time.monotonic()
        guesses = self._guesses.get(address, deque[float](maxlen=MOST_GUESSES))
        is_limited = len(guesses) == MOST_GUESSES and now - guesses[0] < GUESS_SECONDS
        if not is_limited and hmac.compare_digest(code.strip().upper().encode(), str(self._code).encode()):
            return True
        guesses.append(now)
        self._guesses[address] = guesses
        self._guesses.move_to_end(address)
        if len(self._guesses) > MOST_ADDRESSES:
            self._guesses.popitem(last=False)
        return False

    async def _grant(self, value: str, send: Send) -> None:
        cookie = f"{self._cookie_name}={value}; HttpOnly; SameSite=Strict; Path=/".encode()
        headers = [(b"location", b"/"), (b"set-cookie", cookie), *SECURITY_HEADERS]
        await send({"type": "http.response.start", "status": 303, "headers": headers})
        await send({"type": "http.response.body", "body": b""})

    async def _redeem(self, token: str, send: Send, is_known: bool) -> None:
        """Exchange the one-time token for the cookie, and remove it from the address. The cookie alone suffices."""
        if is_known:
            await self._grant(self._cookie, send)
            return
        expected, self.launch_token = self.launch_token, None
        if expected is None or not hmac.compare_digest(token.encode(), expected.encode()):
            if expected is not None:
                self.launch_token = expected
            await _refuse({"type": "http"}, send, True, self._code is not None)
            return
        await self._grant(self._cookie, send)


def _with_headers(send: Send, headers: list[tuple[bytes, bytes]]) -> Send:
    async def wrapped(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            own = message.get("headers", [])
            names = {name for name, _ in own}
            message = {**message, "headers": [*own, *(each for each in headers if each[0] not in names)]}
        await send(message)

    return wrapped


async def _refuse(scope: Scope, send: Send, is_page: bool = False, shares: bool = False) -> None:
    """Refuse a request: with instructions if it is for the page, otherwise in one line."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 4403, "reason": ""})
        return
    kind, body = b"text/plain", b"403: open the address that murmura printed; its token works once\n"
    security = SECURITY_HEADERS
    if is_page:
        kind, body = b"text/html", _denied_page(shares)
        security = [
            (name, value.replace(b"form-action 'none'", b"form-action 'self'")) for name, value in security
        ]
    headers = [(b"content-type", kind + b"; charset=utf-8"), *security]
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _denied_page(shares: bool) -> bytes:
    """The page for a client without access: why, and what to do."""
    code = (
        '<p>If you are a visitor, enter the class code that your host shows you.</p><form action="/" method="get">'
        '<label>Class code <input name="code" autocomplete="off" autofocus maxlength="12"></label> '
        "<button>Watch</button></form>"
    )
    own = (
        "<p>This view belongs to the user who started <code>murmura</code>. The address it printed works once, in one "
        "browser.</p><p>To open it here, press Enter in the terminal where murmura runs, and open the new address "
        "that it prints.</p>"
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Murmura: not open here</title>'
        '<meta name="viewport" content="width=device-width"></head><body><main><h1>Murmura is not open in this '
        f"browser</h1>{code if shares else ''}{own}</main></body></html>\n"
    ).encode()
