"""A client without a browser: starts `murmura live` as a user would, connects, and reads the messages.

Benchmarks, tests and checks of an installed package use it, so it talks to the server over sockets only.
"""

from __future__ import annotations

import base64
import contextlib
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from murmura.core.errors import RunError

PATIENCE = 60.0  # [s] for the first kernel to compile


class LiveServer:
    """A running `murmura live` and its cookie."""

    def __init__(self, process: subprocess.Popen[str], port: int, token: str) -> None:
        self.process = process
        self.port = port
        self.host = f"127.0.0.1:{port}"
        self.origin = f"http://{self.host}"
        self.cookie = self._redeem(token)

    def _redeem(self, token: str) -> str:
        status, headers, _ = self.get(f"/?token={token}", "")
        if status != 303:
            raise RunError(f"the live view refused its own launch token: HTTP {status}")
        return headers["set-cookie"].partition(";")[0]

    def get(self, path: str, cookie: str | None = None) -> tuple[int, dict[str, str], bytes]:
        """Request a path."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        with contextlib.closing(connection):
            connection.request("GET", path, headers={"Cookie": self.cookie if cookie is None else cookie})
            answer = connection.getresponse()
            return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()

    def connect(self) -> ClientConnection:
        """A WebSocket, as a page opens it."""
        return connect(
            f"ws://{self.host}/ws", origin=Origin(self.origin), additional_headers={"Cookie": self.cookie},
            compression=None, max_size=None, open_timeout=PATIENCE, ping_interval=None, proxy=None,
        )  # fmt: skip

    def stall(self, receive_buffer: int = 4096) -> socket.socket:
        """Open a WebSocket and read nothing after the handshake."""
        raw = socket.socket()
        try:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
            raw.settimeout(PATIENCE)
            raw.connect(("127.0.0.1", self.port))
            self._upgrade(raw)
        except BaseException:
            raw.close()
            raise
        return raw

    def _upgrade(self, raw: socket.socket) -> None:
        """Upgrade a connection to a WebSocket without reading beyond the response."""
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [
            "GET /ws HTTP/1.1", f"Host: {self.host}", f"Origin: {self.origin}", f"Cookie: {self.cookie}",
            "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {key}",
        ]  # fmt: skip
        raw.sendall("\r\n".join([*lines, "", ""]).encode())
        answer = b""
        while not answer.endswith(b"\r\n\r\n"):
            piece = raw.recv(1)
            if not piece:
                break
            answer += piece
        if not answer.startswith(b"HTTP/1.1 101"):
            raise RunError("the live view refused a client")

    def memory(self) -> float:
        """Memory of the server process [MB]; 0 if the system does not report it."""
        try:
            with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as facts:
                return int(facts.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
        except OSError:
            return 0.0

    def busy_seconds(self) -> float:
        """Processor time of the server process so far [s]; 0 if the system does not report it."""
        try:
            with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as facts:
                used = facts.read().rpartition(")")[2].split()[11:13]
            return sum(map(int, used)) / os.sysconf("SC_CLK_TCK")
        except OSError:
            return 0.0

    def open_files(self) -> int:
        try:
            return len(os.listdir(f"/proc/{self.process.pid}/fd"))
        except OSError:
            return 0


@contextmanager
def live_server(
    words: Sequence[str], command: Sequence[str] = (sys.executable, "-m", "murmura"), **options: Any
) -> Iterator[LiveServer]:
    """Run `murmura live` with these arguments in its own process; Ctrl-C ends it."""
    process = subprocess.Popen(
        [*command, "live", *words, "--no-open"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
    )  # fmt: skip
    try:
        port, token = _address(process)
        yield LiveServer(process, port, token)
    finally:
        if os.name == "posix":
            process.send_signal(signal.SIGINT)
        else:
            process.terminate()  # Windows cannot send Ctrl-C to a single process
        try:
            process.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()


def _address(process: subprocess.Popen[str]) -> tuple[int, str]:
    assert process.stdout is not None and process.stderr is not None
    for line in process.stdout:
        found = re.search(r"http://127\.0\.0\.1:(\d+)/\?token=([\w-]+)", line)
        if found:
            return int(found[1]), found[2]
    raise RunError(f"the live view did not start: {process.stderr.read().strip()}")


class Viewer:
    """Acts as a page: reads everything, requests the next frame at once, and counts."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self.times: list[float] = []
        self.steps: list[tuple[float, int]] = []
        self.frame = b""

    def take(self) -> str:
        """Receive one message; return its kind."""
        message = self._socket.recv()
        now = time.perf_counter()
        if isinstance(message, bytes):
            self.frame = message
            self.times.append(now)
            self.steps.append((now, int.from_bytes(message[4:8], "little")))
            self._socket.send('{"type": "ready"}')
            return "frame"
        return str(json.loads(message)["type"])

    def watch(self, seconds: float) -> None:
        """Read for some seconds."""
        self.times, self.steps = [], []
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            self.take()
