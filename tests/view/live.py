"""A live view for tests: a real server on a free port, and a page that speaks the protocol."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import itertools
import json
import math
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.live_client import LiveServer
from websockets.sync.client import ClientConnection, connect

import murmura as mm
from murmura.view.server.app import listen, make_app
from murmura.view.server.serving import Server
from murmura.view.server.web_socket import WebSocket
from murmura.view.session.session import Session

TOPS = (60.0, 1.0, 1.0, 255.0, 1.0, 1.0, 1.0, 3.0, *(1.0,) * 7)  # the value of byte 7 = 255, by column
MARKS = itertools.count(1)
PATIENCE = 60.0  # [s] much longer than anything takes, so that tests pass on a busy machine


def flock(agents: int = 60, **values: Any) -> mm.Scenario:
    # A page of another shape would change the world.
    shown = {"display.follow_window": False, "display.trails": True}
    return mm.load_scenario("classic").with_values({"agents": agents} | shown | values)


def until(true: Callable[[], Any]) -> None:
    """Wait for a condition caused by another thread."""
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.002)


def stalled_client(live: Live) -> socket.socket:
    """A client that never reads after the handshake."""
    server = object.__new__(LiveServer)  # without its own process
    server.port, server.host, server.origin, server.cookie = live.port, live.host, live.origin, live.cookie
    return server.stall()


class OptionalRecorder:
    """Records runs once a test has set `recorder`."""

    recorder: Any = None

    def start(self, session: Session) -> dict[str, Any]:
        found: dict[str, Any] = self.recorder.start(session)
        return found

    def stop(self) -> dict[str, Any]:
        found: dict[str, Any] = self.recorder.stop()
        return found

    def status(self) -> dict[str, Any]:
        return {"recording": False} if self.recorder is None else self.recorder.status()


class Live:
    """A session with a running server and its cookie."""

    def __init__(self, session: Session, code: str | None = None, lessons: Sequence[Path] = ()) -> None:
        self.session = session
        self._listener = listen("127.0.0.1", None)
        self.port = self._listener.getsockname()[1]
        self.host = f"127.0.0.1:{self.port}"
        self.origin = f"http://{self.host}"
        self.recorder = OptionalRecorder()
        self.app = make_app(session, self.port, recorder=self.recorder, code=code, lessons=lessons)
        self.token = str(self.app.launch_token)
        self.server = Server(self.app)
        self._thread = threading.Thread(target=lambda: asyncio.run(self.server.serve(self._listener)))
        self._ahead = 0.0  # [s] how far the server's clock was advanced

    def __enter__(self) -> Live:
        try:
            self.serve()
            self.session.open()
            status, headers, _ = self.get(f"/?token={self.token}")
            assert status == 303
            self.cookie = headers["set-cookie"].partition(";")[0]
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    def serve(self) -> None:
        """Start the server; the token has not been redeemed yet."""
        self._thread.start()
        until(lambda: self.server.loop is not None)

    def close(self) -> None:
        self.server.stop()
        if self._thread.ident is not None:
            self._thread.join(PATIENCE)
        self._listener.close()
        self.session.close()

    def put_clock_forward(self, seconds: float) -> None:
        """Advance the clock of the server's event loop, so that timers within this many seconds fire now."""
        loop, done = self.loop, threading.Event()

        def forward() -> None:
            self._ahead += seconds
            loop.time = lambda: time.monotonic() + self._ahead
            done.set()

        loop.call_soon_threadsafe(forward)
        assert done.wait(PATIENCE)

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The server's event loop."""
        assert self.server.loop is not None
        return self.server.loop

    @property
    def connections(self) -> list[Any]:
        """The server's ends of all connections."""
        return list(self.server.lines)

    @property
    def sockets(self) -> list[WebSocket]:
        """Those that are WebSockets."""
        return [line for line in self.connections if isinstance(line, WebSocket)]

    @property
    def pages(self) -> set[Any]:
        """The current subscribers."""
        found: set[Any] = self.app._app.state.notifier.events  # type: ignore[attr-defined]
        return found

    def get(self, path: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], bytes]:
        """Request a path; header names are keywords, with `_` for `-`."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        with contextlib.closing(connection):
            connection.request(method, path, headers=sent)
            answer = connection.getresponse()
            body = answer.read()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, body

    def connect(self, **options: Any) -> ClientConnection:
        return connect(
            f"ws://{self.host}/ws",
            **{
                "origin": self.origin,
                "additional_headers": {"Cookie": self.cookie},
                "compression": None,
                "max_size": None,
                "max_queue": 1 << 20,
                "open_timeout": PATIENCE,
                **options,
            },
        )

    @contextmanager
    def page(self) -> Iterator[Page]:
        with self.connect() as socket:
            yield Page(socket, self.session)


class Page:
    """Acts like the page in the browser: receives everything, answers each frame, keeps the newest of each kind."""

    def __init__(self, socket: ClientConnection, session: Session) -> None:
        self.socket = socket
        self._session = session
        self.newest: dict[str, dict[str, Any]] = {}
        self.frame: Frame | None = None
        self.frames = 0

    def send(self, kind: str, /, **values: Any) -> None:
        self.socket.send(json.dumps({"type": kind, **values}))

    def take(self) -> str:
        """Receive one message; return its kind."""
        message = self.socket.recv(timeout=PATIENCE)
        if isinstance(message, bytes):
            self.frame = Frame(message)
            self.frames += 1
            self.send("ready")
            return "frame"
        data = json.loads(message, parse_constant=lambda word: 1 / 0)
        self.newest[data["type"]] = data
        return str(data["type"])

    def wait(self, kind: str, true: Callable[[Any], Any] = lambda message: True) -> Any:
        """Receive until a message of this kind satisfies a condition."""
        deadline = time.monotonic() + PATIENCE
        while True:
            assert time.monotonic() < deadline, f"no such {kind}; the newest: {self.newest.get(kind)}"
            if self.take() == kind:
                message = self.frame if kind == "frame" else self.newest[kind]
                if true(message):
                    return message

    def ask(self, kind: str, /, **values: Any) -> dict[str, Any]:
        """Send a command and return the status after it; commands are executed in order."""
        self.send(kind, **values)
        return self.status()

    def status(self) -> dict[str, Any]:
        """A status that is newer than everything sent so far: a unique speed marks the moment."""
        mark = 1.0 + next(MARKS) / 2.0**20
        self.send("speed", value=mark)
        found: dict[str, Any] = self.wait("status", lambda status: status["speed"] == mark)
        return found

    def refusal(self, kind: str, /, **values: Any) -> str:
        """Send an invalid command; return the reason of its refusal."""
        self.send(kind, **values)
        error = self.wait("error")
        assert error["about"] == kind
        return str(error["message"])

    def still(self, scenario: mm.Scenario) -> str:
        """Load a scenario, paused at step 0; return its hash."""
        self.send("pause")
        self.send("load", scenario=scenario.model_dump(mode="json"))
        status = self.ask("pointer", x=0, y=0, mode="none")
        assert (status["step"], status["running"], status["agents"]) == (0, False, scenario.agents)
        return str(status["hash"])

    def seen_at(self, step: int) -> Frame:
        """The frame of this step of the current flock, which is paused there."""

        def fits(frame: Frame | None) -> bool:
            return frame is not None and (frame.step, frame.epoch) == (step, self._session.source.epoch)

        if not fits(self.frame):
            self.wait("frame", fits)
        assert self.frame is not None
        return self.frame


class Frame:
    """A binary message, decoded field by field at the documented offsets."""

    def __init__(self, message: bytes) -> None:
        assert message[:4] in (b"MRM1", b"MRM3")

        def read(kind: str, offset: int) -> Any:
            return np.frombuffer(message, kind, 1, offset)[0].item()

        self.step, self.count, self.total = (read("<u4", offset) for offset in (4, 8, 12))
        self.left, self.top, self.width, self.height = (read("<f4", offset) for offset in (16, 20, 24, 28))
        self.epoch, self.stride = read("<u4", 32), read("<u2", 36)
        self.column, self.wraps, self.roster = read("u1", 38), read("u1", 39) & 1, read("u1", 39) >> 1
        self.time_step, self.fastest = read("<f4", 40), read("<f4", 44)
        if message[:4] == b"MRM3":
            self._read_space(message, read)
            return
        assert len(message) == 48 + 8 * self.count
        places = np.frombuffer(message, "<u2", offset=48).reshape(-1, 4)[:, :2].astype(np.float64)
        self.positions = (self.left, self.top) + places / 65535.0 * (self.width, self.height)
        rest = np.frombuffer(message, "u1", offset=48).reshape(-1, 8)[:, 4:].astype(np.float64)
        self.headings = (rest[:, 0] + 0.5) / 256.0 * 2.0 * np.pi
        self.speeds = rest[:, 1] / 255.0 * self.fastest
        self.species = rest[:, 2].astype(int)
        self.extra = rest[:, 3] / 255.0 * TOPS[self.column]

    def _read_space(self, message: bytes, read: Callable[[str, int], Any]) -> None:
        """A 3-D world: 64 bytes, then eight bytes per agent, then three bytes per agent."""
        n = self.count
        assert len(message) == 64 + 11 * n
        self.floor, self.depth, self.wraps_z = read("<f4", 48), read("<f4", 52), read("<u4", 56) & 1
        words = np.frombuffer(message, "<u2", 4 * n, 64).reshape(-1, 4)
        low, sides = (self.left, self.top, self.floor), (self.width, self.height, self.depth)
        self.positions = low + words[:, :3].astype(np.float64) / 65535.0 * sides
        self.directions = np.array(
            [_unfolded(int(word) & 255, int(word) >> 8) for word in words[:, 3]]
        ).reshape(-1, 3)
        looks = np.frombuffer(message, "u1", 3 * n, 64 + 8 * n).reshape(-1, 3).astype(int)
        packed = looks[:, 0] | looks[:, 1] << 8
        self.speeds = (packed & 31) / 31.0 * self.fastest
        self.rolls = ((packed >> 5 & 31) / 15.5 - 1.0) * np.pi / 2.0
        self.species = packed >> 10
        self.extra = looks[:, 2] / 255.0 * TOPS[self.column]


def _unfolded(u: int, v: int) -> list[float]:
    """The unit vector of two bytes in octahedral encoding."""
    x, y = u / 127.5 - 1.0, v / 127.5 - 1.0
    z = 1.0 - abs(x) - abs(y)
    if z < 0.0:
        x, y = math.copysign(1.0 - abs(y), x), math.copysign(1.0 - abs(x), y)
    length = math.hypot(x, y, z)
    return [x / length, y / length, z / length]
