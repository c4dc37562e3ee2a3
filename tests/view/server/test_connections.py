"""Whatever a client sends, or does not send, it gets an answer and its connection ends (issue 29, point 19)."""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from benchmarks.live_client import LiveServer

from murmura.view.server import connections, serving
from murmura.view.session.session import Session
from tests.view.live import PATIENCE, Live, Page, flock, until

HANDSHAKE = (
    "Host: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
)
MANY = "".join(f"X-{k}: y\r\n" for k in range(200))
BAD = {
    "a long request line": (f"GET /ws?{'0' * 9000} HTTP/1.1\r\n{HANDSHAKE}\r\n", 403),
    "a long header": (f"GET /ws HTTP/1.1\r\n{HANDSHAKE}Cookie: a={'0' * 9000}\r\n\r\n", 403),
    "many headers": (f"GET /ws HTTP/1.1\r\n{HANDSHAKE}{MANY}\r\n", 403),
    "a body": (f"GET /ws HTTP/1.1\r\n{HANDSHAKE}Content-Length: 5\r\n\r\nhello", 400),
    "a chunked body": (f"GET /ws HTTP/1.1\r\n{HANDSHAKE}Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n", 400),
    "no key": ("GET /ws HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n", 400),
    "a zero byte": ("GET /assets/a%00b HTTP/1.1\r\nHost: {host}\r\n\r\n", 400),
    "no HTTP": ("HELO flock\r\n\r\n", 400),
    "too long a line": (f"GET /ws?{'0' * 300_000}", 431),
    "too long a head": (f"GET /ws HTTP/1.1\r\n{HANDSHAKE}" + f"X: {'0' * 1000}\r\n" * 300, 431),
    "too many lines": (f"GET /ws HTTP/1.1\r\n{HANDSHAKE}" + "X: y\r\n" * 1001, 431),
    "too large a body": ("POST / HTTP/1.1\r\nHost: {host}\r\nContent-Length: 1000000\r\n\r\n", 413),
    "too many chunks": (
        "POST / HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\n\r\n" + "8000\r\n" + "x" * 0x8000 + "\r\n"
        "8000\r\n" + "x" * 0x8000 + "\r\n8000\r\n" + "x" * 100, 413,
    ),
}  # fmt: skip


def dial(live: Live) -> socket.socket:
    return socket.create_connection(("127.0.0.1", live.port), timeout=PATIENCE)


def answer(line: socket.socket) -> bytes:
    """Everything until the server ends the connection."""
    said = b""
    while piece := line.recv(1 << 16):
        said += piece
    return said


@pytest.mark.parametrize(("sent", "status"), BAD.values(), ids=BAD)
def test_every_refusal_has_an_answer_and_ends_the_connection(sent: str, status: int, live: Live):
    with dial(live) as line:
        line.sendall(sent.replace("{host}", live.host).encode())
        said = answer(line)
    head, _, body = said.partition(b"\r\n\r\n")
    assert head.startswith(f"HTTP/1.1 {status} ".encode())
    assert b"\r\nconnection: close\r\n" in head.lower() and b"nosniff" in head
    assert body.startswith(f"{status}: ".encode()) and len(body) > 8


def test_what_was_begun_is_told_that_it_took_too_long_and_silence_just_ends(live: Live):
    for sent, begins in ((b"", b""), (b"GET /ws HTTP/1.1\r\nHo", b"HTTP/1.1 408 ")):
        until(lambda: not live.connections)
        with dial(live) as line:
            line.sendall(sent)
            until(lambda sent=sent: [one.has_begun for one in live.connections] == [bool(sent)])
            live.put_clock_forward(connections.REQUEST_SECONDS)
            said = answer(line)
        assert said.startswith(begins) and bool(said) == bool(begins)


@pytest.fixture
def hurried(built_page: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Live]:
    """A server with short deadlines."""
    monkeypatch.setattr(connections, "REQUEST_SECONDS", 1.0)
    monkeypatch.setattr(connections, "LINGER_SECONDS", 0.1)
    with Live(Session(flock(10), 1, "reference")) as found:
        yield found


def test_three_hundred_bad_handshakes_are_answered_and_closed(
    hurried: Live, caplog: pytest.LogCaptureFixture
):
    """They keep their side open, as `sleep 100 | nc` does; the owner's page opens beside them."""
    kinds = [sent.replace("{host}", hurried.host).encode() for sent, _ in BAD.values()]
    silent = [b"", b"GET /ws HTTP/1.1\r\n"]
    begun = time.monotonic()
    with ExitStack() as lines:
        crowd = []
        for k in range(300):
            crowd.append(lines.enter_context(dial(hurried)))
            crowd[-1].sendall([*kinds, *silent][k % (len(kinds) + len(silent))])
        with hurried.page() as page:
            page.wait("frame")
        said = [answer(line) for line in crowd]
        until(lambda: not hurried.connections)
    assert time.monotonic() - begun < 10.0  # the deadline is 1 s
    refused = [re.match(rb"HTTP/1.1 (4\d\d|503) ", one) is not None for one in said]
    assert sum(refused) >= 300 - 300 // len(kinds) and not caplog.records


def test_the_one_that_waited_longest_makes_room(built_page: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(serving, "MOST_WAITING", 4)
    with Live(Session(flock(10), 1, "reference")) as live, ExitStack() as lines:
        until(lambda: not live.connections)
        crowd = [lines.enter_context(dial(live)) for _ in range(6)]
        assert answer(crowd[0]).startswith(b"HTTP/1.1 503 ") and answer(crowd[1]).startswith(b"HTTP/1.1 503 ")
        assert live.get("/", Cookie=live.cookie)[0] == 200
        until(
            lambda: len(live.connections) == 3
        )  # the page's request took the third one's place and has ended


def test_the_cookies_of_other_programs_do_not_lock_the_owner_out(live: Live):
    """Programs such as Jupyter leave more than 8 kB of cookies for 127.0.0.1, which browsers send to every port."""
    others = "; ".join(f"_xsrf_{k}={'x' * 1000}" for k in range(40))
    assert live.get("/", Cookie=f"{others}; {live.cookie}")[0] == 200
    with live.connect(additional_headers={"Cookie": f"{others}; {live.cookie}"}) as line:
        assert json.loads(line.recv(timeout=PATIENCE))["type"] == "hello"


def test_requests_on_one_connection_are_answered_in_turn(live: Live):
    """Pipelined requests, HEAD, HTTP/1.0 and "Expect: 100-continue"."""
    head = f"Host: {live.host}\r\nCookie: {live.cookie}\r\nOrigin: {live.origin}\r\n"
    with dial(live) as line:
        line.sendall((f"GET /assets/index.js HTTP/1.1\r\n{head}\r\n" * 3).encode())
        line.sendall(
            f"HEAD / HTTP/1.1\r\n{head}\r\nGET / HTTP/1.1\r\n{head}Connection: close\r\n\r\n".encode()
        )
        said = answer(line)
    assert (
        said.count(b"HTTP/1.1 200 OK") == 5 and said.count(b"let flock;") == 3 and said.count(b"<title>") == 1
    )
    with dial(live) as line:
        line.sendall(f"GET /assets/index.js HTTP/1.0\r\n{head}\r\n".encode())
        assert answer(line).endswith(b"\r\n\r\nlet flock;")
    with dial(live) as line:
        wanted = f"POST /api/record HTTP/1.1\r\n{head}Expect: 100-continue\r\nConnection: close\r\n"
        line.sendall(f"{wanted}Content-Length: 2\r\n\r\n".encode())
        assert line.recv(100).startswith(b"HTTP/1.1 100 ")
        line.sendall(b"{}")
        assert answer(line).startswith(b"HTTP/1.1 400 ")


def test_an_error_of_the_application_is_answered_and_told_once(
    live: Live, page: Page, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    def fails() -> dict[str, Any]:
        raise RuntimeError("no record")

    monkeypatch.setattr(live.session.source, "record", fails)
    assert live.get("/api/actions", Cookie=live.cookie)[0] == 500
    until(lambda: caplog.records)
    assert [entry.getMessage() for entry in caplog.records] == ["a request could not be answered"]
    page.wait("frame")


def test_frames_in_pieces_and_with_the_handshake_are_read(live: Live):
    """A client may send its first message together with the handshake, and a message in fragments."""
    head = HANDSHAKE.replace("{host}", live.host) + f"Origin: {live.origin}\r\nCookie: {live.cookie}\r\n\r\n"
    word = b'{"type": "nonsense"}'
    first, rest = word[:7], word[7:]
    early = bytes([0x01, 0x80 | len(first)]) + bytes(4) + first
    late = bytes([0x80, 0x80 | len(rest)]) + bytes(4) + rest
    with dial(live) as line:
        line.sendall(f"GET /ws HTTP/1.1\r\n{head}".encode() + early)
        line.sendall(bytes([0x89, 0x82]) + bytes(4) + b"hi" + late)  # a ping between the fragments
        said = b""
        while b"unknown command 'nonsense'" not in said or b"\x8a\x02hi" not in said:
            said += line.recv(1 << 16)
    assert said.startswith(b"HTTP/1.1 101 Switching Protocols\r\n")


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such limit")
def test_when_descriptors_run_out_the_owners_page_still_opens(tmp_path: Path):
    """64 descriptors and 300 connections that send nothing: a line of warning at most, no traceback."""
    told = tmp_path / "stderr"
    command = [
        "sh", "-c", 'ulimit -n 64; exec "$@"', "sh", sys.executable, "-m", "murmura", "live", "classic", "--agents",
        "20", "--backend", "reference", "--no-open", "--port", "0",
    ]  # fmt: skip
    with (
        told.open("w") as stderr,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr, text=True) as process,
        ExitStack() as lines,
    ):
        try:
            assert process.stdout is not None
            found = None
            while found is None:
                found = re.search(r"127\.0\.0\.1:(\d+)/\?token=([\w-]+)", process.stdout.readline())
            port = int(found[1])
            for k in range(300):
                line = lines.enter_context(socket.create_connection(("127.0.0.1", port), timeout=PATIENCE))
                with contextlib.suppress(ConnectionError):
                    line.sendall(f"GET /ws?{'0' * 9000} HTTP/1.1\r\n"[: 9000 * (k % 2)].encode())
            owner = LiveServer(process, port, found[2])
            assert owner.get("/")[0] == 200
            with owner.connect() as page:
                assert isinstance(page.recv(), str)
        finally:
            process.terminate()
        assert process.stdout.read().endswith("murmura: stopped\n")
        assert process.wait(PATIENCE) == 0
    said = told.read_text()
    assert "Traceback" not in said and len(said) < 500
