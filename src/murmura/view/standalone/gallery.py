"""A static site of scenarios that run in the browser: an index with pictures in groups, and a page for each."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from murmura.scenario import Scenario, load_scenario, scenario_names
from murmura.view.standalone.page import flock_page, write_file, write_page

FACTS: dict[str, Any] = json.loads(
    (resources.files("murmura.view") / "gallery.json").read_text(encoding="utf-8")
)
HERO = "roosts"
LONGEST_NAME = 42
"""A longer beginning of a title is a sentence, not a name [characters]."""
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' file:; frame-src 'self' file:; "
    "base-uri 'none'; form-action 'none'"
)
STYLE = """
:root { color-scheme: dark; --accent: #ffb35c; }
* { box-sizing: border-box; }
body { margin: 0; background: #080a14; color: #e8edf8; font: 16px/1.5 system-ui, sans-serif; }
a { color: inherit; }
a:focus-visible { outline: 2px solid var(--accent); outline-offset: 3px; }
.hero { position: relative; height: min(76vh, 52rem); overflow: hidden; background: #000 center / cover; }
.hero iframe { position: absolute; inset: 0; width: 100%; height: 100%; border: 0; }
.hero header { position: absolute; inset: auto 0 0; padding: 5rem max(1.2rem, calc(50vw - 38rem)) 1.6rem;
  background: linear-gradient(transparent, #080a14); pointer-events: none; }
.hero a { pointer-events: auto; }
h1 { font-size: clamp(2rem, 5vw, 3.4rem); font-weight: 200; letter-spacing: 0.02em; line-height: 1.1; margin: 0; }
.hero p { margin: 0.5rem 0 1rem; max-width: 44rem; }
.door { display: inline-block; margin: 0 0.5rem 0.5rem 0; padding: 0.55rem 1.1rem; border-radius: 99px;
  background: #1b2030; border: 1px solid #4a5470; text-decoration: none; }
.door.first { background: var(--accent); border-color: var(--accent); color: #14100a; font-weight: 600; }
.door:hover { border-color: #fff; }
main { max-width: 80rem; margin: 0 auto; padding: 0 1.2rem 4rem; }
h2 { font-weight: 300; font-size: 1.5rem; margin: 2.4rem 0 0.8rem; }
ul { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(19rem, 46%), 1fr)); gap: 1rem;
  list-style: none; margin: 0; padding: 0; }
.card { display: block; height: 100%; border-radius: 14px; overflow: hidden; background: #141929; text-decoration: none;
  border: 1px solid transparent; }
.card:hover { border-color: var(--accent); }
img { width: 100%; display: block; aspect-ratio: 16 / 9; object-fit: cover; background: #000; }
h3 { font-size: 1.05rem; margin: 0.7rem 0.9rem 0.1rem; }
.card p { margin: 0 0.9rem 1rem; color: #b9c3d8; font-size: 0.92rem; }
pre { background: #141929; border-radius: 10px; padding: 0.9rem 1.1rem; overflow-x: auto; }
@media (max-width: 40rem) { .card p { font-size: 0.82rem; } ul { gap: 0.6rem; } .hero { height: 82vh; } }
"""
Picture = Callable[[Scenario, int], bytes]
"""Paints a scenario with a seed as a PNG file."""


def write_gallery(
    folder: Path,
    picture: Picture,
    names: list[str] | None = None,
    seed: int = 0,
    tell: Callable[[str], None] = lambda name: None,
) -> list[str]:
    """Write the site, and return the names of its scenarios."""
    chosen = list(scenario_names()) if names is None else names
    scenarios = {}
    for name in chosen:
        tell(name)
        scenarios[name] = scenario = load_scenario(name)
        write_page(flock_page([scenario], seed), folder / f"{name}.html")
        write_file(picture(scenario, seed), folder / f"{name}.png")
    write_file(_index(scenarios).encode(), folder / "index.html")
    return chosen


def groups_of(scenarios: dict[str, Scenario]) -> list[tuple[str, list[str]]]:
    """Names in groups, as in the live page: the finest first, other 3-D worlds in one group, the rest last."""
    finest = [name for name in FACTS["finest"] if name in scenarios]
    deep = [name for name, each in scenarios.items() if name not in finest and each.world.depth is not None]
    taken = {*finest, *deep}
    named = [
        (label, [name for name in names if name in scenarios and name not in taken])
        for label, names in FACTS["groups"]
    ]
    taken.update(name for _, names in named for name in names)
    rest = [name for name in scenarios if name not in taken]
    groups = [(FACTS["first"], finest), *named, (FACTS["space"], deep), (FACTS["rest"], rest)]
    return [(label, names) for label, names in groups if names]


def heading_and_sentence(scenario: Scenario) -> tuple[str, str]:
    """The name for people, and what to watch, of a title such as "Two roosts at dusk: starlings … Watch …"."""
    end = re.search(r"[:.](?= |$)", scenario.title)
    if end is None or not 0 < end.start() <= LONGEST_NAME:
        return scenario.name.replace("-", " ").capitalize(), scenario.title
    rest = scenario.title[end.end() :].strip()
    return scenario.title[: end.start()], rest[:1].upper() + rest[1:]


def _card(name: str, scenario: Scenario) -> str:
    heading, sentence = map(html.escape, heading_and_sentence(scenario))
    return (
        f'<li><a class="card" href="{name}.html"><img src="{name}.png" alt="" loading="lazy" />'
        f"<h3>{heading}</h3><p>{sentence}</p></a></li>"
    )


def _group(label: str, cards: Sequence[str]) -> str:
    return f"<section><h2>{html.escape(label)}</h2><ul>{''.join(cards)}</ul></section>"


def _index(scenarios: dict[str, Scenario]) -> str:
    hero = HERO if HERO in scenarios else next(iter(scenarios))
    heading, _ = heading_and_sentence(scenarios[hero])
    groups = "\n".join(
        _group(label, [_card(name, scenarios[name]) for name in names])
        for label, names in groups_of(scenarios)
    )
    return f"""<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="{POLICY}" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="description" content="Flocks, schools and swarms that run in your browser." />
    <title>Murmura: flocks that run in your browser</title>
    <style>{STYLE}</style>
  </head>
  <body>
    <div class="hero" style="background-image: url({hero}.png)">
      <iframe src="{hero}.html#bare" title="{html.escape(heading)}: a flock to play with"></iframe>
      <header>
        <h1>Murmura</h1>
        <p>Flocks, schools and swarms that run here, in your browser. Press on this one and it comes to you.
        Nothing is installed and nothing is sent.</p>
        <a class="door first" href="{hero}.html">Open {html.escape(heading)}</a>
        <a class="door" href="#scenes">{len(scenarios)} scenes</a>
        <a class="door" href="#get">Get it</a>
      </header>
    </div>
    <main id="scenes">
{groups}
      <section id="get">
        <h2>What this is, and how to get it</h2>
        <p>Murmura is a laboratory for flocks: boids with real perception, in two and three dimensions, reproducible to
        the bit, on all cores or any GPU. These pages run the same code as the laboratory, compiled for browsers, and
        with the same seed they take the same steps. With Python 3.11 or newer, in the folder of its source:</p>
        <pre>python3 -m venv .venv &amp;&amp; .venv/bin/pip install . &amp;&amp; .venv/bin/murmura</pre>
      </section>
    </main>
  </body>
</html>
"""
