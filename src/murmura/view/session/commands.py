"""Commands of pages that change what a session shows, but not the flock (for those, see `changes`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from murmura.core.errors import ScenarioError
from murmura.view.session.editing.messages import height_of, number_of, place_of
from murmura.view.session.observing.observer import nearest_agent
from murmura.view.wire.frames import extras_of

if TYPE_CHECKING:
    from murmura.view.session.session import Session

Message = dict[str, Any]


def _play_or_pause(session: Session, message: Message) -> None:
    session.running = message["type"] == "play"


def _step(session: Session, message: Message) -> None:
    count = number_of(message, "count", 1, 10_000, 1)
    if not count.is_integer():
        raise ScenarioError(f"count must be a whole number, got {count:g}")
    session.pause_and_step(int(count))


def _speed(session: Session, message: Message) -> None:
    session.speed = number_of(message, "value", 0.05, 16.0)


def _select(session: Session, message: Message) -> None:
    chosen = message.get("id")
    if chosen is None:
        session.watch.deselect()
        return
    if isinstance(chosen, bool) or not isinstance(chosen, int):
        raise ScenarioError(f"id must be a whole number or null, got {chosen!r}")
    session.simulation.state.rows_of(chosen)
    session.watch.selected = chosen


def _next(session: Session, message: Message) -> None:
    """Select the agent after the selected one."""
    ids = session.simulation.ids
    if not len(ids):
        return
    last = -1 if session.watch.selected is None else session.watch.selected
    session.watch.selected = int(ids[np.searchsorted(ids, last, side="right") % len(ids)])


def _pick(session: Session, message: Message) -> None:
    height = height_of(session.scenario, message)
    found = nearest_agent(session.simulation, *place_of(message), height)
    if found is not None:
        session.watch.selected = found


def _seek(session: Session, message: Message) -> None:
    session.seek(int(number_of(message, "step", 0, 2**53)))


def _present(session: Session, message: Message) -> None:
    session.turn_back()


def _extra(session: Session, message: Message) -> None:
    column = message.get("column")
    known = extras_of(session.scenario)
    if column not in known:
        raise ScenarioError(f"column must be one of {', '.join(known)}, got {column!r}")
    session.extra = str(column)


def _look(session: Session, message: Message) -> None:
    session.watch.bodies.ask(message)


COMMANDS: dict[str, Callable[[Session, Message], None]] = {
    "play": _play_or_pause,
    "pause": _play_or_pause,
    "step": _step,
    "speed": _speed,
    "seek": _seek,
    "present": _present,
    "select": _select,
    "pick": _pick,
    "next": _next,
    "extra": _extra,
    "look": _look,
}
