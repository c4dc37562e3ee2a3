"""Downloads and recordings: checkpoints, exported pages, and runs recorded on the server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

from murmura.core.errors import MurmuraError
from murmura.scenario import Scenario
from murmura.view.session.session import Session
from murmura.view.wire.lessons import SHIPPED, read_lessons

LARGEST_REQUEST = 1000  # bytes


class RunRecorder(Protocol):
    """Records runs. The caller provides it, because the view itself reads and writes no run folders."""

    def start(self, session: Session) -> dict[str, Any]: ...
    def stop(self) -> dict[str, Any]: ...
    def status(self) -> dict[str, Any]: ...


def file_routes(session: Session, recorder: RunRecorder | None, lessons: Sequence[Path] = ()) -> list[Any]:
    """GET /api/state: a checkpoint. GET and POST /api/record: whether a run is recorded, and {"on": true} or false.

    GET /api/lessons: the lessons, those of `lessons` after the shipped ones. GET /api/page: the scenario as a page that
    needs no server.
    """
    from starlette.responses import JSONResponse, Response
    from starlette.routing import Route

    async def state(request: Any) -> Any:
        try:
            content = await asyncio.wrap_future(session.ask(lambda: checkpoint(session)))
        except MurmuraError as error:
            return JSONResponse({"error": str(error)}, 409)
        return Response(content, media_type="application/octet-stream")

    async def record(request: Any) -> Any:
        if recorder is None:
            return JSONResponse({"error": "this view cannot record runs: start it with `murmura live`"}, 409)
        if request.method == "GET":
            return JSONResponse(recorder.status())
        body = await request.body()
        try:
            wanted = json.loads(body) if len(body) <= LARGEST_REQUEST else None
        except ValueError:
            wanted = None
        if not isinstance(wanted, dict) or not isinstance(wanted.get("on"), bool):
            return JSONResponse({"error": 'expected {"on": true} or {"on": false}'}, 400)
        act = (lambda: recorder.start(session)) if wanted["on"] else recorder.stop
        try:
            return JSONResponse(await asyncio.wrap_future(session.ask(act)))
        except MurmuraError as error:
            return JSONResponse({"error": str(error)}, 409)

    making = asyncio.Lock()  # exporting a page takes seconds of CPU time: one at a time

    async def page(request: Any) -> Any:
        if making.locked():
            return JSONResponse({"error": "a page is already being exported: please wait"}, 409)
        async with making:
            try:
                facts = await asyncio.wrap_future(session.ask(lambda: _shown(session)))
                content = await asyncio.to_thread(page_of, *facts)
            except MurmuraError as error:
                return JSONResponse({"error": str(error)}, 409)
        # Always a download: this server never shows an exported page.
        kept = {"content-disposition": 'attachment; filename="flock.html"'}
        return Response(content, media_type="application/octet-stream", headers=kept)

    async def cards(request: Any) -> Any:
        return JSONResponse(await asyncio.to_thread(read_lessons, (SHIPPED, *lessons)))

    return [
        Route("/api/lessons", cards),
        Route("/api/page", page),
        Route("/api/state", state),
        Route("/api/record", record, methods=["GET", "POST"]),
    ]


def _shown(session: Session) -> tuple[Scenario, int]:
    """The current scenario and the seed."""
    return session.scenario, session.scene.simulation.seed


def page_of(scenario: Scenario, seed: int) -> bytes:
    """A page that simulates a scenario without a server."""
    from murmura.view.standalone.page import flock_page

    return flock_page([scenario], seed).encode()


def checkpoint(session: Session) -> bytes:
    """A checkpoint of the flock, which `Simulation.restore` reads."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "state.npz"
        session.scene.simulation.save(path)
        return path.read_bytes()
