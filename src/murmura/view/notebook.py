"""The live view in a notebook: `murmura.show(sim)`. The same page and session over a widget's comm instead of a socket.

The view shows a copy: nothing done in the view changes your simulation, and two threads never step the same flock.
`view.simulation()` returns a copy of the flock in the view.
"""

from __future__ import annotations

import re
import tempfile
import threading
import traceback
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from murmura.core.errors import ScenarioError
from murmura.core.extras import needs
from murmura.engine.simulation import Simulation
from murmura.scenario import Scenario, load_scenario
from murmura.view.server import app as server
from murmura.view.session.first_picture import PAINT_SECONDS
from murmura.view.session.session import Session
from murmura.view.session.view_hub import ViewHub

if TYPE_CHECKING:
    from anywidget import AnyWidget


def show(
    what: Simulation | Scenario | str = "starlings",
    *,
    seed: int = 0,
    height: int = 480,
    speed: float | None = None,
    backend: str = "auto",
    threads: int | None = None,
) -> AnyWidget:
    """Show a live flock in the notebook.

    Args:
        what: A simulation, which is copied; or a scenario, or the name or path of one.
        seed: For a scenario.
        height: Height of the view [pixels].
        speed: Simulated seconds per second; by default the scenario's `display.speed`.
        backend: For a scenario, as for a simulation.
        threads: For a scenario, as for a simulation; by default one core is left free for the notebook.

    Returns:
        The widget. `simulation()` returns a copy of its flock, `pause()` and `play()` control it, and `close()`
        ends it. Its traits follow the flock several times a second: `step`, `time` [s], `agents`, `measures`, `running`
        and `selected`, an agent's id or None; the last two can be set, too. `on_step(act)` calls `act(view)` after each
        change of `step`.
    """
    if not isinstance(height, int) or isinstance(height, bool) or not 100 <= height <= 10_000:
        raise ScenarioError(f"height must be a whole number of pixels from 100 to 10000, got {height!r}")
    if isinstance(what, Simulation):
        begin: Simulation | Scenario = copy_simulation(what)
    else:
        begin = what if isinstance(what, Scenario) else load_scenario(what)
    make = _widget_class()
    return make(Session(begin, seed, backend, threads, speed), height)


def copy_simulation(simulation: Simulation) -> Simulation:
    """An independent simulation that continues with the same bits."""
    with tempfile.TemporaryDirectory(prefix="murmura-") as folder:
        file = Path(folder) / "copy.npz"
        simulation.save(file)
        return Simulation.restore(file, simulation.backend, simulation.threads)


def whole_page() -> str:
    """The built page as one document, scripts and styles included."""
    server.check_page()
    text = (server.STATIC / "index.html").read_text(encoding="utf-8")
    text = re.sub(r'<link rel="icon"[^>]*>', "", text)
    text = re.sub(
        r'<script type="module"[^>]*src="\./([^"]+)"[^>]*></script>',
        lambda found: f'<script type="module">{_part(found[1], "script")}</script>',
        text,
    )
    return re.sub(
        r'<link rel="stylesheet"[^>]*href="\./([^"]+)"[^>]*>',
        lambda found: f"<style>{_part(found[1], 'style')}</style>",
        text,
    )


def _part(name: str, element: str) -> str:
    """A file of the page, with closing tags escaped so that they do not end the enclosing element."""
    return (server.STATIC / name).read_text(encoding="utf-8").replace(f"</{element}", f"<\\/{element}")


@cache
def _widget_class() -> Any:
    with needs("notebook"):
        import anywidget
        import traitlets
    server.check_page()

    class FlockView(anywidget.AnyWidget):  # type: ignore[misc, unused-ignore]
        """A session in the notebook."""

        _esm = (server.STATIC / "notebook.js").read_text(encoding="utf-8")
        page = traitlets.Unicode().tag(sync=True)
        height = traitlets.Int().tag(sync=True)
        step = traitlets.Int(0, help="Steps since the flock began.").tag(sync=True)
        time = traitlets.Float(0.0, help="Simulated time [s].").tag(sync=True)
        agents = traitlets.Int(0).tag(sync=True)
        measures = traitlets.Dict().tag(sync=True)
        running = traitlets.Bool(False).tag(sync=True)
        selected = traitlets.Int(None, allow_none=True, help="The id of an agent.").tag(sync=True)

        def __init__(self, session: Session, height: int) -> None:
            session.first_picture.patience = PAINT_SECONDS
            self._hub = ViewHub(session, self._carry, self._follow)
            self._follower = 0  # the thread that sets traits to the state of the flock
            super().__init__(page=whole_page(), height=height)
            self.on_msg(lambda _, content, buffers: self._hub.receive(content))
            self._hub.open()
            self.play, self.pause = self._hub.play, self._hub.pause

        def on_step(self, act: Callable[[Any], object]) -> Callable[[], None]:
            """Call `act(view)` several times a second while the flock moves; returns a function that ends it."""

            def moved(_: Any) -> None:
                act(self)

            self.observe(moved, "step")
            return lambda: self.unobserve(moved, "step")

        @traitlets.observe("running", "selected")  # type: ignore[untyped-decorator, unused-ignore]
        def _obey(self, change: Any) -> None:
            """What was set here, and not by the flock itself, changes the view."""
            if threading.get_ident() == self._follower:
                return
            if change["name"] == "selected":
                self._hub.select(change["new"])
            elif change["new"]:
                self.play()
            else:
                self.pause()

        def _follow(self, status: dict[str, Any]) -> None:
            """Set the traits to the state of the flock."""
            self._follower = threading.get_ident()
            try:
                self.running, self.selected = status["running"], self._hub.session.watch.selected
                self.agents, self.measures = status["agents"], dict(status.get("measures") or {})
                self.time, self.step = status["time"], status["step"]
            except Exception:  # of a function that observes a trait: the view goes on
                traceback.print_exc()

        def simulation(self) -> Simulation:
            """A copy of the current flock of the view."""
            return _copy_of(self._hub.session)

        def close(self) -> None:
            """End the view and its simulation."""
            self._hub.close()
            super().close()

        def _carry(self, view: str, message: str | bytes) -> None:
            if isinstance(message, bytes):
                self.send({"view": view}, buffers=[message])
            else:
                self.send({"view": view, "text": message})

    return FlockView


def _copy_of(session: Session) -> Simulation:
    def copy() -> Simulation:
        found = copy_simulation(session.scene.simulation)
        found.adopt(session.scenario)  # without the pointer's attractor
        return found

    found: Simulation = session.ask(copy).result(timeout=60.0)
    return found
