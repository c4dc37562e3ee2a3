"""The shown flock beside a changed copy: both go on from the same state, and end when nobody watches."""

from __future__ import annotations

import http.client
import json
import threading
from typing import Any

import pytest
from websockets.sync.client import connect

from murmura.view.session.session import Session
from tests.view.live import PATIENCE, Live, flock, until


@pytest.fixture
def live(built_page: Any) -> Any:
    with Live(Session(flock(30), seed=7, backend="reference")) as found:
        yield found


def begin(live: Live, body: Any, cookie: str | None = None) -> tuple[int, Any]:
    connection = http.client.HTTPConnection("127.0.0.1", live.port, timeout=PATIENCE)
    headers = {"cookie": live.cookie if cookie is None else cookie, "origin": live.origin}
    connection.request("POST", "/api/compare", json.dumps(body), headers)
    answer = connection.getresponse()
    found = answer.read()
    connection.close()
    return answer.status, json.loads(found) if answer.status in (200, 400, 409) else None


def half(live: Live, name: str) -> tuple[dict[str, Any], int]:
    """The hello and the step of the first status of a half."""
    with connect(
        f"ws://{live.host}/compare/{name}/ws", origin=live.origin, additional_headers={"Cookie": live.cookie}
    ) as socket:  # type: ignore[arg-type]
        hello = json.loads(socket.recv(timeout=PATIENCE))
        while True:
            message = socket.recv(timeout=PATIENCE)
            if isinstance(message, str) and json.loads(message)["type"] == "status":
                return hello, json.loads(message)["step"]


def weights(hello: dict[str, Any]) -> dict[str, float]:
    rules = hello["scenario"]["rules"]
    return {name: rules[name]["weight"] for name in ("alignment", "cohesion")}


def test_both_halves_go_on_from_the_flock_as_it_is(live: Live) -> None:
    assert live.get("/compare/left/", cookie=live.cookie)[0] == 404  # no comparison yet
    live.session.ask(lambda: live.session.scene.step(50)).result(PATIENCE)
    live.session.submit({"type": "pause"}, pytest.fail)
    at = live.session.ask(lambda: live.session.simulation.step_count).result(PATIENCE)
    assert begin(live, {"values": {"rules.alignment.weight": 0.25}}) == (200, {"at": "/compare/"})
    assert b"two flocks" in live.get("/compare/", cookie=live.cookie)[2]
    status, headers, _ = live.get("/compare/right/", cookie=live.cookie)
    assert status == 200 and "frame-ancestors 'self'" in headers["content-security-policy"]
    assert "frame-ancestors 'none'" in live.get("/", cookie=live.cookie)[1]["content-security-policy"]
    (left, step), (right, _) = half(live, "left"), half(live, "right")
    assert step >= at
    own = weights({"scenario": live.session.scenario.model_dump(mode="json")})
    assert weights(left) == own
    assert weights(right) == own | {"alignment": 0.25}
    assert left["seed"] == right["seed"] == 7


def test_values_that_need_a_new_flock_begin_both_again(live: Live) -> None:
    assert begin(live, {"values": {"agents": 12}})[0] == 200
    (left, _), (right, _) = half(live, "left"), half(live, "right")
    assert [side["scenario"]["agents"] for side in (left, right)] == [30, 12]


def test_bad_requests_are_refused_and_change_nothing(live: Live) -> None:
    assert begin(live, {"values": 3})[0] == begin(live, [])[0] == 400
    status, told = begin(live, {"values": {"rules.alignmint.weight": 0}})
    assert status == 409 and "alignment" in told["error"]
    assert begin(live, {"values": {}}, cookie="")[0] == 403
    assert live.get("/compare/left/", cookie=live.cookie)[0] == 404


def test_a_pair_ends_with_the_next_one_when_nobody_watches_and_with_the_session(live: Live) -> None:
    def threads() -> int:
        return sum(thread.name == "murmura-session" for thread in threading.enumerate())

    before = threads()
    for _ in range(2):
        assert begin(live, {"values": {}})[0] == 200
        assert threads() == before + 2
    half(live, "left")  # a page that goes away again
    live.put_clock_forward(10.0)
    until(lambda: threads() == before)
    assert begin(live, {"values": {}})[0] == 200
    live.session.close()
    until(lambda: threads() == before - 1)
