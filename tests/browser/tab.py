"""A tab of a real Chromium, with the session it shows: performs user actions and reads their effect."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from playwright.sync_api import Page

import murmura as mm
from murmura.view.session.editing.tools import with_pointer
from tests.view.live import PATIENCE, Live, flock

Found = TypeVar("Found")
FLAGS = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
# Without a GPU, Chromium would emulate one to compose every page, but only WebGL needs that. This halves the time.
FLAGS += ["--disable-gpu-compositing", "--disable-gpu-rasterization", "--disable-accelerated-2d-canvas"]

# A returning visitor: the hint has been dismissed, and the panels are open.
VISITED = """
localStorage.setItem('murmura.hint', '1');
const open = { panel: true, charts: true, guides: true };
if (!localStorage.getItem('murmura.looks')) localStorage.setItem('murmura.looks', JSON.stringify(open));
"""

WATCH = """
window.violations = [];
addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
  violations.push(violatedDirective + ' ' + blockedURI);
});
window.sockets = [];
window.heard = {};  // the newest message of each kind
window.WebSocket = class extends WebSocket {
  constructor(...given) {
    super(...given);
    sockets.push(this);
    this.addEventListener('message', ({ data }) => {
      if (typeof data === 'string') heard[JSON.parse(data).type] = JSON.parse(data);
    });
  }
};
"""

# A browser that has no WebGL2.
PLAIN = """
(() => {
  const real = HTMLCanvasElement.prototype.getContext;
  HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
    return kind === 'webgl2' ? null : real.call(this, kind, ...rest);
  };
})();
"""

# Each picture counts as a sixtieth of a second: on a slow machine, the page would lower the resolution and lose all
# trails with the old canvas.
EVEN = """
(() => {
  let clock = 0;
  performance.now = () => clock;
  const ask = requestAnimationFrame;
  window.requestAnimationFrame = (act) => ask(() => { clock += 1000 / 60; act(clock); });
})();
"""

# Records every stroke on the upper canvas since it was last cleared: what is drawn, not what was intended.
STROKES = """
(() => {
  const own = CanvasRenderingContext2D.prototype;
  const wrap = (name, note) => {
    const real = own[name];
    own[name] = function (...given) {
      if (this.canvas.id === 'overlay') note(this, given);
      return real.apply(this, given);
    };
  };
  let open = [];
  window.drawn = { lines: [], arcs: [], rects: [], texts: [] };
  let next = { lines: [], arcs: [], rects: [], texts: [] };
  wrap('clearRect', () => { window.drawn = next; next = { lines: [], arcs: [], rects: [], texts: [] }; });
  wrap('beginPath', () => { open = []; });
  wrap('moveTo', (_, [x, y]) => { open.push(['move', x, y]); });
  wrap('lineTo', (_, [x, y]) => { open.push(['line', x, y]); });
  wrap('arc', (_, [x, y, r, a, b]) => { open.push(['arc', x, y, r, a, b]); });
  wrap('fillRect', (context, [x, y, w, h]) => { next.rects.push({ x, y, w, h, style: context.fillStyle }); });
  wrap('fillText', (_, [text]) => { next.texts.push(text); });
  const keep = (how) => (context) => {
    let at = null;
    for (const [kind, x, y, r, a, b] of open) {
      const style = how === 'stroke' ? context.strokeStyle : 'fill';
      if (kind === 'line' && at) next.lines.push({ from: at, to: [x, y], style, dash: context.getLineDash().length });
      if (kind === 'arc') next.arcs.push({ x, y, r, a, b, how });
      at = [x, y];
    }
  };
  wrap('stroke', keep('stroke'));
  wrap('fill', keep('fill'));
})();
"""

# Filled shapes on the upper canvas: style, and their centre [CSS px].
FILLS = """() => {
  window.fills = [];
  const own = CanvasRenderingContext2D.prototype, real = own.fill;
  own.fill = function (...given) {
    const { e, f } = this.getTransform();
    if (this.canvas.id === 'overlay') fills.push([this.fillStyle, e, f]);
    return real.apply(this, given);
  };
}"""


class Tab:
    """An open page and its session."""

    def __init__(self, page: Page, live: Live) -> None:
        self.page = page
        self.live = live
        self.session = live.session
        self.foreign: list[str] = []
        self.problems: list[str] = []
        self._listeners: dict[Any, Callable[[Any], Any]] = {
            "request": lambda request: self._requested(request.url),
            "pageerror": lambda error: self.problems.append(str(error)),
            "console": lambda line: line.type == "error" and self.problems.append(line.text),
        }
        for event, listener in self._listeners.items():
            page.on(event, listener)

    def _requested(self, address: str) -> None:
        own = (self.live.origin + "/", self.live.origin.replace("http", "ws") + "/", "blob:")
        if not address.startswith(own):
            self.foreign.append(address)

    def open(self, path: str = "/") -> Tab:
        """Load the page and wait for its first picture of the current flock and for its controls."""
        self.page.goto(self.live.origin + path)
        self._is_complete()
        return self

    def reload(self) -> None:
        """Load the page again and wait for the same: what is built later would move under the pointer."""
        self.page.reload()
        self._is_complete()

    def _is_complete(self) -> None:
        self.shows_now()
        self.until(lambda: self.page.locator("#settings .lil-controller").count())

    def shows_now(self) -> None:
        """Wait until the page shows the flock that the session has now."""
        self.until(lambda: self.see("epoch") == self.session.source.epoch)
        self.until(lambda: self.see("running") is self.session.running)

    def knows_all(self) -> None:
        """Wait until the page has received a status: what a key does may depend on it."""

        def is_told() -> bool:
            told = self.page.evaluate("() => heard.status") or {}
            session = self.session
            now = (session.running, session.speed, session.simulation.agent_count)
            return (told.get("running"), told.get("speed"), told.get("agents")) == now

        self.until(is_told)

    def see(self, name: str) -> Any:
        """The state of the page: `looks.mode`, `camera`, `chosen` ..."""
        return self.page.evaluate(f"globalThis.murmura?.{name}")

    def until(self, true: Callable[[], Found], seconds: float = PATIENCE) -> Found:
        """Wait until a condition holds; the page and the session continue in the meantime."""
        deadline = time.monotonic() + seconds
        while not (found := true()):
            assert time.monotonic() < deadline, f"the condition was never met; {self._situation(found)}"
            self.page.wait_for_timeout(20)
        return found

    def _situation(self, found: object) -> str:
        """What a failed wait saw, to tell a slow machine from a message that was lost."""
        status = self.page.evaluate("() => globalThis.heard?.status")
        shown = self.see("epoch"), self.see("step"), self.see("running")
        has = self.session.source.epoch, self.simulation.step_count, self.session.running
        return (
            f"its last value: {found!r}; at {self.page.url}; problems: {self.problems}; epoch, step and running:"
            f" {shown} in the page, {has} in the session; its last status: {status}"
        )

    def send(self, kind: str, /, **values: Any) -> None:
        """Send a command from elsewhere; it has been executed when this returns."""
        refused: list[str] = []
        self.session.submit({"type": kind, **values}, refused.append)
        self.inside(lambda: None)
        assert refused == []

    def inside(self, work: Callable[[], Any]) -> None:
        """Call a function in the session's thread, between two steps."""
        asked = self.session.ask(work)
        self.until(asked.done)
        asked.result()

    def still(self, scenario: mm.Scenario | None = None, **values: Any) -> mm.Simulation:
        """Load a paused flock at step 0 and wait until the page shows it."""
        self.send("pause")
        whole = (scenario or flock()).with_values(values)
        self.send("load", scenario=whole.model_dump(mode="json"))
        self.shows_now()
        return self.simulation

    def arranged(self, scenario: mm.Scenario, positions: Any, velocities: Any) -> mm.Simulation:
        """Load a paused flock with agents at the given positions."""
        self.still(scenario)

        def place() -> None:
            self.session.scene.simulation = mm.Simulation(
                with_pointer(scenario, None), 7, "reference", positions=positions, velocities=velocities
            )
            self.session.source.epoch += 1

        self.inside(place)
        self.shows_now()
        return self.simulation

    @property
    def simulation(self) -> mm.Simulation:
        return self.session.simulation

    def screen(self, places: Any) -> np.ndarray:
        """Window coordinates of positions in the world [CSS px]."""
        camera, view = self.see("camera"), self.see("view")
        middle = np.array([view["width"], view["height"]]) / 2.0
        return (np.asarray(places, float) - (camera["x"], camera["y"])) * camera["zoom"] + middle

    def drawn(self) -> Any:
        """The strokes of a complete picture that was started after this call."""
        self.page.evaluate("() => { drawn.old = true; }")
        self.page.mouse.move(3, 3)
        self.page.evaluate("() => { dispatchEvent(new Event('resize')); }")  # requests a new picture
        self.until(lambda: self.page.evaluate("() => !drawn.old"))
        self.page.evaluate("() => { drawn.old = true; dispatchEvent(new Event('resize')); }")
        self.until(lambda: self.page.evaluate("() => !drawn.old"))
        return self.page.evaluate("() => drawn")

    def unfold(self) -> None:
        """Show the controls that few need."""
        self.page.get_by_role("button", name="More", exact=True).click()

    def comes_to_rest(self) -> None:
        """Wait until the view no longer moves: after a wheel or a key it glides to its goal."""

        def rests() -> bool:
            before = self.see("camera")
            self.drawn()
            return bool(self.see("camera") == before)

        self.until(rests)

    def close(self) -> None:
        """Check that there were no requests to other hosts, no policy violations and no errors (S8)."""
        violations = self.page.evaluate("() => globalThis.violations ?? []")
        self.page.context.close()
        assert (self.foreign, violations, self.problems) == ([], [], []), (
            self.foreign,
            violations,
            self.problems,
        )

    def leave(self) -> None:
        """Like `close`, but keep the page for the next test, without any state of this one."""
        violations = self.page.evaluate("() => globalThis.violations ?? []")
        for event, listener in self._listeners.items():
            self.page.remove_listener(event, listener)
        self.page.goto(
            self.live.origin + "/nothing"
        )  # of the same origin: any other would start a new process
        self.page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
        self.page.mouse.move(0, 0)
        assert (self.foreign, violations, self.problems) == ([], [], []), (
            self.foreign,
            violations,
            self.problems,
        )
