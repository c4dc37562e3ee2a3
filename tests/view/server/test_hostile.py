"""Malformed and hostile messages are refused or end the connection, and do not affect the flock (R14)."""

from __future__ import annotations

import contextlib
import json
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection

from murmura.view.session.session import Session
from murmura.view.session.subscriber import Subscriber
from tests.sizes import size
from tests.view.live import PATIENCE, Live, Page, flock, until

MUTATIONS = size(2_000, 100_000)
COMMANDS = [
    "play", "pause", "step", "speed", "reset", "load", "set", "pointer", "select", "pick", "extra", "place", "erase",
    "move",
]  # fmt: skip
NASTY_TEXTS = [
    "", " ", "\x00", "{", "[", "]", "null", "true", "1", '"play"', "[]", "[{}]", "{}", "{'type': 'play'}",
    '{"type": "play"', '{"type": "play"} {"type": "play"}', '{"type"}', '{"type": play}', "NaN", "-Infinity",
    '{"type": NaN}', '{"type": "speed", "value": NaN}', '{"type": "speed", "value": Infinity}',
    '{"type": "speed", "value": 1e999}', '{"type": "speed", "value": -1e999}', '{"type": "speed", "value": "2"}',
    '{"type": "speed", "value": true}', '{"type": "speed", "value": [2]}', '{"type": "speed"}',
    '{"type": "step", "count": 0}', '{"type": "step", "count": -1}', '{"type": "step", "count": 1.5}',
    '{"type": "step", "count": 1e300}', '{"type": "step", "count": 10001}', '{"type": "step", "count": null}',
    '{"type": "step", "count": ' + "9" * 4000 + "}", '{"type": "step", "count": ' + "9" * 5000 + "}",
    '{"type": "reset", "seed": -1}', '{"type": "reset", "seed": 1e3}', '{"type": "reset", "seed": "x"}',
    '{"type": "reset", "seed": 18446744073709551616}', '{"type": "reset", "seed": [1]}',
    '{"type": "load"}', '{"type": "load", "scenario": null}', '{"type": "load", "scenario": 7}',
    '{"type": "load", "scenario": []}', '{"type": "load", "scenario": {"agents": 1000000000000}}',
    '{"type": "load", "scenario": {"agents": 3000000, "world": {"width": 100000, "height": 100000}}}',
    '{"type": "load", "scenario": {"rules": {"own": {}}}}', '{"type": "load", "scenario": {"__class__": "x"}}',
    '{"type": "load", "scenario": "../../etc/passwd.toml"}', '{"type": "load", "scenario": "/etc/passwd.json"}',
    '{"type": "load", "scenario": "../scenarios/fish.toml"}', '{"type": "load", "scenario": "fish.toml"}',
    '{"type": "load", "scenario": "fish\\u0000"}', '{"type": "load", "scenario": "file:///etc/passwd.toml"}',
    '{"type": "load", "scenario": "..\\\\..\\\\x.toml"}', '{"type": "load", "scenario": "FISH"}',
    '{"type": "load", "scenario": ""}', '{"type": "load", "scenario": "\\ud800"}',
    '{"type": "set"}', '{"type": "set", "values": null}', '{"type": "set", "values": ["agents"]}',
    '{"type": "set", "values": {"": 1}}',
    '{"type": "set", "values": {".": 1}}',
    '{"type": "set", "values": {"agents.x": 1}}',
    '{"type": "set", "values": {"__class__.x": 1}}', '{"type": "set", "values": {"agents": true}}',
    '{"type": "set", "values": {"agents": 1e999}}', '{"type": "set", "values": {"rules.alignment.weight": 1e999}}',
    '{"type": "set", "values": {"obstacles.0.x": 1}}', '{"type": "set", "values": {"rules.own.weight": 1}}',
    '{"type": "set", "values": {"schema_version": 2}}', '{"type": "set", "values": {"\\ud800": "\\ud800"}}',
    '{"type": "set", "values": {"title": "\\ud800"}}',
    '{"type": "pointer"}',
    '{"type": "pointer", "x": 1, "y": 1}',
    '{"type": "pointer", "x": 1, "y": 1, "mode": ["attract"]}',
    '{"type": "pointer", "x": 1e10, "y": 1, "mode": "attract"}',
    '{"type": "pointer", "x": null, "y": 1, "mode": "none"}',
    '{"type": "select", "id": [1]}', '{"type": "select", "id": [[1]]}', '{"type": "select", "id": {"a": 1}}',
    '{"type": "select", "id": 1e3}', '{"type": "select", "id": 1e999}', '{"type": "select", "id": true}',
    '{"type": "select", "id": ' + "9" * 300 + "}", '{"type": "select", "id": -9223372036854775809}',
    '{"type": "pick"}', '{"type": "pick", "x": "a", "y": []}', '{"type": "extra"}', '{"type": "extra", "column": {}}',
    '{"type": "extra", "column": "__class__"}', '{"type": "place"}', '{"type": "place", "kind": ["wall"]}',
    '{"type": "place", "kind": "wall", "points": [[0, 0], [1e999, 1]]}',
    '{"type": "place", "kind": "wall", "points": {"0": [1, 1]}}',
    '{"type": "place", "kind": "circle", "x": 1, "y": 1, "radius": -1}',
    '{"type": "place", "kind": "circle", "x": 1, "y": 1, "radius": 1e999}',
    '{"type": "erase"}', '{"type": "erase", "x": 1, "y": 1, "kind": {"a": 1}}', '{"type": "move", "kind": "wall"}',
    '{"type": "place", "kind": "predator", "x": 1, "y": 1, "species": ["hawk"]}',
    '{"type": "place", "kind": "attractor", "x": 1, "y": 1, "strength": "much"}',
    '{"type": "erase", "x": 1}',
    '{"type": "__init__"}', '{"type": "_start"}', '{"type": "close"}', '{"type": null}', '{"type": {"type": "play"}}',
    '{"type": "' + "x" * 60000 + '"}', "[" * 30000, '{"a":' * 10000, "[" * 900 + "]" * 900,
    '{"type": "select", "id": ' + "[" * 900 + "]" * 900 + "}",
    '{"type": "set", "values": {"agents": ' + "[" * 900 + "]" * 900 + "}}",
    '{"type": "place", "kind": "wall", "points": ' + "[" * 900 + "]" * 900 + "}",
    '{"type": "load", "scenario": ' + '{"rules":' * 800 + "1" + "}" * 800 + "}",
    '{"type": "set", "values": {"' + "rules." * 9000 + 'x": 1}}',
]  # fmt: skip


class DirectSession:
    """A subscriber and its session without thread and socket: one message at a time, executed at once."""

    def __init__(self) -> None:
        self.session = Session(flock(25), 3, "reference")
        self.session.running = False
        self.subscriber = Subscriber(self.session, lambda: None)

    def state(self) -> tuple[Any, ...]:
        session = self.session
        simulation = session.simulation
        return (
            simulation.state_hash(), session.scenario, simulation.seed, session.running, session.speed,
            session.source.epoch, session.watch.selected, session.extra, session.scene.pointer,
            len(session.scene.actions),
        )  # fmt: skip

    def take(self, text: str) -> list[dict[str, Any]]:
        """Deliver a message; return the errors in response."""
        self.subscriber._errors.clear()
        self.subscriber.receive(text)
        while self.session._run_commands():
            pass
        assert self.session.alarm is None
        return [json.loads(json.dumps(error)) for error in self.subscriber._errors]


@pytest.fixture(scope="module")
def direct() -> DirectSession:
    return DirectSession()


@pytest.mark.parametrize("number", range(len(NASTY_TEXTS)))
def test_nasty_messages_get_one_error_and_change_nothing(number: int, direct: DirectSession):
    before = direct.state()
    errors = direct.take(NASTY_TEXTS[number])
    assert len(errors) == 1, NASTY_TEXTS[number][:200]
    assert errors[0]["type"] == "error" and 0 < len(errors[0]["message"]) <= 2000
    assert "/etc" not in errors[0]["message"] or "called" in errors[0]["message"]
    assert direct.state() == before


NUMBERS = [
    0,
    1,
    -1,
    2,
    0.5,
    1.5,
    -0.0,
    5e-324,
    1e308,
    float("inf"),
    30,
    2**31,
    2**63,
    2**64,
    10**30,
    -(10**30),
]
WORDS = [
    *COMMANDS, "ready", "circle", "wall", "attract", "none", "density", "classic", "../x.toml", "", "\ud800", "\x00",
]  # fmt: skip
PATHS = [
    "agents", "rules.alignment.weight", "rules.noise.enabled", "perception.radius", "world.width", "world", "rules",
    "obstacles", "species", "motion.velocity_unit", "start.speed", "title", "rules.alignment", "x.y", "", "..", "name",
]  # fmt: skip
KEYS = [
    "count",
    "value",
    "seed",
    "scenario",
    "values",
    "x",
    "y",
    "mode",
    "id",
    "column",
    "kind",
    "radius",
    "points",
]
numbers, words, paths, keys = map(st.sampled_from, (NUMBERS, WORDS, PATHS, KEYS))
leaves = st.one_of(st.none(), st.booleans(), numbers, words, st.text(max_size=8))
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(paths | words, inner, max_size=4),
    max_leaves=12,
)
messages = st.builds(
    lambda kind, rest: {**rest, "type": kind},
    st.sampled_from(COMMANDS) | values,
    st.dictionaries(keys, values, max_size=5),
)
changes = st.builds(
    lambda found: {"type": "set", "values": found}, st.dictionaries(paths, values, min_size=1, max_size=3)
)
mutated = st.builds(
    lambda message, at, what, cut: (
        (text := json.dumps(message))[: at % len(text)] + what + text[at % len(text) + cut :]
    ),
    messages,
    st.integers(0, 400),
    st.text(max_size=3) | st.sampled_from(['"', "{", "]", "\\u", "1e999", "NaN", ",,"]),
    st.integers(0, 5),
)
texts = st.one_of(
    messages.map(json.dumps), changes.map(json.dumps), mutated, st.text(max_size=60), values.map(json.dumps)
)


@settings(
    max_examples=size(200, 600), deadline=None, suppress_health_check=list(HealthCheck), derandomize=True
)
@given(texts)
@example('{"type": "select", "id": []}')
def test_whatever_is_refused_leaves_no_trace(direct: DirectSession, text: str):
    _no_trace(direct, text)


def test_thousands_of_random_messages_leave_no_trace_either(direct: DirectSession):
    """Cheaper to generate than the ones above: known words in wrong positions, truncated and mixed."""
    random = Random(14)

    def value(depth: int) -> Any:
        kind = random.randrange(6 if depth else 4)
        if kind == 4:
            return [value(depth - 1) for _ in range(random.randrange(4))]
        if kind == 5:
            return {random.choice(KEYS + PATHS): value(depth - 1) for _ in range(random.randrange(4))}
        return random.choice([NUMBERS, WORDS, PATHS, [None, True, False]][kind])

    refused = 0
    for _ in range(MUTATIONS):
        message = {key: value(3) for key in random.sample(KEYS, random.randrange(6))}
        text = json.dumps({**message, "type": random.choice(COMMANDS)})
        if random.random() < 0.3:
            at = random.randrange(len(text))
            text = (
                text[:at]
                + random.choice(['"', "{", "]", "", "\\u", "1e999", "NaN", ",,", "\x00"])
                + text[at + 1 :]
            )
        refused += _no_trace(direct, text)
    assert refused > MUTATIONS // 2


def _no_trace(direct: DirectSession, text: str) -> bool:
    """Send a message; return whether it was refused, in which case nothing may have changed."""
    if len(direct.session.scenario.obstacles) > 5 or direct.session.scenario.agents > 100:
        direct.take(json.dumps({"type": "load", "scenario": flock(25).model_dump(mode="json")}))
    before = direct.state()
    errors = direct.take(text)
    if errors:
        assert len(errors) == 1 and errors[0]["message"]
        assert direct.state() == before
        return True
    assert json.loads(text)["type"] in (*COMMANDS, "ready")
    # Accepted messages can be sent to pages and replayed.
    told = [direct.session.scene.actions, direct.session.scenario.model_dump(mode="json")]
    json.dumps(told, allow_nan=False, ensure_ascii=False).encode()
    return False


def test_a_real_server_shrugs_them_off(live: Live):
    """The same through sockets, a hundred each: the session survives and the flock is unchanged."""
    with live.page() as page:
        before = page.still(flock(30))
        seen = live.session.scenario
        for begin in range(0, len(NASTY_TEXTS), 60):
            with live.connect() as vandal:
                for text in NASTY_TEXTS[begin : begin + 60]:
                    vandal.send(text.encode("utf-8", "replace").decode())
                vandal.send('{"type": "nonsense"}')
                errors = 0
                while errors < 15:  # a few are dropped when many arrive at once
                    message = vandal.recv(timeout=PATIENCE)
                    errors += isinstance(message, str) and json.loads(message)["type"] == "error"
        status = page.status()
        assert (status["hash"], status["step"], status["running"]) == (before, 0, False)
        assert live.session.scenario == seen
        assert page.ask("step", count=2)["step"] == 2


def test_an_error_names_the_command_and_the_nearest_known_one(page: Page):
    assert "unknown command 'paus' (did you mean 'pause'?)" in page.refusal("paus")
    assert "no shipped scenario is called" in page.refusal("load", scenario="../../etc/passwd.toml")


def cut_off(vandal: ClientConnection) -> int | None:
    """Wait until the server closes the connection; return the close code."""
    try:
        while True:
            vandal.recv(timeout=PATIENCE)
    except ConnectionClosed as closed:
        return closed.rcvd.code if closed.rcvd else None


@pytest.mark.parametrize("message", [b"\x8f\xfe\x00{" * 16, b"\x00", b'{"type": "pause"}', b""])
def test_binary_messages_end_the_connection(message: bytes, page: Page, live: Live):
    page.still(flock(10))
    with live.connect() as vandal:
        vandal.send(message)
        assert cut_off(vandal) == 1008
    assert page.ask("step")["step"] == 1


@pytest.mark.parametrize(
    ("message", "code"),
    [("x" * (64 * 1024 + 1), 1009), ("é" * 40_000, 1009), ('{"type": "pause"' + " " * 70_000 + "}", 1009)],
)
def test_messages_above_64_kB_end_the_connection(message: str, code: int, page: Page, live: Live):
    page.still(flock(10))
    with live.connect() as vandal:
        vandal.send(message)
        # None: unread data made the server reset the connection before the code arrived.
        assert cut_off(vandal) in (code, None)
    assert page.ask("step")["step"] == 1


def test_text_that_is_not_utf8_ends_the_connection(page: Page, live: Live):
    page.still(flock(10))
    with live.connect() as vandal:
        vandal.socket.sendall(bytes([0x81, 0x83]) + bytes(4) + b"\xff\xfe\xfd")
        assert cut_off(vandal) == 1007
    assert page.ask("step")["step"] == 1


def test_a_flood_ends_the_connection_and_a_busy_page_does_not(page: Page, live: Live):
    page.still(flock(10))
    for _ in range(40):  # in addition to at most sixty frame requests per second
        page.send("ready")
    assert page.ask("step")["step"] == 1
    with live.connect() as vandal:
        with contextlib.suppress(ConnectionClosed):  # it may be disconnected before it has sent everything
            for _ in range(5000):
                vandal.send('{"type": "ready"}')
        assert cut_off(vandal) in (1008, None)
    until(lambda: len(live.pages) == 1)
    assert page.ask("step")["step"] == 2


def test_the_limit_is_120_messages_in_any_second(direct: DirectSession, monkeypatch: pytest.MonkeyPatch):
    now = 100.0
    monkeypatch.setattr("murmura.view.session.subscriber.time.monotonic", lambda: now)
    subscriber = Subscriber(direct.session, lambda: None)
    assert not any(subscriber.exceeds_rate() for _ in range(120))
    now = 100.999
    assert subscriber.exceeds_rate()
    steady = Subscriber(direct.session, lambda: None)
    for second in range(3):
        for k in range(120):
            now = 200.0 + second + k / 120.0
            assert not steady.exceeds_rate()
