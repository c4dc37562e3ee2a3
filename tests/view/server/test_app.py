"""The server over real sockets: routes, cookies, files, and clients that connect, stall and disconnect."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.routing import Mount, Route, WebSocketRoute
from websockets.exceptions import ConnectionClosed, InvalidStatus

from murmura.core.errors import BackendError
from murmura.view.server import app as server
from murmura.view.server import files
from murmura.view.session.session import Session
from murmura.view.session.subscriber import Subscriber
from tests.sizes import size
from tests.view.live import PATIENCE, Live, Page, flock, stalled_client, until


def paths_of(live: Live) -> list[tuple[str, bool]]:
    """Every route of the application, and whether it is a socket."""
    found = []
    for route in live.app._app.routes:  # type: ignore[attr-defined]
        assert isinstance(route, Route | WebSocketRoute | Mount)
        path = route.path + "/index.js" if isinstance(route, Mount) else route.path
        found.append((path, isinstance(route, WebSocketRoute)))
    return found


# S3
def test_every_route_needs_the_cookie(live: Live, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(files, "page_of", lambda *_: b"a page")  # exporting one takes seconds
    routes = paths_of(live)
    assert {path for path, _ in routes} >= {"/", "/ws", "/api/actions", "/assets/index.js"}
    name = live.cookie.partition("=")[0]
    for path, is_socket in routes:
        for cookie in ("", f"{name}=wrong", f"other={live.cookie.partition('=')[2]}"):
            if is_socket:
                with (
                    pytest.raises(InvalidStatus) as refusal,
                    live.connect(additional_headers={"Cookie": cookie}),
                ):
                    pass
                assert refusal.value.response.status_code == 403
            else:
                for method in ("GET", "HEAD", "POST", "DELETE"):
                    assert live.get(path, method, Cookie=cookie, Origin=live.origin)[0] == 403
        if not is_socket and not path.startswith("/compare"):  # until a page begins a comparison
            assert live.get(path, Cookie=live.cookie)[0] == 200


# S1, S2
def test_foreign_pages_and_rebound_names_get_403_from_the_real_server(live: Live):
    for origin in (
        None,
        "null",
        "http://evil.example",
        f"https://{live.host}",
        f"http://127.0.0.1:{live.port + 1}",
    ):
        with pytest.raises(InvalidStatus) as refusal, live.connect(origin=origin):
            pass
        assert refusal.value.response.status_code == 403
        assert b"MRM1" not in (refusal.value.response.body or b"")
    for host in ("evil.example", f"evil.example:{live.port}", "127.0.0.1", f"[::1]:{live.port}"):
        status, headers, body = live.get("/", Host=host, Cookie=live.cookie)
        assert (status, b"<title>" in body) == (403, False)
        assert "set-cookie" not in headers


# S4
def test_two_hundred_redeem_the_token_at_once_and_one_succeeds(built_page: Path):
    with Live(Session(flock(5), 1, "reference")) as fresh:
        fresh.app.launch_token = "once"
        with ThreadPoolExecutor(16) as crowd:
            statuses = list(crowd.map(lambda _: fresh.get("/?token=once")[0], range(200)))
    assert sorted(statuses) == [303] + [403] * 199


def test_the_page_and_its_files_come_with_security_headers(live: Live):
    for path in ("/", "/assets/index.js", "/api/actions", "/assets/none.js"):
        status, headers, body = live.get(path, Cookie=live.cookie)
        assert status == (404 if "none" in path else 200)
        assert "default-src 'self'" in headers["content-security-policy"]
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert live.token not in body.decode()
    assert live.get("/", Cookie=live.cookie)[2] == b"<!doctype html><title>flock</title>"
    assert live.get("/assets/index.js", Cookie=live.cookie)[2] == b"let flock;"


PIECES = ["..", "%2e%2e", "%252e%252e", ".%2e", "....", "/", "%2f", "\\", "%5c", "%00", "secret.txt", "index.html",
          "etc", "passwd", "assets", "C:", "CON", "~", "file:", "//", "\\\\host", "%c0%ae"]  # fmt: skip


# S5
@settings(max_examples=size(60, 200), deadline=None, derandomize=True)
@given(
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=7),
    st.sampled_from(["/assets/", "/", "/assets/../"]),
)
def test_no_path_leads_out_of_the_assets(
    traversal: tuple[Live, http.client.HTTPConnection], pieces: list[str], root: str
):
    live, connection = traversal
    connection.putrequest("GET", root + "/".join(pieces), skip_host=True)
    for name, value in (("Host", live.host), ("Cookie", live.cookie)):
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    body = answer.read()
    assert b"secret" not in body and b"root:" not in body
    if answer.status == 307:  # with and without a slash
        assert str(answer.getheader("location")).startswith(f"{live.origin}/")
        return
    assert answer.status in (400, 403, 404, 405) or body in (
        b"let flock;",
        b"<!doctype html><title>flock</title>",
    )


@pytest.fixture(scope="module")
def traversal(live: Live) -> Any:
    connection = http.client.HTTPConnection("127.0.0.1", live.port, timeout=PATIENCE)
    yield live, connection
    connection.close()


def test_links_that_leave_the_assets_are_not_followed(live: Live, built_page: Path):
    os.symlink(built_page.parent / "secret.txt", built_page / "assets" / "link.txt")
    assert live.get("/assets/link.txt", Cookie=live.cookie)[0] == 404


def test_a_page_is_greeted_then_shown_the_flock(live: Live):
    with live.connect() as connection:
        hello = json.loads(connection.recv(timeout=PATIENCE))
        assert hello["type"] == "hello"
        kinds = set()
        while not kinds >= {"frame", "status"}:
            message = connection.recv(timeout=PATIENCE)
            kinds.add("frame" if isinstance(message, bytes) else json.loads(message)["type"])
        assert kinds <= {"frame", "status", "inspect"}


def test_the_next_frame_comes_only_when_asked_for(page: Page, live: Live):
    page.send("play")
    page.wait("frame")
    page.wait("frame")
    with live.connect() as silent:
        frames, statuses = 0, 0
        while statuses < 4:  # status messages continue, frames do not
            message = silent.recv(timeout=PATIENCE)
            frames += isinstance(message, bytes)
            statuses += isinstance(message, str) and json.loads(message)["type"] == "status"
        assert frames == 1
        silent.send('{"type": "ready"}')
        while not isinstance(silent.recv(timeout=PATIENCE), bytes):
            pass


def test_what_one_page_does_every_page_hears(live: Live):
    with live.page() as one, live.page() as other:
        one.still(flock(20))
        other.wait("status", lambda status: status["agents"] == 20 and not status["running"])
        other.send("step", count=4)
        one.wait("status", lambda status: status["step"] == 4)
        assert one.seen_at(4).count == 20
        assert other.seen_at(4).count == 20
        one.send("set", values={"rules.cohesion.weight": 0.25})
        assert other.wait("values")["values"] == {"rules.cohesion.weight": 0.25}


def _masked(text: str) -> bytes:
    """A text frame of a client; the mask of zeros leaves the text unchanged."""
    data = text.encode()
    assert len(data) < 126
    return bytes([0x81, 0x80 | len(data)]) + bytes(4) + data


# R11
def test_stalled_clients_do_not_slow_a_healthy_one(built_page: Path):
    """They request frame after frame of 160 kB and read none; the healthy client still gets sixty per second."""
    big = flock(20_000).with_values({"world.width": 9000.0, "world.height": 5000.0})
    with Live(Session(big, 1, "cpu", 1)) as live:
        with ExitStack() as lines:
            stalled = [lines.enter_context(stalled_client(live)) for _ in range(12)]
            page = lines.enter_context(live.page())
            first, begun = page.wait("status")["step"], time.monotonic()
            for _ in range(60):
                for client in stalled:
                    client.sendall(_masked('{"type": "ready"}'))
                page.wait("frame")
            # A second on an idle machine. Waiting for the stalled clients would take 30 s, until they are cut off.
            assert time.monotonic() - begun < 25.0
            page.wait("status", lambda status: status["step"] > first)
            assert len(live.pages) == 13
        until(lambda: not live.pages)


# R13
def test_pages_that_leave_leave_nothing_behind(live: Live):
    until(lambda: not live.pages)
    files = len(os.listdir("/proc/self/fd")) if os.path.exists("/proc/self/fd") else 0
    for turn in range(30):
        with live.connect() as connection:
            if turn % 3 == 0:
                connection.recv(timeout=PATIENCE)
            if turn % 3 == 1:
                connection.socket.shutdown(socket.SHUT_RDWR)  # without a close frame
    for _ in range(10):  # and in the middle of the handshake
        with socket.create_connection(("127.0.0.1", live.port)) as raw:
            raw.sendall(b"GET /ws HTTP/1.1\r\nHost: ")
    until(lambda: not live.pages)
    if files:
        until(lambda: len(os.listdir("/proc/self/fd")) <= files + 5)
    with live.page() as page:
        page.wait("frame")


def test_a_client_too_many_is_turned_away(live: Live, monkeypatch: pytest.MonkeyPatch):
    until(lambda: not live.pages)
    monkeypatch.setattr(server, "MOST_CLIENTS", 2)
    with live.connect() as first, live.connect() as second:
        first.recv(timeout=PATIENCE)
        second.recv(timeout=PATIENCE)
        with pytest.raises(InvalidStatus), live.connect():
            pass
    until(lambda: not live.pages)
    with live.connect() as again:
        again.recv(timeout=PATIENCE)


def test_a_port_that_is_taken_is_passed_over():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        busy = taken.getsockname()[1]
        with server.listen("127.0.0.1", busy) as found:
            assert found.getsockname()[1] > busy
    for wrong in (-1, 65536, 10**9):
        with pytest.raises(BackendError, match="a port is a number from 1 to 65535, or 0 for any free one"):
            server.listen("127.0.0.1", wrong)


def test_closing_the_session_ends_its_thread():
    session = Session(flock(10), 1, "reference")
    heard = threading.Event()
    session.add_listener(heard.set)
    try:
        session.open()
        assert heard.wait(PATIENCE)
        assert session._thread.is_alive()
    finally:
        session.close()
    assert not session._thread.is_alive()
    heard.clear()
    step = session.status["step"]
    session.submit({"type": "step", "count": 3}, lambda reason: None)
    assert session.status["step"] == step
    Session(flock(10), 1, "reference").close()  # one that was never opened


def test_a_page_whose_sender_fails_is_closed_so_that_it_connects_again(
    live: Live, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    whole = Subscriber.updates

    def fails(self: Subscriber) -> Iterator[str | bytes]:
        monkeypatch.setattr(Subscriber, "updates", whole)
        raise RuntimeError("no more")
        yield b""

    monkeypatch.setattr(Subscriber, "updates", fails)
    with live.connect() as line:
        with pytest.raises(ConnectionClosed):
            line.recv(timeout=PATIENCE)
        assert line.close_code == 1011
    assert "no more" in caplog.text
    with live.page() as page:
        page.wait("frame")


def test_a_ctrl_c_that_asyncio_forgets_stops_the_server_too(
    built_page: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """The runner resets its interrupt counter after installing its handler: a signal in between only cancels."""

    def forgets(self: asyncio.Runner, serving: Any) -> None:
        raise asyncio.CancelledError

    monkeypatch.setattr(asyncio.Runner, "run", forgets)
    monkeypatch.setattr(server, "listen_for_enter", lambda renew: None)
    server.serve(Session(flock(10), 1, "reference"), open_page=False)
    assert capsys.readouterr().out.endswith("murmura: stopped\n")
