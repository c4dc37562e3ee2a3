"""The server of the live view: the page, and a WebSocket that carries frames out and commands in.

It never computes a step: it reads the session's last frame and queues commands.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
import sys
import time
from pathlib import Path
from typing import Any

from murmura.core.errors import BackendError
from murmura.view.guard import Guard
from murmura.view.session import Session

STATIC = Path(__file__).with_name("static")
LOCAL = ("127.0.0.1", "localhost")
MOST_CLIENTS = 256
MESSAGES_PER_SECOND = 120
LARGEST_MESSAGE = 64 * 1024
FIRST_PORT, LAST_PORT = 8421, 65535


class Watcher:
    """One page: sends what is new, at the pace at which the page asks for frames."""

    def __init__(self, socket: Any, session: Session) -> None:
        self._socket = socket
        self._session = session
        self._loop = asyncio.get_running_loop()
        self._news = asyncio.Event()
        self._ready = True
        self._sent = {"frame": -1, "hello": -1, "scenario": -1}
        self._status: Any = None
        self._inspection: Any = None
        self._alarm: Any = session.alarm
        self._errors: list[dict[str, Any]] = []
        self._times: list[float] = []

    def wake(self) -> None:
        """Called from the session's thread."""
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._news.set)

    async def watch(self) -> None:
        self._session.listen(self.wake)
        sender = asyncio.create_task(self._send_news())
        try:
            await self._receive()
        finally:
            self._session.forget(self.wake)
            sender.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await sender

    async def _send_news(self) -> None:
        session = self._session
        self._news.set()
        session.ask_frame()
        while True:
            await self._news.wait()
            self._news.clear()
            if self._sent["hello"] != session.hello_number:
                self._sent["hello"] = session.hello_number
                self._sent["scenario"] = session.scenario_number
                await self._socket.send_text(json.dumps(session.hello()))
            if self._sent["scenario"] != session.scenario_number:
                self._sent["scenario"] = session.scenario_number
                scenario = session.scenario.model_dump(mode="json")
                await self._socket.send_text(json.dumps({"type": "scenario", "scenario": scenario}))
            if session.alarm is not self._alarm:
                self._alarm = session.alarm
                await self._socket.send_text(json.dumps(self._alarm))
            while self._errors:
                await self._socket.send_text(json.dumps(self._errors.pop(0)))
            if self._ready and session.frame_number != self._sent["frame"] and session.frame:
                self._sent["frame"] = session.frame_number
                self._ready = False
                await self._socket.send_bytes(session.frame)
            if session.status and session.status is not self._status:
                self._status = session.status
                await self._socket.send_text(json.dumps(self._status))
            if session.inspection is not self._inspection:
                self._inspection = session.inspection
                await self._socket.send_text(json.dumps(self._inspection))

    async def _receive(self) -> None:
        while True:
            message = await self._socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            text = message.get("text")
            if text is None or len(text) > LARGEST_MESSAGE or self._too_many():
                await self._socket.close(1008)
                return
            self._take(text)

    def _take(self, text: str) -> None:
        try:
            message = json.loads(text, parse_constant=_no_constant)
        except (ValueError, RecursionError):
            self._refuse("", "expected a JSON object")
            return
        if not isinstance(message, dict):
            self._refuse("", f"expected a JSON object, got {type(message).__name__}")
            return
        if message.get("type") == "ready":
            self._ready = True
            self._session.ask_frame()
            self._news.set()
            return
        kind = str(message.get("type"))[:40]
        self._session.submit(message, lambda reason: self._refuse_later(kind, reason))

    def _refuse_later(self, kind: str, reason: str) -> None:
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._refuse, kind, reason)

    def _refuse(self, kind: str, reason: str) -> None:
        if len(self._errors) < 20:
            self._errors.append({"type": "error", "about": kind, "message": reason[:2000]})
        self._news.set()

    def _too_many(self) -> bool:
        now = time.monotonic()
        self._times = [t for t in self._times if now - t < 1.0] + [now]
        return len(self._times) > MESSAGES_PER_SECOND * 2


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number")


def make_app(session: Session, port: int, hosts: tuple[str, ...] = LOCAL) -> Guard:
    """The guarded application."""
    from starlette.applications import Starlette
    from starlette.responses import FileResponse, JSONResponse
    from starlette.routing import Mount, Route, WebSocketRoute
    from starlette.staticfiles import StaticFiles

    clients = 0

    async def page(request: Any) -> Any:
        return FileResponse(STATIC / "index.html")

    async def actions(request: Any) -> Any:
        return JSONResponse(session.actions)

    async def socket_route(websocket: Any) -> None:
        nonlocal clients
        if clients >= MOST_CLIENTS:
            await websocket.close(1013)
            return
        await websocket.accept()
        clients += 1
        try:
            await Watcher(websocket, session).watch()
        finally:
            clients -= 1

    routes = [
        Route("/", page),
        Route("/api/actions", actions),
        WebSocketRoute("/ws", socket_route),
        Mount("/assets", StaticFiles(directory=STATIC / "assets", check_dir=False)),
    ]
    return Guard(Starlette(routes=routes), port, hosts)  # type: ignore[arg-type]


def free_port(host: str, wanted: int | None) -> int:
    """The wanted port, or the next free one."""
    first = wanted or FIRST_PORT
    if not 1 <= first <= LAST_PORT:
        raise BackendError(f"a port is a number from 1 to {LAST_PORT}, got --port {wanted}")
    for port in range(first, min(first + 200, LAST_PORT + 1)):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            with contextlib.suppress(OSError):
                probe.bind((host, port))
                return port
    raise BackendError(f"no free port from {first} on; name another with --port")


def serve(session: Session, host: str = "127.0.0.1", port: int | None = None, open_page: bool = True) -> None:
    """Serve until Ctrl-C."""
    import uvicorn

    if not (STATIC / "index.html").exists():
        raise BackendError(
            "the page was not built: run `npm install && npm run build` in src/murmura/view/web"
        )
    if host not in LOCAL:
        raise BackendError(f"the live view listens on this machine only (127.0.0.1), got --host {host}")
    chosen = free_port(host, port)
    app = make_app(session, chosen)
    address = f"http://{host}:{chosen}/?token={app.launch_token}"
    print(f"murmura: {address}", flush=True)
    if open_page and _has_screen():
        import webbrowser

        webbrowser.open(address)
    elif os.environ.get("SSH_CONNECTION"):
        print(f"murmura: from your own machine: ssh -L {chosen}:127.0.0.1:{chosen} THIS_HOST", flush=True)
    session.open()
    config = uvicorn.Config(
        app, host=host, port=chosen, log_level="warning", ws="websockets-sansio", ws_max_size=LARGEST_MESSAGE,
        ws_per_message_deflate=False, lifespan="off", server_header=False, timeout_graceful_shutdown=1,
    )  # fmt: skip
    try:
        uvicorn.Server(config).run()
    except KeyboardInterrupt:
        pass
    finally:
        session.close()
        print("murmura: stopped", flush=True)


def _has_screen() -> bool:
    if os.environ.get("SSH_CONNECTION") or "microsoft" in os.uname().release.lower():
        return False
    return sys.platform in ("darwin", "win32") or bool(
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )
