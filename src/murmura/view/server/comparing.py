"""The shown flock beside a changed copy of itself: a pair of sessions that a page asks for, under /compare/."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from typing import Any

from murmura.core.errors import MurmuraError, ScenarioError
from murmura.engine.simulation import Simulation
from murmura.view.compare import Pair, SyncedSession
from murmura.view.session.editing.changes import needs_restart
from murmura.view.session.session import Session

LARGEST_REQUEST = 64 * 1024  # bytes
HALVES = ("/compare/left/", "/compare/right/")

Make = Callable[[str, Session], list[Any]]
"""Makes the routes of the page of a half."""


class Comparison:
    """At most one pair at a time; the next one ends it.

    Args:
        session: The session whose flock is compared.
        make: Makes the routes of a half.
    """

    def __init__(self, session: Session, make: Make) -> None:
        self._session, self._make = session, make
        self._pair: Pair | None = None
        self._halves: dict[str, Any] = {}
        self._making = asyncio.Lock()

    async def begin(self, request: Any) -> Any:
        """POST /api/compare {"values": {path: value}}: what differs on the right. GET: whether there is a pair."""
        from starlette.responses import JSONResponse

        if request.method == "GET":
            return JSONResponse({"open": self._pair is not None})
        body = await request.body()
        try:
            wanted = json.loads(body) if len(body) <= LARGEST_REQUEST else None
        except ValueError:
            wanted = None
        values = wanted.get("values") if isinstance(wanted, dict) else None
        if not isinstance(values, dict):
            return JSONResponse({"error": 'expected {"values": {path: value}}'}, 400)
        async with self._making:
            try:
                sides = await asyncio.wrap_future(self._session.ask(lambda: twins(self._session, values)))
                await asyncio.to_thread(self._open, *sides)
            except MurmuraError as error:
                return JSONResponse({"error": str(error)}, 409)
        return JSONResponse({"at": "/compare/"})

    def _open(self, left: Any, right: Any) -> None:
        from starlette.routing import Router

        self.close()
        pair = Pair(*(made() for made in (left, right)))
        pair.right.speed = pair.left.speed = self._session.speed
        sides = zip(HALVES, pair.sides.values(), strict=True)
        self._halves = {path: Router(self._make(path, one)) for path, one in sides}
        self._pair = pair
        pair.open()

    def half(self, name: str) -> Any:
        """An application that passes requests on to the current pair's half."""

        async def pass_on(scope: Any, receive: Any, send: Any) -> None:
            from starlette.routing import Router

            await self._halves.get(name, Router())(scope, receive, send)

        return pass_on

    def end_if(self, unwatched: Callable[[], bool]) -> None:
        """End the pair, in a thread of its own, if nobody watches it."""
        if self._pair is not None and unwatched():
            threading.Thread(target=self.close, name="murmura-compare", daemon=True).start()

    def close(self) -> None:
        """End the pair."""
        pair, self._pair, self._halves = self._pair, None, {}
        if pair is not None:
            pair.close(patience=1.0)


def twins(session: Session, values: dict[str, Any]) -> list[Callable[[], SyncedSession]]:
    """Make two sessions with the flock as it is now; if the values need a new flock, both begin again.

    Copies are taken at once, and the slow part is left to whoever calls the results.
    """
    scene = session.scene
    if not scene.is_ready:
        raise ScenarioError("the flock's kernel is still being compiled: compare it when it moves")
    scenarios = [session.scenario, session.scenario.with_values(values)]
    simulation = scene.simulation
    if needs_restart(values):
        seed, backend = simulation.seed, simulation.backend
        return [lambda one=one: SyncedSession(one, seed, backend) for one in scenarios]  # type: ignore[misc]
    copies = [simulation.on(simulation.backend, simulation.threads, announce=None) for _ in scenarios]

    def made(copy: Simulation, scenario: Any) -> SyncedSession:
        copy.adopt(scenario)  # without the pointer
        return SyncedSession(copy)

    return [lambda pair=pair: made(*pair) for pair in zip(copies, scenarios, strict=True)]  # type: ignore[misc]
