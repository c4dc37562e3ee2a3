"""Random sequences of commands over a real socket, compared with a model without a server (R16).

The model is a plain simulation with the same changes made by hand. After every command the page's step, hash, number
of agents and obstacles must be the model's. MURMURA_LONG=1 tries 500 sequences.
"""

from __future__ import annotations

import socket
from contextlib import ExitStack
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

import murmura as mm
from murmura.view.session import subscriber
from tests.sizes import size
from tests.view.live import Live, Page, flock

SEQUENCES = size(8, 500)
xs, ys = st.integers(0, 1600).map(float), st.integers(0, 900).map(float)
numbers = {
    "rules.alignment.weight": st.sampled_from([0.0, 0.5, 2.0]),
    "rules.separation.radius": st.sampled_from([10.0, 30.0]),
    "perception.radius": st.sampled_from([40.0, 80.0]),
    "perception.field_of_view": st.sampled_from([120.0, 360.0]),
    "motion.max_speed": st.sampled_from([2.0, 5.0]),
    "rules.cohesion.enabled": st.booleans(),
}
REFUSED: list[tuple[str, dict[str, Any]]] = [
    ("set", {"values": {"rules.alignment.wieght": 1}}),
    ("set", {"values": {"perception.radius": -1}}),
    ("reset", {"seed": -1}),
    ("load", {"scenario": "../../x.toml"}),
    ("step", {"count": 0}),
    ("pointer", {"x": 1, "y": 1, "mode": "love"}),
    ("place", {"kind": "circle", "x": 5, "y": 5, "radius": -1}),
    ("fly", {}),
]


class ProtocolMachine(RuleBasedStateMachine):
    live: Live

    def __init__(self) -> None:
        super().__init__()
        self.stack = ExitStack()
        self._connect()

    def _connect(self) -> None:
        self.line = self.stack.enter_context(self.live.connect())
        self.page = Page(self.line, self.live.session)

    @initialize(agents=st.integers(0, 12))
    def begin(self, agents: int) -> None:
        self.scenario, self.seed, self.pointer = flock(agents), 7, None
        self.page.still(self.scenario)
        self.page.send("reset", seed=7)
        self._restart()

    def _restart(self) -> None:
        self.model = mm.Simulation(self._with_pointer(), self.seed, "reference")

    def _with_pointer(self) -> mm.Scenario:
        """The pointer as the documents describe it: one more attractor."""
        if self.pointer is None:
            return self.scenario
        x, y, strength = self.pointer
        world = self.scenario.world
        point = {"x": x, "y": y, "strength": strength, "radius": 0.22 * min(world.width, world.height)}
        return self.scenario.with_values({"rules.attractors": {"enabled": True, "points": [point]}})

    def _adopt(self) -> None:
        self.model.adopt(self._with_pointer())

    @rule(count=st.integers(1, 9))
    def step(self, count: int) -> None:
        self.page.send("step", count=count)
        self.model.step(count)

    @rule(speed=st.sampled_from([0.5, 1.0, 8.0]))
    def run_for_a_while(self, speed: float) -> None:
        """Run for any time: the page reports how far it came, and the model follows."""
        self.page.send("speed", value=speed)
        self.page.send("play")
        far = self.model.step_count + 3
        self.page.wait("status", lambda status: status["step"] >= far and status["running"])
        step = self.page.ask("pause")["step"]
        self.model.step(step - self.model.step_count)

    @rule(seed=st.none() | st.integers(0, 2**64 - 1))
    def reset(self, seed: int | None) -> None:
        self.page.send("reset", seed=seed)
        self.seed = self.seed if seed is None else seed
        self._restart()

    @rule(values=st.fixed_dictionaries({}, optional=numbers).filter(len))
    def set_numbers(self, values: dict[str, Any]) -> None:
        self.page.send("set", values=values)
        self.scenario = self.scenario.with_values(values)
        self._adopt()

    @rule(agents=st.integers(0, 12))
    def set_agents(self, agents: int) -> None:
        self.page.send("set", values={"agents": agents})
        self.scenario = self.scenario.with_values({"agents": agents})
        self._restart()

    @rule(x=xs, y=ys, mode=st.sampled_from(["attract", "repel", "scare", "none"]))
    def point(self, x: float, y: float, mode: str) -> None:
        self.page.send("pointer", x=x, y=y, mode=mode)
        self.pointer = None if mode == "none" else (x, y, 4.0 if mode == "attract" else -6.0)
        self._adopt()

    @rule(x=xs, y=ys, radius=st.integers(5, 90).map(float))
    def place(self, x: float, y: float, radius: float) -> None:
        self.page.send("place", kind="circle", x=x, y=y, radius=radius)
        circles = [shape.model_dump(mode="json") for shape in self.scenario.obstacles]
        circles.append({"kind": "circle", "x": x, "y": y, "radius": radius})
        self.scenario = mm.Scenario.from_data(self.scenario.model_dump(mode="json") | {"obstacles": circles})
        self._adopt()

    @rule()
    def erase_all(self) -> None:
        for shape in self.scenario.obstacles:
            self.page.send("erase", x=shape.x, y=shape.y)  # type: ignore[union-attr]
        self.scenario = mm.Scenario.from_data(self.scenario.model_dump(mode="json") | {"obstacles": []})
        self._adopt()

    @rule(wrong=st.sampled_from(REFUSED))
    def ask_for_nonsense(self, wrong: tuple[str, dict[str, Any]]) -> None:
        kind, values = wrong
        assert self.page.refusal(kind, **values)

    @rule(politely=st.booleans())
    def reconnect(self, politely: bool) -> None:
        """The flock stays while no page is connected."""
        if not politely:
            self.line.socket.shutdown(socket.SHUT_RDWR)
        self.stack.close()
        self._connect()
        hello = self.page.wait("hello")
        assert hello["scenario"] == self.scenario.model_dump(mode="json")
        assert hello["seed"] == self.seed

    @invariant()
    def page_and_model_agree(self) -> None:
        if not hasattr(self, "model"):
            return
        status = self.page.status()
        assert (status["step"], status["agents"], status["running"]) == (
            self.model.step_count,
            self.model.agent_count,
            False,
        )
        assert status["hash"] == self.model.state_hash()[:12]
        assert len(self.live.session.scenario.obstacles) == len(self.scenario.obstacles)

    def teardown(self) -> None:
        self.stack.close()


# R16
def test_model_and_server_agree_whatever_is_asked_for(live: Live, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(
        subscriber, "MESSAGES_PER_SECOND", 100_000
    )  # it sends requests faster than a page does
    machine = type("ProtocolMachine", (ProtocolMachine,), {"live": live})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=SEQUENCES,
            stateful_step_count=12,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
