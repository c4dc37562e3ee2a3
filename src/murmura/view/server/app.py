"""The server of the live view: the page, and a WebSocket that carries frames out and commands in.

It never computes a step: it reads the session's last frame and queues commands.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import platform
import socket
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from murmura.core.errors import BackendError, MurmuraError
from murmura.view.compare import Pair
from murmura.view.server.comparing import HALVES, Comparison
from murmura.view.server.files import RunRecorder, file_routes
from murmura.view.server.guard import VISITOR, Guard, class_code
from murmura.view.server.serving import Server
from murmura.view.server.sharing import (
    LOCAL,
    check_host,
    end_on_sigterm,
    listen_for_enter,
    listening_host,
    own_address,
    own_names,
    visitors_line,
)
from murmura.view.session.first_picture import PAINT_SECONDS
from murmura.view.session.session import Session
from murmura.view.session.subscriber import LARGEST_MESSAGE, Subscriber

logger = logging.getLogger("murmura")
STATIC = Path(__file__).parents[1] / "static"
MOST_CLIENTS = 256
INTERNAL_ERROR = 1011  # a close code of the WebSocket protocol
FIRST_PORT, LAST_PORT = 8421, 65535
BACKLOG = 256  # connections that wait to be accepted
KEPT = "private, max-age=31536000, immutable"  # the name of an asset contains a hash of its content
RELOAD_SECONDS = 2.0  # longer than reloading a page takes


class Notifier:
    """Wakes the senders of all pages with one call into their event loop.

    One call for each page would be too slow: 200 of them take as long as a frame.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._is_scheduled = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self.events: set[asyncio.Event] = set()

    def register(self) -> asyncio.Event:
        """Return an event that is set whenever there is something new."""
        event = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        if not self.events:
            self._session.add_listener(self.notify)
        self.events.add(event)
        return event

    def unregister(self, event: asyncio.Event) -> None:
        self.events.discard(event)
        if not self.events:
            self._session.remove_listener(self.notify)

    def notify(self) -> None:
        """Set all events; may be called from any thread."""
        if self._is_scheduled or self._loop is None:
            return
        self._is_scheduled = True
        with contextlib.suppress(RuntimeError):  # the loop is closed, so no page is left
            self._loop.call_soon_threadsafe(self._set_all)

    def _set_all(self) -> None:
        self._is_scheduled = False
        for event in self.events:
            event.set()


async def serve_page(socket: Any, session: Session, notifier: Notifier, may_touch: bool = True) -> None:
    """Send updates to one page and receive its messages until it disconnects."""
    changed = notifier.register()
    subscriber = Subscriber(session, notifier.notify, may_touch)
    subscriber.open()
    sender = asyncio.create_task(_send_updates(socket, subscriber, changed))
    try:
        await _receive(socket, subscriber)
    finally:
        notifier.unregister(changed)
        sender.cancel()
        with contextlib.suppress(asyncio.CancelledError, Exception):
            await sender


async def _send_updates(socket: Any, subscriber: Subscriber, changed: asyncio.Event) -> None:
    try:
        is_open = True
        while is_open:
            await changed.wait()
            changed.clear()
            is_open = await _are_sent(socket, subscriber.updates())
    except Exception:
        logger.exception(
            "could not create the updates of a page; closing its connection, so that it reconnects"
        )
    # Without its sender the page would freeze; when its connection is closed, it reconnects.
    with contextlib.suppress(Exception):
        await socket.close(INTERNAL_ERROR)


async def _are_sent(socket: Any, messages: Iterable[bytes | str]) -> bool:
    """Send messages; return False if the connection is closed by either side."""
    for message in messages:
        try:
            await (socket.send_bytes if isinstance(message, bytes) else socket.send_text)(message)
        except Exception:  # which one depends on which side closed it, and when
            return False
    return True


async def _receive(socket: Any, subscriber: Subscriber) -> None:
    while True:
        message = await socket.receive()
        if message["type"] == "websocket.disconnect":
            return
        text = message.get("text")
        if text is None or len(text) > LARGEST_MESSAGE or subscriber.exceeds_rate():
            await socket.close(1008)
            return
        subscriber.receive(text)


def sides_of(session: Session | Pair) -> dict[str, Session]:
    """The sessions by the path of their page."""
    return {"": session} if isinstance(session, Session) else dict(session.sides)


def make_app(
    session: Session | Pair,
    port: int,
    hosts: tuple[str, ...] = LOCAL,
    on_last_page_closed: Callable[[], None] = lambda: None,
    recorder: RunRecorder | None = None,
    code: str | None = None,
    lessons: Sequence[Path] = (),
) -> Guard:
    """The guarded application.

    Args:
        session: The session to show.
        port: The port of the server.
        hosts: Allowed host names.
        on_last_page_closed: Called when the last page was closed and not reloaded.
        recorder: Records runs for pages; if None, pages cannot record.
        code: The class code of visitors; if None, there are no visitors.
        lessons: Folders with further lesson cards.
    """
    from starlette.applications import Starlette
    from starlette.routing import Mount

    sides = sides_of(session)
    notifiers = {name: Notifier(one) for name, one in sides.items()}

    def check_pages() -> None:
        if not any(each.events for each in notifiers.values()):
            on_last_page_closed()

    if isinstance(session, Session):
        own = file_routes(session, recorder, lessons)
        beside = _comparison(session, notifiers, check_pages)
        app = Starlette(routes=[*own, *beside, *_routes(session, notifiers[""], check_pages), _assets()])
        app.state.notifier = notifiers[""]
        return Guard(app, port, hosts, framed=HALVES, code=code)  # type: ignore[arg-type]
    halves = [
        Mount(f"/{name}", routes=_routes(one, notifiers[name], check_pages)) for name, one in sides.items()
    ]
    app = Starlette(routes=[_page("compare.html"), _assets(), *halves])
    return Guard(app, port, hosts, framed=tuple(f"/{name}/" for name in sides))  # type: ignore[arg-type]


def _comparison(
    session: Session, notifiers: dict[str, Notifier], check_pages: Callable[[], None]
) -> list[Any]:
    """The routes of a comparison of this session's flock with a changed copy."""
    from starlette.routing import Mount, Route

    def make(name: str, half: Session) -> list[Any]:
        notifiers[name] = Notifier(half)

        def check_half() -> None:
            check_pages()
            comparison.end_if(lambda: not any(notifiers[one].events for one in HALVES))

        return _routes(half, notifiers[name], check_half)

    comparison = Comparison(session, make)
    session.closers.append(comparison.close)
    return [
        Route("/api/compare", comparison.begin, methods=["GET", "POST"]),
        *(Mount(path.rstrip("/"), app=comparison.half(path)) for path in HALVES),
        Mount("/compare", routes=[_page("compare.html")]),
    ]


def _routes(session: Session, notifier: Notifier, check_pages: Callable[[], None]) -> list[Any]:
    """The routes of one session's page."""
    from starlette.responses import JSONResponse
    from starlette.routing import Route, WebSocketRoute

    async def actions(request: Any) -> Any:
        try:
            return JSONResponse(await asyncio.wrap_future(session.ask(lambda: session.source.record())))
        except (
            MurmuraError
        ) as error:  # a recording has no actions; if the flock had stepped before, the first ones are missing
            return JSONResponse({"error": str(error)}, 409)

    async def socket_route(websocket: Any) -> None:
        if len(notifier.events) >= MOST_CLIENTS:
            await websocket.close(1013)
            return
        await websocket.accept()
        try:
            await serve_page(websocket, session, notifier, not websocket.scope.get(VISITOR, False))
        finally:
            asyncio.get_running_loop().call_later(RELOAD_SECONDS, check_pages)

    return [_page("index.html"), Route("/api/actions", actions), WebSocketRoute("/ws", socket_route)]


def _page(name: str) -> Any:
    from starlette.responses import HTMLResponse
    from starlette.routing import Route

    async def page(request: Any) -> Any:
        # Both halves of a comparison share the assets, so the browser loads and compiles them once.
        return HTMLResponse((STATIC / name).read_text(encoding="utf-8").replace('"./assets/', '"/assets/'))

    return Route("/", page)


def _assets() -> Any:
    from starlette.routing import Mount
    from starlette.staticfiles import StaticFiles

    class Assets(StaticFiles):
        def file_response(self, *given: Any, **named: Any) -> Any:
            response = super().file_response(*given, **named)
            response.headers["cache-control"] = KEPT
            return response

    return Mount("/assets", Assets(directory=STATIC / "assets", check_dir=False))


def check_page() -> None:
    """Raise if the page was not built: a wheel always contains it, a checkout may not."""
    if not (STATIC / "index.html").exists():
        raise BackendError(
            "the page was not built: run `npm install && npm run build` in src/murmura/view/web"
        )


def listen(host: str, wanted: int | None) -> socket.socket:
    """A socket that listens on the preferred port or the next free one, bound at once so that nobody else takes it.

    Port 0 is any free one.
    """
    if wanted == 0:
        return socket.create_server((host, 0), backlog=BACKLOG)
    first = FIRST_PORT if wanted is None else wanted
    if not 1 <= first <= LAST_PORT:
        raise BackendError(
            f"a port is a number from 1 to {LAST_PORT}, or 0 for any free one, got --port {wanted}"
        )
    for port in range(first, min(first + 200, LAST_PORT + 1)):
        with contextlib.suppress(OSError):
            return socket.create_server((host, port), backlog=BACKLOG)
    raise BackendError(f"no free port from {first} on; choose another with --port")


def serve(
    session: Session | Pair,
    host: str | None = None,
    port: int | None = None,
    open_page: bool = True,
    exit_on_close: bool = False,
    recorder: RunRecorder | None = None,
    share: bool = False,
    lessons: Sequence[Path] = (),
) -> None:
    """Serve until Ctrl-C, or until the last page is closed; with `share` also visitors with a class code.

    Args:
        session: The session to show.
        host: The address to listen on; by default this machine only, and with `share` every address of it.
        port: The preferred port; 0 for any free one.
        open_page: Whether to open a browser.
        exit_on_close: Whether to stop when the last page is closed.
        recorder: Records runs for pages; if None, pages cannot record.
        share: Whether visitors may watch.
        lessons: Folders with further lesson cards.
    """
    check_page()
    check_host(host, share)
    host = listening_host(host, share)
    code = class_code() if share else None
    problems: list[MurmuraError] = []

    def give_up(problem: MurmuraError) -> None:
        problems.append(problem)
        server.stop()

    # The simulation's thread returns from a kernel sixty times a second and must get the interpreter lock quickly.
    sys.setswitchinterval(0.001)
    with listen(host, port) as listener, end_on_sigterm():
        chosen = listener.getsockname()[1]
        names = own_names(host) if share else LOCAL
        close = lambda: server.stop() if exit_on_close else None  # noqa: E731
        app = make_app(session, chosen, names, close, recorder, code, lessons)
        server: Server = Server(app)
        for one in sides_of(session).values():
            one.on_build_failure = give_up
            one.first_picture.patience = PAINT_SECONDS
        serving = server.serve(listener)
        try:
            session.open()
            with asyncio.Runner() as runner:
                runner.get_loop()  # before the address is printed: Ctrl-C while the loop is created would break it
                own = f"http://{own_address(host)}:{chosen}/?token="
                _announce(f"{own}{app.launch_token}", chosen, open_page)
                if code is not None:
                    print(visitors_line(host, f"http://{names[0]}:{chosen}/", code), flush=True)
                listen_for_enter(lambda: print(f"murmura: {own}{app.renew()}", flush=True))
                runner.run(serving)
        except (KeyboardInterrupt, asyncio.CancelledError):
            # Ctrl-C may arrive before the server runs; asyncio's runner then only cancels the task.
            serving.close()
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
