"""Makes docs/images/gallery/NAME.webp, a picture of every scenario: `python docs/make_gallery.py [NAME ...]`.

Each is painted as `murmura render` paints, after twenty seconds (needs Pillow; a first time compiles every kernel).
Worlds with a depth are seen from above, without hunters.
"""

import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

import murmura as mm
from murmura.lab.films.film import Cut, render
from murmura.lab.films.film_frames import FilmFrame, SimulatedReel
from murmura.lab.films.picture import Look

SECONDS, BEFORE, EVERY = 20.0, 60, 2


class FromAbove(SimulatedReel):
    """A flock without its height."""

    def __getitem__(self, k: int) -> FilmFrame:
        frame = super().__getitem__(k)
        if self.scenario.world.depth is None:
            return frame
        return replace(frame, positions=frame.positions[:, :2], velocities=frame.velocities[:, :2], items={})


folder = Path(__file__).with_name("images") / "gallery"
folder.mkdir(exist_ok=True)
for name in sys.argv[1:] or mm.scenario_names():
    scenario = mm.load_scenario(name)
    sim = mm.Simulation(scenario, seed=7)
    sim.step(max(0, round(SECONDS / scenario.motion.time_step) - BEFORE))
    with TemporaryDirectory() as aside:
        picture = Path(aside) / "last.png"
        look = Look(size=(480, 270), labels=False)
        render(FromAbove(sim, BEFORE, EVERY), picture, look, Cut(30.0, None))
        Image.open(picture).convert("RGB").save(folder / f"{name}.webp", quality=75, method=6)
    print(f"{name}: {(folder / f'{name}.webp').stat().st_size:,} bytes", flush=True)
