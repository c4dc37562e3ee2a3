"""Clients that stay silent, come and go, or send invalid messages (R12, R13, R14, S4, S7).

The counts are small here; MURMURA_LONG=1 sets the full ones.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, WebSocketException

from murmura.view.server import connections, line, web_socket
from murmura.view.session.session import Session
from tests.sizes import size
from tests.view.live import PATIENCE, Live, Page, flock, stalled_client, until

CHURN = size(100, 10_000)
GARBAGE = size(40, 2_000)  # connections of 50 messages each


UNREAD = bytes(32 << 20)  # more than the system's buffers of a connection can hold


# R12
def test_who_stays_silent_is_cut_off_though_their_socket_stays_open(
    built_page: Path, monkeypatch: pytest.MonkeyPatch
):
    """They never read, so a regular close would never complete; a page that answers stays."""
    monkeypatch.setattr(line, "CLOSE_SECONDS", 1e9)  # only the missed pong may end them
    with Live(Session(flock(), 1, "reference")) as live, ExitStack() as lines:
        silent = [lines.enter_context(stalled_client(live)) for _ in range(5)]
        until(lambda: len(live.pages) == len(live.sockets) == 5)
        stalled = live.sockets
        for one in stalled:
            live.loop.call_soon_threadsafe(one.transport.write, UNREAD)
        page = lines.enter_context(live.page())
        page.wait("frame")
        live.put_clock_forward(web_socket.PING_SECONDS)
        until(lambda: sum(one.pongs for one in live.sockets) == 1)  # the page has answered
        until(lambda: sum(one.pong_timer is not None for one in live.sockets) == 5)
        live.put_clock_forward(web_socket.PONG_SECONDS)
        until(lambda: len(live.pages) == 1 and not set(stalled) & set(live.sockets))
        page.frames = 0
        while page.frames < 3:
            page.take()
        for client in silent:  # the data that they can still read ends
            with contextlib.suppress(ConnectionResetError):
                while client.recv(1 << 20):
                    pass


GET = b"GET / HTTP/1.1\r\nHost: {host}\r\n\r\n"
POST = b"POST / HTTP/1.1\r\nHost: {host}\r\nContent-Length: 1000000\r\n\r\n"


@pytest.mark.parametrize(
    ("first", "drop"),
    [(b"", b"G"), (GET, b"G"), (GET + b"GET / HTTP/1.1\r\nX: ", b"x"), (POST, b"x")],
    ids=["a header", "a second header", "a second header, begun with the first", "a body"],
)
def test_who_sends_drop_by_drop_is_cut_off(first: bytes, drop: bytes, page: Page, live: Live):
    """A client without a cookie sends a byte per second and never completes its request."""
    with socket.create_connection(("127.0.0.1", live.port), timeout=0.02) as slow:
        slow.sendall(first.replace(b"{host}", live.host.encode()))
        begun, is_open = time.monotonic(), True
        while is_open:
            assert time.monotonic() < begun + PATIENCE, "it was never cut off"
            live.put_clock_forward(1.0)
            try:
                slow.sendall(drop)
                is_open = bool(slow.recv(10_000))
            except TimeoutError:
                continue
            except OSError:
                is_open = False
    page.wait("frame")


def test_text_that_is_none_ends_a_conversation_without_a_traceback(
    live: Live, caplog: pytest.LogCaptureFixture
):
    with live.connect() as client:
        no_text = bytes([0x81, 0x80 | 3]) + bytes(4) + b"\xff\xfe{"
        client.socket.sendall(no_text * 2)  # the second arrives after the close frame
        with contextlib.suppress(ConnectionClosed):
            while True:
                client.recv(timeout=PATIENCE)
        assert client.close_code == 1007
    assert not caplog.records


def test_a_request_that_is_never_finished_is_cut_off(page: Page, live: Live):
    page.wait("frame")
    with socket.create_connection(("127.0.0.1", live.port), timeout=PATIENCE) as slow:
        slow.sendall(b"GET / HTTP/1.1\r\nHost: ")
        until(lambda: any(getattr(one, "has_begun", False) for one in live.connections))
        live.put_clock_forward(connections.REQUEST_SECONDS)
        assert slow.recv(100).startswith(b"HTTP/1.1 408 Request Timeout\r\n")
    page.frames = 0
    while page.frames < 3:  # a page has asked, and stays
        page.take()


# R13
def test_pages_that_come_and_go_at_any_moment_leave_nothing_behind(live: Live):
    def tasks() -> int:
        return len(asyncio.all_tasks(live.loop))

    until(lambda: not live.pages)
    before, files = tasks(), _open_files()
    random = Random(13)
    upgrade = (
        f"GET /ws HTTP/1.1\r\nHost: {live.host}\r\nOrigin: {live.origin}\r\nCookie: {live.cookie}\r\n"
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    ).encode()
    for _ in range(CHURN):
        with socket.create_connection(("127.0.0.1", live.port), timeout=PATIENCE) as raw:
            sent = random.choice([0, random.randrange(len(upgrade)), len(upgrade)])
            raw.sendall(upgrade[:sent])
            if sent == len(upgrade) and random.random() < 0.7:
                raw.recv(random.choice([1, 200, 60_000]))
                if random.random() < 0.5:
                    raw.sendall(bytes([0x81, 0x80 | 17]) + bytes(4) + b'{"type": "ready"}')
            if random.random() < 0.3:  # reset instead of a close frame
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, bytes([1, 0, 0, 0, 0, 0, 0, 0]))
    until(lambda: not live.pages)
    until(lambda: tasks() <= before)
    if files:
        until(lambda: _open_files() <= files + 5)
    with live.page() as page:
        page.wait("frame")


def _open_files() -> int:
    return len(os.listdir("/proc/self/fd")) if os.path.exists("/proc/self/fd") else 0


# R14
def test_bytes_that_are_no_messages_end_a_connection_and_nothing_else(
    live: Live, caplog: pytest.LogCaptureFixture
):
    """Random bytes, split and broken frames, wrong UTF-8, false lengths; fifty per connection."""
    random = Random(14)
    with live.page() as page:
        before = page.still(flock(30))
        with caplog.at_level(logging.ERROR):
            for _ in range(GARBAGE):
                with contextlib.suppress(OSError), contextlib.closing(stalled_client(live)) as client:
                    for _ in range(50):
                        client.sendall(_garbage(random))
            until(lambda: len(live.pages) == 1)
        assert not caplog.records, caplog.records[:3]
        status = page.status()
        assert (status["hash"], status["step"], status["running"]) == (before, 0, False)
        assert page.ask("step", count=2)["step"] == 2


def _garbage(random: Random) -> bytes:
    body = random.choice(
        [
            random.randbytes(random.randrange(60)),
            b'{"type": "nonsense"}',
            b"\xff\xfe{",
            b"[" * 100,
            b"NaN",
            b"{" * 9,
        ]
    )
    kind = random.choice([0x81, 0x81, 0x81, 0x01, 0x80, 0x00, 0x89, 0x8A, 0x82, 0x83, 0xF1])
    size = random.choice([len(body)] * 6 + [random.randrange(126)])
    whole = bytes([kind, random.choice([0x80] * 9 + [0]) | min(size, 125)]) + bytes(4) + body
    return whole[: random.choice([len(whole)] * 8 + [random.randrange(len(whole))])]


# S4
def test_of_a_thousand_who_redeem_the_token_at_once_one_succeeds(built_page: Path):
    live = Live(Session(flock(5), 1, "reference"))
    try:
        live.serve()

        def redeem(_: int) -> int:
            while True:
                with contextlib.suppress(ConnectionError):
                    return live.get(f"/?token={live.token}")[0]

        with ThreadPoolExecutor(16) as crowd:
            answers = list(crowd.map(redeem, range(1000)))
        assert sorted(answers) == [303] + [403] * 999
    finally:
        live.close()


# S7
def test_bombs_are_refused_without_a_bang(live: Live):
    """A message that claims to be huge is refused before anything is allocated."""
    bombs: list[dict[str, Any]] = [
        {"type": "load", "scenario": {"agents": 10**12}},
        {"type": "set", "values": {"agents": 10**12}},
        {"type": "set", "values": {"agents": 5_000_000, "world.width": 1e6, "world.height": 1e6}},
        {"type": "load", "scenario": {"world": {"width": 1e300, "height": 1e300}}},
        {"type": "place", "kind": "wall", "points": [[0.0, 0.0], [1e308, 1e308]]},
    ]
    deep = [
        "[" * 60_000,
        '{"type":' * 8_000,
        '{"type": "set", "values": ' + '{"a":' * 5000 + "1" + "}" * 5000 + "}",
    ]
    with live.page() as page:
        before = page.still(flock(20))
        room = _memory()
        for bomb in [json.dumps(b) for b in bombs] + deep:
            page.newest.pop("error", None)
            begun = time.monotonic()
            page.socket.send(bomb)
            page.wait("error")
            assert time.monotonic() - begun < 10.0  # a tenth of a second on an idle machine
        assert _memory() < room + 50.0
        assert page.status()["hash"] == before
        # A frame that claims a gigabyte: refused by its header alone.
        with contextlib.closing(stalled_client(live)) as client:
            client.sendall(bytes([0x82, 0xFF]) + (2**30).to_bytes(8, "big") + bytes(4))
            until(lambda: len(live.pages) == 1)
        assert _memory() < room + 50.0


def _memory() -> float:
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def test_a_flooder_who_does_not_read_is_let_go(built_page: Path, monkeypatch: pytest.MonkeyPatch):
    """They are disconnected after a close frame that they never read, and their buffers are freed."""
    monkeypatch.setattr(line, "CLOSE_SECONDS", 0.3)
    big = flock(20_000).with_values({"world.width": 9000.0, "world.height": 5000.0})
    with Live(Session(big, 1, "cpu", 1)) as live, stalled_client(live) as client:
        until(lambda: live.session.frame_number)  # one, or two if the first was sent before they connected
        with contextlib.suppress(OSError):
            for _ in range(500):
                client.sendall(bytes([0x81, 0x80 | 17]) + bytes(4) + b'{"type": "ready"}')
        until(lambda: not live.pages)
        until(lambda: not live.connections)


def test_a_refused_handshake_is_told_apart_from_a_broken_one(live: Live):
    with pytest.raises(WebSocketException), live.connect(origin="http://evil.example"):
        pass
