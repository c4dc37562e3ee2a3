"""Access to the server: foreign origins, rebound hosts, missing and wrong cookies, and the launch token."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from murmura.view.server import guard
from murmura.view.server.guard import MOST_GUESSES, VISITOR, Guard, class_code
from tests.view.live import Live

PORT = 8421
HOST, ORIGIN = f"127.0.0.1:{PORT}", f"http://127.0.0.1:{PORT}"

FOREIGN_ORIGINS = [
    None, "", " ", "null", "NULL", "*", "file://", "about:blank", "data:text/html,x", "chrome-extension://abcdef",
    "http://evil.example", "https://evil.example", f"http://evil.example:{PORT}", "http://127.0.0.1",
    "http://127.0.0.1:80", f"http://127.0.0.1:{PORT + 1}", f"http://127.0.0.1:{PORT - 1}", "http://127.0.0.1:84210",
    "http://127.0.0.1:842", "http://127.0.0.1:08421", f"https://127.0.0.1:{PORT}", f"ws://127.0.0.1:{PORT}",
    f"ftp://127.0.0.1:{PORT}", f"//127.0.0.1:{PORT}", f"127.0.0.1:{PORT}", f"HTTP://127.0.0.1:{PORT}",
    f"Http://127.0.0.1:{PORT}", f"http://127.0.0.1:{PORT}/", f"http://127.0.0.1:{PORT}/x", f"http://127.0.0.1:{PORT}?",
    f"http://127.0.0.1:{PORT}#", f" http://127.0.0.1:{PORT}", f"http://127.0.0.1:{PORT} ",
    f"http://127.0.0.1:{PORT},http://evil.example", f"http://evil.example http://127.0.0.1:{PORT}",
    f"http://127.0.0.1:{PORT}.evil.example", f"http://127.0.0.1.evil.example:{PORT}",
    f"http://evil.example/127.0.0.1:{PORT}", f"http://evil127.0.0.1:{PORT}", f"http://evil-127.0.0.1:{PORT}",
    f"http://127.0.0.1@evil.example:{PORT}", f"http://evil.example@127.0.0.1:{PORT}",
    f"http://user:word@127.0.0.1:{PORT}", f"http://127.0.0.2:{PORT}", f"http://127.1:{PORT}",
    f"http://2130706433:{PORT}", f"http://0x7f000001:{PORT}", f"http://0177.0.0.1:{PORT}", f"http://0.0.0.0:{PORT}",
    f"http://[::1]:{PORT}", f"http://[::ffff:127.0.0.1]:{PORT}", f"http://LOCALHOST:{PORT}", f"http://Localhost:{PORT}",
    f"https://localhost:{PORT}", "http://localhost", f"http://localhost:{PORT + 1}", f"http://localhost.:{PORT}",
    f"http://localhost.evil.example:{PORT}", f"http://evil-localhost:{PORT}", f"http://xn--lcalhost-54a:{PORT}",
    f"http://lοcalhost:{PORT}", f"http://127.0.0.1:{PORT}\x00", f"http://127。0。0。1:{PORT}",
]  # fmt: skip
FOREIGN_HOSTS = [
    None, "", "evil.example", f"evil.example:{PORT}", "127.0.0.1", "localhost", f"127.0.0.1:{PORT + 1}",
    "127.0.0.1:80", "127.0.0.1:84210", f"127.0.0.1:0{PORT}", f"127.0.0.1.evil.example:{PORT}",
    f"evil.example.127.0.0.1:{PORT}", f"127.0.0.1:{PORT}.evil.example", f"127.0.0.1:{PORT}@evil.example",
    f"evil.example@127.0.0.1:{PORT}", f"127.0.0.2:{PORT}", f"127.1:{PORT}", f"2130706433:{PORT}", f"0.0.0.0:{PORT}",
    f"0x7f.0.0.1:{PORT}", f"[::1]:{PORT}", f"[::ffff:127.0.0.1]:{PORT}", f"LOCALHOST:{PORT}", f"localhost.:{PORT}",
    f"localhost.evil.example:{PORT}", f"http://127.0.0.1:{PORT}", f" 127.0.0.1:{PORT}", f"127.0.0.1:{PORT} ",
    f"127.0.0.1:{PORT}, evil.example", f"127.0.0.1:{PORT}/", f"lοcalhost:{PORT}",
]  # fmt: skip


class GuardedApp:
    """A guard with an application that records requests."""

    def __init__(self) -> None:
        self.entered: list[str] = []
        self.client = "192.0.2.1"
        self.guard = Guard(self._app, PORT, ("127.0.0.1", "localhost"))

    async def _app(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        self.entered.append(scope["type"])
        if scope["type"] == "websocket":
            await send({"type": "websocket.accept"})
            return
        await send({"type": "http.response.start", "status": 200, "headers": [(b"x-from", b"app")]})
        await send({"type": "http.response.body", "body": b"the flock"})

    def ask(self, kind: str = "http", path: str = "/", query: str = "", **headers: str | None) -> list[Any]:
        """All messages of the response to a request."""
        return asyncio.run(self.answer(kind, path, query, **headers))

    async def answer(
        self, kind: str = "http", path: str = "/", query: str = "", method: str = "GET", **headers: str | None
    ) -> list[Any]:
        sent: list[Any] = []

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        async def receive() -> dict[str, Any]:
            raise AssertionError("a request that is refused is not read")

        scope = {
            "type": kind,
            "path": path,
            "query_string": query.encode(),
            "method": method,
            "client": (self.client, 1),
        }
        if kind == "websocket":
            del scope["method"]
        given = {"host": HOST, "origin": ORIGIN} | headers
        raw = [(name.encode(), value.encode()) for name, value in given.items() if value is not None]
        await self.guard({**scope, "headers": raw}, receive, send)
        return sent

    def cookie(self) -> str:
        """Redeem the launch token."""
        answer = self.ask(query=f"token={self.guard.launch_token}")
        assert answer[0]["status"] == 303
        return dict(answer[0]["headers"])[b"set-cookie"].decode().partition(";")[0]


@pytest.fixture
def guarded() -> GuardedApp:
    return GuardedApp()


def assert_refused(guarded: GuardedApp, answer: list[Any]) -> None:
    assert guarded.entered == []
    if answer[0]["type"] == "websocket.close":
        assert len(answer) == 1  # never accepted
    else:
        assert answer[0]["status"] == 403
        assert b"the flock" not in answer[1]["body"]


# S1
def test_foreign_origins_are_refused_before_a_socket_is_accepted(guarded: GuardedApp):
    assert len(FOREIGN_ORIGINS) >= 40
    cookie = guarded.cookie()
    for origin in FOREIGN_ORIGINS:
        assert_refused(guarded, guarded.ask("websocket", "/ws", origin=origin, cookie=cookie))
        for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS"):
            assert_refused(guarded, asyncio.run(guarded.answer(method=method, origin=origin, cookie=cookie)))
    for origin in (ORIGIN, f"http://localhost:{PORT}"):
        assert guarded.ask("websocket", "/ws", origin=origin, cookie=cookie) == [{"type": "websocket.accept"}]


# S2
@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_rebound_hosts_are_refused(kind: str, guarded: GuardedApp):
    assert len(FOREIGN_HOSTS) >= 20
    cookie = guarded.cookie()
    for host in FOREIGN_HOSTS:
        assert_refused(guarded, guarded.ask(kind, "/ws", host=host, cookie=cookie))
        # Nor is the token accepted under another name.
        guarded.guard.launch_token = "again"
        assert_refused(guarded, guarded.ask(kind, "/", query="token=again", host=host))
        assert guarded.guard.launch_token == "again"
    guarded.ask(kind, "/ws", host=f"localhost:{PORT}", cookie=cookie)
    assert guarded.entered == [kind]


# S3
@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_without_the_cookie_there_is_nothing(kind: str, guarded: GuardedApp):
    name, _, value = guarded.cookie().partition("=")
    wrong = [
        None, "", name, f"{name}=", f"{name}={value[:-1]}", f"{name}={value}x", f"{name}={value.swapcase()}",
        f"{name}x={value}", f"x{name}={value}", f"murmura_{PORT + 1}={value}", value, f"{name}:{value}",
        f'{name}="{value}', f"{name.upper()}={value}", f"x={name}={value}", f"{name}=é", "=" * 500, ";" * 500,
    ]  # fmt: skip
    for cookie in wrong:
        assert_refused(guarded, guarded.ask(kind, "/ws", cookie=cookie))
    assert guarded.ask(kind, "/ws", cookie=f"{name}={value}")
    assert guarded.entered == [kind]


def test_cookies_of_other_servers_on_this_host_do_no_harm(guarded: GuardedApp):
    """All ports share the cookie jar, and other servers put JSON and worse into it."""
    cookie = guarded.cookie()
    for jar in (f'settings={{"a": [1, 2]}}; {cookie}', f"{cookie}; odd name=1; =; x", f'q="; {cookie}; p="'):
        assert guarded.ask("http", "/", cookie=jar)[0]["status"] == 200


# S4
def test_the_launch_token_works_exactly_once(guarded: GuardedApp):
    token = guarded.guard.launch_token
    assert token is not None and len(token) >= 43  # 256 bits
    for wrong in ("x", token[:-1], token + "x", token.swapcase(), "é", "%00"):
        assert_refused(guarded, guarded.ask(query=f"token={wrong}"))
    assert_refused(guarded, guarded.ask(path="/api/actions", query=f"token={token}"))
    assert_refused(guarded, guarded.ask("websocket", "/ws", query=f"token={token}"))
    answer = guarded.ask(query=f"token={token}")
    assert answer[0]["status"] == 303
    headers = dict(answer[0]["headers"])
    assert headers[b"location"] == b"/"
    cookie = headers[b"set-cookie"].decode()
    assert f"murmura_{PORT}=" in cookie
    assert all(word in cookie for word in ("; HttpOnly", "; SameSite=Strict", "; Path=/"))
    assert token not in cookie
    assert_refused(guarded, guarded.ask(query=f"token={token}"))


def test_of_many_who_redeem_at_once_one_succeeds(guarded: GuardedApp):
    async def crowd() -> list[list[Any]]:
        query = f"token={guarded.guard.launch_token}"
        return await asyncio.gather(*(guarded.answer(query=query) for _ in range(200)))

    statuses = [answer[0]["status"] for answer in asyncio.run(crowd())]
    assert sorted(statuses) == [303] + [403] * 199


def test_every_answer_carries_the_security_headers(guarded: GuardedApp):
    cookie = guarded.cookie()
    guarded.guard.launch_token = "again"
    for answer in (guarded.ask(cookie=cookie), guarded.ask(), guarded.ask(query="token=again")):
        headers = dict(answer[0]["headers"])
        policy = headers[b"content-security-policy"].decode().split("; ")
        assert policy[0] == "default-src 'self'"
        assert {
            "connect-src 'self'",
            "script-src 'self'",
            "style-src 'self'",
            "frame-ancestors 'none'",
        } < set(policy)
        assert "unsafe" not in str(policy) and "*" not in str(policy) and "http" not in str(policy)
        assert headers[b"x-content-type-options"] == b"nosniff"
        assert headers[b"referrer-policy"] == b"no-referrer"
        assert headers[b"cross-origin-resource-policy"] == b"same-origin"
        assert b"access-control-allow-origin" not in headers
    assert dict(guarded.ask(cookie=cookie)[0]["headers"])[b"x-from"] == b"app"


def test_guards_share_no_secrets():
    first, second = GuardedApp(), GuardedApp()
    assert first.guard.launch_token != second.guard.launch_token
    assert_refused(second, second.ask("websocket", "/ws", cookie=first.cookie()))


def test_who_has_the_cookie_may_use_the_printed_address_again(guarded: GuardedApp):
    token = guarded.guard.launch_token
    cookie = guarded.cookie()
    again = guarded.ask(query=f"token={token}", cookie=cookie)
    assert (again[0]["status"], dict(again[0]["headers"])[b"location"]) == (303, b"/")
    refused = guarded.ask(query=f"token={token}")  # another browser
    assert refused[0]["status"] == 403
    assert b"press Enter in the terminal" in refused[1]["body"]
    assert guarded.ask(query=f"token={guarded.guard.renew()}")[0]["status"] == 303


def test_visitors_come_in_by_the_class_code_and_no_farther_than_the_page():
    guarded = GuardedApp()
    guarded.guard = Guard(guarded._app, PORT, ("127.0.0.1", "localhost"), code="KMP234")
    assert b"Class code" in guarded.ask()[1]["body"]
    assert_refused(guarded, guarded.ask(query="code=KMP235"))
    answer = guarded.ask(query="code=kmp234")
    assert answer[0]["status"] == 303
    cookie = dict(answer[0]["headers"])[b"set-cookie"].decode().partition(";")[0]
    seen: list[Any] = []

    async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
        seen.append((scope["path"], scope[VISITOR]))
        await send({"type": "http.response.start", "status": 200, "headers": []})

    guarded.guard._app = app
    for path in ("/", "/assets/x.js", "/api/actions", "/api/state", "/left/"):
        guarded.ask(path=path, cookie=cookie)
    assert seen == [("/", True), ("/assets/x.js", True)]
    seen.clear()
    guarded.ask(path="/api/actions", cookie=guarded.cookie())
    assert seen == [("/api/actions", False)]


def test_who_guesses_codes_is_made_to_wait_and_nobody_else(monkeypatch: pytest.MonkeyPatch):
    guarded = GuardedApp()
    guarded.guard = Guard(guarded._app, PORT, ("127.0.0.1", "localhost"), code="KMP234")
    for k in range(MOST_GUESSES):
        assert guarded.ask(query=f"code=A{k}")[0]["status"] == 403
    assert guarded.ask(query="code=KMP234")[0]["status"] == 403
    guarded.client = "192.0.2.2"  # the others of the class still come in
    assert guarded.ask(query="code=KMP234")[0]["status"] == 303
    assert len(class_code()) == 6 and class_code() != class_code()
    assert (
        guarded.ask(query=f"token={guarded.guard.launch_token}")[0]["status"] == 303
    )  # the host still has access
    monkeypatch.setattr(guard, "MOST_ADDRESSES", 3)
    for k in range(9):
        guarded.client = f"198.51.100.{k}"
        guarded.ask(query="code=A")
    assert len(guarded.guard._guesses) == 3


def test_assets_are_kept_by_browsers_and_nothing_else_is(live: Live):
    """Their names contain a hash of their content, so both halves of a comparison and later starts load them once."""
    kept = {
        path: live.get(path, Cookie=live.cookie)[1]["cache-control"] for path in ("/assets/index.js", "/")
    }
    assert kept == {"/assets/index.js": "private, max-age=31536000, immutable", "/": "no-store"}
