"""`murmura.show` with a real widget: the test acts as the front end, at the widget's comm."""

from __future__ import annotations

import json
import os
import re
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import comm
import pytest

import murmura as mm
from murmura.core.errors import BackendError, ScenarioError
from murmura.core.extras import install_command
from murmura.view import notebook
from murmura.view.server import app as server

from .live import PATIENCE, Frame, flock, until

REAL_PAGE = Path(server.__file__).parents[1] / "static"


class Wire(comm.base_comm.BaseComm):
    """The kernel's end of a comm; keeps the messages to the browser."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self.sent: list[tuple[str, Any, list[bytes]]] = []
        self.more = threading.Condition()
        super().__init__(*arguments, **options)

    def publish_msg(
        self, msg_type: str, data: Any = None, metadata: Any = None, buffers: Any = None, **_: Any
    ) -> None:
        with self.more:
            self.sent.append((msg_type, data, [bytes(b) for b in buffers or ()]))
            self.more.notify_all()


class FrontEnd:
    """One view of a widget, with the messages of anywidget's JavaScript."""

    def __init__(self, view: Any, name: str) -> None:
        self.view, self.name, self.seen = view, name, 0
        self.say("open")

    def say(self, kind: str, **more: Any) -> None:
        content = {"view": self.name, "kind": kind, **more}
        self.view._handle_msg({"content": {"data": {"method": "custom", "content": content}}, "buffers": []})

    def send(self, kind: str, **values: Any) -> None:
        self.say("say", text=json.dumps({"type": kind, **values}))

    def take(self) -> dict[str, Any] | Frame:
        wire = self.view.comm
        while True:
            with wire.more:
                assert wire.more.wait_for(lambda: len(wire.sent) > self.seen, PATIENCE), "nothing came"
                _, data, buffers = wire.sent[self.seen]
                self.seen += 1
            content = (data or {}).get("content", {})
            if content.get("view") != self.name:
                continue
            if buffers:
                self.send("ready")
                return Frame(buffers[0])
            found: dict[str, Any] = json.loads(content["text"])
            return found

    def wait(self, kind: str, true: Any = lambda message: True) -> Any:
        while True:
            message = self.take()
            if (isinstance(message, Frame) and kind == "frame") or (
                isinstance(message, dict) and message["type"] == kind
            ):
                if true(message):
                    return message


@pytest.fixture(autouse=True)
def wire(built_page: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(comm, "create_comm", Wire)
    notebook._widget_class.cache_clear()
    yield
    notebook._widget_class.cache_clear()


@pytest.fixture
def views() -> Iterator[Any]:
    opened = []

    def show(*arguments: Any, **options: Any) -> Any:
        opened.append(mm.show(*arguments, **options))
        return opened[-1]

    yield show
    for view in opened:
        view.close()


def test_a_view_is_greeted_shown_the_flock_and_obeyed(views: Any):
    view = views(flock(40), seed=5, backend="reference")
    page = FrontEnd(view, "one")
    hello = page.wait("hello")
    assert hello["seed"] == 5 and hello["scenario"]["agents"] == 40
    assert page.wait("frame").count == 40
    assert page.wait("frame", lambda frame: frame.step > 3).step > 3
    page.send("pause")
    page.wait("status", lambda status: not status["running"])
    page.send("reset", seed=9)
    page.send("set", values={"rules.alignment.weight": 3})
    page.send("step", count=12)
    status = page.wait("status", lambda status: status["step"] == 12)
    plain = mm.Simulation(flock(40).with_values({"rules.alignment.weight": 3}), 9, "reference")
    plain.step(12)
    assert status["hash"] == plain.state_hash()[:12]
    page.send("set", values={"rules.alignment.wieght": 3})
    assert "did you mean" in page.wait("error")["message"]


def test_a_world_with_a_depth_is_shown_in_space(views: Any):
    deep = flock(40, **{"world.depth": 400.0})
    page = FrontEnd(views(deep, seed=5, backend="reference"), "one")
    page.send("pause")
    assert page.wait("hello")["scenario"]["world"]["depth"] == 400.0
    frame = page.wait("frame")
    assert (frame.count, frame.depth) == (40, 400.0)
    plain = mm.Simulation(deep, 5, "reference")
    plain.step(frame.step)
    assert abs(frame.positions - plain.positions).max() < 0.05  # a coordinate is one of 65,536


def test_the_page_and_its_height_are_what_the_browser_gets(views: Any, built_page: Path):
    (built_page / "assets" / "a.js").write_text("let x = '</script>';")
    (built_page / "assets" / "a.css").write_text("body { color: red }")
    (built_page / "index.html").write_text(
        '<!doctype html><head><link rel="icon" href="./assets/i.svg" />'
        '<script type="module" crossorigin src="./assets/a.js"></script>'
        '<link rel="stylesheet" crossorigin href="./assets/a.css"></head>'
    )
    view = views(flock(5), backend="reference", height=420)
    opened = next(data for kind, data, _ in view.comm.sent if kind == "comm_open")["state"]
    assert opened["height"] == 420 and opened["_esm"] == (built_page / "notebook.js").read_text()
    assert opened["page"] == (
        "<!doctype html><head><script type=\"module\">let x = '<\\/script>';</script>"
        "<style>body { color: red }</style></head>"
    )


def test_a_simulation_is_shown_as_it_is_and_stays_as_it_was(views: Any):
    sim = mm.Simulation(flock(30), 3, "reference")
    sim.step(17)
    before = sim.state_hash()
    view = views(sim)
    assert view.simulation().state_hash() == before  # no view is open yet: it waits
    page = FrontEnd(view, "one")
    page.wait("frame", lambda frame: frame.step > 20)
    page.send("pause")
    page.wait("status", lambda status: not status["running"])
    taken = view.simulation()
    assert taken.step_count > 20 and sim.state_hash() == before
    sim.step(taken.step_count - 17)
    assert taken.state_hash() == sim.state_hash()
    taken.step(5)
    sim.step(5)
    assert taken.state_hash() == sim.state_hash()
    assert taken.scenario == sim.scenario


def test_two_views_of_one_widget_and_none(views: Any):
    view = views(flock(20), backend="reference")
    one, two = FrontEnd(view, "one"), FrontEnd(view, "two")
    one.wait("frame")
    two.send("pause")
    one.wait("status", lambda status: not status["running"])
    two.send("play")
    one.wait("status", lambda status: status["running"])
    one.say("close")
    two.wait("status", lambda status: status["running"] and status["step"] > 3)
    two.say("close")
    until(lambda: not view._hub.session.running)  # no view is open, nothing runs
    assert not view._hub.subscribers
    again = FrontEnd(view, "three")
    again.wait("status", lambda status: status["running"])
    again.say("say", text="{")
    assert again.wait("error")["message"] == "expected a JSON object"


def test_a_notebook_reacts_to_the_flock_and_the_flock_to_it(views: Any, capsys: pytest.CaptureFixture[str]):
    view = views(flock(20), seed=3, backend="reference")
    seen: list[int] = []
    view.on_step(lambda now: seen.append(now.step))
    end = view.on_step(lambda now: 1 / 0)
    page = FrontEnd(view, "one")
    until(lambda: view.step > 3 and view.running and seen and seen[-1] == view.step)
    until(lambda: "ZeroDivisionError" in capsys.readouterr().err)  # told, and the view goes on
    end()
    view.running = False
    page.wait("status", lambda status: not status["running"])
    page.send("step", count=5)
    status = page.wait("status", lambda status: not status["running"] and status["step"] >= 5)
    until(lambda: (view.step, view.time) == (status["step"], status["time"]))
    assert view.agents == 20
    until(lambda: "polarization" in view.measures)
    page.send("select", id=7)
    until(lambda: view.selected == 7)
    view.selected = 4
    assert page.wait("inspect", lambda found: found["id"] == 4)["id"] == 4
    view.selected = None
    page.wait("inspect", lambda found: found["id"] is None)


def test_closing_ends_the_simulation():
    view = mm.show(flock(10), backend="reference")
    thread = view._hub.session._thread
    assert thread.is_alive()
    view.close()
    assert not thread.is_alive()


@pytest.mark.parametrize("height", [0, 99, 1.5, True, "tall", 10**9])
def test_a_height_that_makes_no_sense_is_refused(height: Any):
    with pytest.raises(ScenarioError, match="height must be a whole number of pixels"):
        mm.show("classic", height=height)


def test_without_the_extra_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(BackendError, match=re.escape(install_command("notebook"))):
        mm.show(flock(5), backend="reference")


@pytest.mark.skipif(not (REAL_PAGE / "notebook.js").exists(), reason="the page was not built")
def test_what_is_put_into_a_page_whole_imports_nothing():
    """Neither a notebook's frame nor an exported page can load another file."""
    (page,) = (REAL_PAGE / "assets").glob("index-*.js")
    for script in (page, REAL_PAGE / "notebook.js", REAL_PAGE / "standalone.js"):
        assert not re.findall(
            r"""(?:\bfrom|\bimport)\s*\(?["'`]\./[^"'`]*""", script.read_text(encoding="utf-8")
        ), script


HOST = """<!doctype html><div id="cell"></div><script type="module">
const source = %s;
const { default: widget } = await import(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
const listeners = [];
const model = {
  get: (name) => window.state[name],
  on: (_, act) => listeners.push(act),
  off: (_, act) => listeners.splice(listeners.indexOf(act), 1),
  send: (content) => window.toKernel(content),
};
window.fromKernel = (content, buffers) => {
  const views = buffers.map((text) => new DataView(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer));
  for (const act of [...listeners]) act(content, views);
};
window.start = (state) => {
  window.state = state;
  window.stop = widget.render({ model, el: document.getElementById("cell") });
};
window.loaded = true;
</script>"""


@pytest.mark.skipif(not (REAL_PAGE / "notebook.js").exists(), reason="the page was not built")
@pytest.mark.skipif(not os.path.exists("/usr/bin/chromium"), reason="no Chromium here")
def test_in_a_real_browser_the_page_flies_and_its_controls_work(views: Any, monkeypatch: pytest.MonkeyPatch):
    """The real bundle in a frame, with a host that acts like anywidget, and a kernel."""
    import base64

    from playwright.sync_api import sync_playwright

    from tests.browser.tab import FLAGS

    monkeypatch.setattr(server, "STATIC", REAL_PAGE)
    view = views(flock(200), backend="reference")
    state = next(data for kind, data, _ in view.comm.sent if kind == "comm_open")["state"]
    with sync_playwright() as tools:
        browser = tools.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
        page = browser.new_page(viewport={"width": 900, "height": 650})
        problems: list[str] = []
        page.on("pageerror", lambda error: problems.append(str(error)))

        def to_kernel(content: Any) -> None:
            view._handle_msg({"content": {"data": {"method": "custom", "content": content}}, "buffers": []})

        page.expose_function("toKernel", to_kernel)
        # Settings stored by the full page must not fill a cell.
        page.add_init_script("""localStorage["murmura.looks"] = '{"panel": true, "charts": true}'""")
        host = HOST % json.dumps(state["_esm"]).replace("</", "<\\/")
        page.route("**/*", lambda route: route.fulfill(body=host, content_type="text/html"))
        page.goto("http://notebook.test/")  # an address, without which there is no local storage
        page.wait_for_function("window.loaded")
        page.evaluate("(state) => window.start(state)", {"page": state["page"], "height": 600})
        seen = 0

        def carry_until(true: Any) -> None:
            """Deliver the kernel's messages to the browser until a condition holds."""
            nonlocal seen

            def turn() -> bool:
                nonlocal seen
                batch = view.comm.sent[seen:]
                seen += len(batch)
                for _, data, buffers in batch:
                    if (data or {}).get("method") == "custom":
                        page.evaluate(
                            "([content, buffers]) => window.fromKernel(content, buffers)",
                            [data["content"], [base64.b64encode(b).decode() for b in buffers]],
                        )
                page.wait_for_timeout(10)
                return bool(true())

            until(turn)

        carry_until(lambda: view._hub.session.simulation.step_count > 10)
        frame = page.frames[1]
        carry_until(lambda: "200" in (frame.locator("#summary").text_content() or ""))
        dock = frame.get_by_role("toolbar", name="Controls")
        assert dock.evaluate(
            "(bar) => bar.scrollWidth <= bar.clientWidth && bar.offsetHeight < 60"
        )  # one line
        assert not frame.get_by_label("Search settings").is_visible()
        assert not frame.get_by_role("region", name="Charts").is_visible()
        assert not frame.get_by_label("Palette", exact=True).is_visible()
        frame.get_by_role("button", name="More", exact=True).click()
        assert frame.get_by_label("Palette", exact=True).is_visible()
        frame.locator("#flock").press(" ")  # the key of the page: pause
        carry_until(lambda: not view._hub.session.running)
        step = view._hub.session.simulation.step_count
        frame.locator("#flock").press(".")
        carry_until(lambda: view._hub.session.simulation.step_count == step + 1)
        page.evaluate("window.stop()")
        carry_until(lambda: not view._hub.subscribers)
        assert problems == []
        browser.close()
