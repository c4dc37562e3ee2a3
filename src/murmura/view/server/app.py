"""The server of the live view: the page, and a WebSocket that carries frames out and commands in.

It never computes a step: it reads the session's last frame and queues commands.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import platform
import socket
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from murmura.core.errors import BackendError, MurmuraError
from murmura.view.compare import Pair
from murmura.view.server.connections import server_config
from murmura.view.server.files import Shelf, file_routes
from murmura.view.server.guard import VISITOR, Guard, class_code
from murmura.view.server.sharing import EVERYWHERE, LOCAL, WARNING, check_host, listen_for_enter, own_names
from murmura.view.session.session import Session
from murmura.view.session.subscriber import LARGEST_MESSAGE, Watcher

STATIC = Path(__file__).parents[1] / "static"
MOST_CLIENTS = 256
FIRST_PORT, LAST_PORT = 8421, 65535
RELOAD_SECONDS = 2.0  # a page that is loaded again is away for less


class Bells:
    """Wakes all pages of a session with one call into their loop: with 200 pages, 200 calls would cost a frame."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._is_ringing = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self.hung: set[asyncio.Event] = set()

    def hang(self) -> asyncio.Event:
        bell = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        if not self.hung:
            self._session.listen(self.ring)
        self.hung.add(bell)
        return bell

    def take_down(self, bell: asyncio.Event) -> None:
        self.hung.discard(bell)
        if not self.hung:
            self._session.forget(self.ring)

    def ring(self) -> None:
        """There is something new; from any thread."""
        if self._is_ringing or self._loop is None:
            return
        self._is_ringing = True
        with contextlib.suppress(RuntimeError):  # the loop is gone: nobody is left to be woken
            self._loop.call_soon_threadsafe(self._ring)

    def _ring(self) -> None:
        self._is_ringing = False
        for bell in self.hung:
            bell.set()


async def converse(socket: Any, session: Session, bells: Bells, may_touch: bool = True) -> None:
    """Talk with one page until it leaves."""
    news = bells.hang()
    watcher = Watcher(session, bells.ring, may_touch)
    watcher.open()
    sender = asyncio.create_task(_send_news(socket, watcher, news))
    try:
        await _receive(socket, watcher)
    finally:
        bells.take_down(news)
        sender.cancel()
        with contextlib.suppress(asyncio.CancelledError, Exception):
            await sender


async def _send_news(socket: Any, watcher: Watcher, news: asyncio.Event) -> None:
    while True:
        await news.wait()
        news.clear()
        for message in watcher.news():
            if isinstance(message, bytes):
                await socket.send_bytes(message)
            else:
                await socket.send_text(message)


async def _receive(socket: Any, watcher: Watcher) -> None:
    while True:
        message = await socket.receive()
        if message["type"] == "websocket.disconnect":
            return
        text = message.get("text")
        if text is None or len(text) > LARGEST_MESSAGE or watcher.says_too_much():
            await socket.close(1008)
            return
        watcher.take(text)


def sides_of(session: Session | Pair) -> dict[str, Session]:
    """The sessions that are shown, by the path of their page."""
    return {"": session} if isinstance(session, Session) else dict(session.sides)


def make_app(
    session: Session | Pair,
    port: int,
    hosts: tuple[str, ...] = LOCAL,
    when_deserted: Callable[[], None] = lambda: None,
    shelf: Shelf | None = None,
    code: str | None = None,
    lessons: Sequence[Path] = (),
) -> Guard:
    """The guarded application; `when_deserted` is called when the last page has left and none came back.

    `shelf` is where pages may have runs recorded; without one they may not.
    """
    from starlette.applications import Starlette
    from starlette.routing import Mount

    sides = sides_of(session)
    bells = {name: Bells(one) for name, one in sides.items()}

    def leave_if_deserted() -> None:
        if not any(each.hung for each in bells.values()):
            when_deserted()

    if isinstance(session, Session):
        app = Starlette(
            routes=[*file_routes(session, shelf, lessons), *_routes(session, bells[""], leave_if_deserted)]
        )
        app.state.bells = bells[""]
        return Guard(app, port, hosts, code=code)  # type: ignore[arg-type]
    halves = [
        Mount(f"/{name}", routes=_routes(one, bells[name], leave_if_deserted)) for name, one in sides.items()
    ]
    app = Starlette(routes=[_page("compare.html"), _assets(), *halves])
    return Guard(app, port, hosts, framed=tuple(f"/{name}/" for name in sides))  # type: ignore[arg-type]


def _routes(session: Session, bells: Bells, leave_if_deserted: Callable[[], None]) -> list[Any]:
    """The page of one session and what it asks for."""
    from starlette.responses import JSONResponse
    from starlette.routing import Route, WebSocketRoute

    async def actions(request: Any) -> Any:
        try:
            return JSONResponse(await asyncio.wrap_future(session.ask(session.scene.record)))
        except (
            MurmuraError
        ) as error:  # a recording has none, and a flock brought up before has not all of them
            return JSONResponse({"error": str(error)}, 409)

    async def socket_route(websocket: Any) -> None:
        if len(bells.hung) >= MOST_CLIENTS:
            await websocket.close(1013)
            return
        await websocket.accept()
        try:
            await converse(websocket, session, bells, not websocket.scope.get(VISITOR, False))
        finally:
            asyncio.get_running_loop().call_later(RELOAD_SECONDS, leave_if_deserted)

    return [
        _page("index.html"),
        Route("/api/actions", actions),
        WebSocketRoute("/ws", socket_route),
        _assets(),
    ]


def _page(name: str) -> Any:
    from starlette.responses import FileResponse
    from starlette.routing import Route

    async def page(request: Any) -> Any:
        return FileResponse(STATIC / name)

    return Route("/", page)


def _assets() -> Any:
    from starlette.routing import Mount
    from starlette.staticfiles import StaticFiles

    return Mount("/assets", StaticFiles(directory=STATIC / "assets", check_dir=False))


def check_page() -> None:
    """A wheel always has the page; a checkout may not."""
    if not (STATIC / "index.html").exists():
        raise BackendError(
            "the page was not built: run `npm install && npm run build` in src/murmura/view/web"
        )


def listen(host: str, wanted: int | None) -> socket.socket:
    """A socket that listens on the wanted port, or on the next free one: taken at once, so that nobody else can."""
    first = wanted or FIRST_PORT
    if not 1 <= first <= LAST_PORT:
        raise BackendError(f"a port is a number from 1 to {LAST_PORT}, got --port {wanted}")
    for port in range(first, min(first + 200, LAST_PORT + 1)):
        with contextlib.suppress(OSError):
            return socket.create_server((host, port), backlog=256)
    raise BackendError(f"no free port from {first} on; name another with --port")


def serve(
    session: Session | Pair,
    host: str = "127.0.0.1",
    port: int | None = None,
    open_page: bool = True,
    exit_on_close: bool = False,
    shelf: Shelf | None = None,
    share: bool = False,
    lessons: Sequence[Path] = (),
) -> None:
    """Serve until Ctrl-C, or until the last page is closed; with `share` also for visitors with a class code."""
    check_page()
    check_host(host, share)
    code = class_code() if share else None
    if share and host in LOCAL:
        host = EVERYWHERE
    problems: list[MurmuraError] = []

    def leave() -> None:
        server.should_exit = True

    def give_up(problem: MurmuraError) -> None:
        problems.append(problem)
        leave()

    # The simulation comes out of a kernel sixty times a second and must not wait long for its turn.
    sys.setswitchinterval(0.001)
    with listen(host, port) as door:
        import uvicorn

        chosen = door.getsockname()[1]
        names = own_names(host) if share else LOCAL
        app = make_app(
            session, chosen, names, lambda: leave() if exit_on_close else None, shelf, code, lessons
        )
        server = uvicorn.Server(server_config(app, host, chosen))
        for one in sides_of(session).values():
            one.when_grounded = give_up
        serving = server.serve(sockets=[door])
        try:
            session.open()
            with asyncio.Runner() as runner:
                runner.get_loop()  # before the address is known: a Ctrl-C in the middle of its making leaves it broken
                own = f"http://{LOCAL[0] if host == EVERYWHERE else host}:{chosen}/?token="
                _announce(f"{own}{app.launch_token}", chosen, open_page)
                if code is not None:
                    print(
                        f"{WARNING}\nmurmura: visitors: http://{names[0]}:{chosen}/ with the code {code}",
                        flush=True,
                    )
                listen_for_enter(lambda: print(f"murmura: {own}{app.renew()}", flush=True))
                runner.run(serving)
        except KeyboardInterrupt:
            serving.close()  # it may have come before anything was served
        finally:
            session.close(patience=1.0)
            print("murmura: stopped", flush=True)
    if problems:
        raise problems[0]


def _announce(address: str, port: int, open_page: bool) -> None:
    print(f"murmura: {address}", flush=True)
    if open_page and _has_screen():
        import webbrowser

        webbrowser.open(address)
    elif os.environ.get("SSH_CONNECTION"):
        print(f"murmura: from your own machine: ssh -L {port}:127.0.0.1:{port} THIS_HOST", flush=True)


def _has_screen() -> bool:
    if os.environ.get("SSH_CONNECTION") or "microsoft" in platform.release().lower():
        return False
    return sys.platform in ("darwin", "win32") or bool(
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )
