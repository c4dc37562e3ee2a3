"""A static site of scenarios that run in the browser: an index with pictures and descriptions, and a page for each."""

from __future__ import annotations

import colorsys
import html
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from murmura.engine.reading.facts import FoodSource, Hunter
from murmura.engine.reading.surroundings import food, hunters
from murmura.engine.simulation import Simulation
from murmura.scenario import Scenario, load_scenario, scenario_names
from murmura.view.standalone.page import flock_page, write_file, write_page

SHOWN_AT = 6.0
"""[s] of simulated time at which the picture is taken."""
MOST_DRAWN = 400
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; base-uri 'none'; form-action 'none'"
STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
ul { display: grid; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); gap: 1.2rem; }
ul { list-style: none; padding: 0; }
a { color: inherit; text-decoration: none; display: block; }
a { border: 1px solid #8886; border-radius: 10px; overflow: hidden; }
a:hover, a:focus { border-color: currentColor; }
img { width: 100%; display: block; background: #0b1020; aspect-ratio: 16 / 9; }
h2 { font-size: 1.05rem; margin: 0.6rem 0.8rem 0; } p.about { margin: 0.2rem 0.8rem 0.8rem; }
"""


def write_gallery(
    folder: Path,
    names: list[str] | None = None,
    seed: int = 1,
    backend: str = "auto",
    tell: Callable[[str], None] = lambda name: None,
) -> list[str]:
    """Write the site, and return the names of its scenarios."""
    chosen = list(scenario_names()) if names is None else names
    cards = []
    for name in chosen:
        tell(name)
        scenario = load_scenario(name)
        write_page(flock_page([scenario], seed), folder / f"{name}.html")
        write_file(_picture(scenario, seed, backend).encode(), folder / f"{name}.svg")
        words = html.escape(scenario.title)
        cards.append(
            f'<li><a href="{name}.html"><img src="{name}.svg" alt="" /><h2>{html.escape(name)}</h2>'
            f'<p class="about">{words}</p></a></li>'
        )
    write_file(_index(cards).encode(), folder / "index.html")
    return chosen


def _index(cards: list[str]) -> str:
    listed = "\n".join(cards)
    return f"""<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="{POLICY}" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Murmura: flocks that run in your browser</title>
    <style>{STYLE}</style>
  </head>
  <body>
    <h1>Murmura: flocks that run in your browser</h1>
    <p>Choose a flock: it is simulated in your browser.</p>
    <ul>
{listed}
    </ul>
  </body>
</html>
"""


def _picture(scenario: Scenario, seed: int, backend: str) -> str:
    """The flock after some seconds, with a stroke for each agent, coloured by heading."""
    simulation = Simulation(scenario, seed, backend, announce=None)
    simulation.step(round(SHOWN_AT / scenario.motion.time_step))
    places, velocities = simulation.positions[:, :2], simulation.velocities[:, :2]
    low, size = np.zeros(2), np.array([scenario.world.width, scenario.world.height])
    if scenario.world.boundary == "open" and len(places):
        low, size = places.min(axis=0), np.maximum(np.ptp(places, axis=0), 1.0)
    chosen = slice(None, None, max(1, len(places) // MOST_DRAWN))
    strokes = [
        _stroke((place - low) / size, velocity)
        for place, velocity in zip(places[chosen], velocities[chosen], strict=True)
    ]
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 360"><rect width="640" height="360" fill="#0b1020"/>'
        f'<g fill="#2e8b57">{_dots(food(simulation), low, size, 6.0)}</g>'
        f'<g stroke-width="2.4" stroke-linecap="round">{"".join(strokes)}</g>'
        f'<g fill="#e5484d">{_dots(hunters(simulation), low, size, 8.0)}</g></svg>\n'
    )


def _dots(things: Sequence[Hunter | FoodSource], low: Any, size: Any, radius: float) -> str:
    """Food or hunters, one disc each."""
    places = [(np.array([thing["x"], thing["y"]]) - low) / size for thing in things]
    return "".join(f'<circle cx="{640 * x:.1f}" cy="{360 * y:.1f}" r="{radius}"/>' for x, y in places)


def _stroke(place: np.ndarray, velocity: np.ndarray) -> str:
    x, y = place[0] * 640.0, place[1] * 360.0
    angle = math.atan2(velocity[1], velocity[0])
    dx, dy = 5.0 * math.cos(angle), 5.0 * math.sin(angle)
    red, green, blue = (
        round(255 * part) for part in colorsys.hls_to_rgb(angle / (2.0 * math.pi) % 1.0, 0.7, 0.8)
    )
    return f'<path d="M{x - dx:.1f} {y - dy:.1f}L{x:.1f} {y:.1f}" stroke="#{red:02x}{green:02x}{blue:02x}"/>'
