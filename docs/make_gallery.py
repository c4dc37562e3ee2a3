"""Makes docs/images/gallery/NAME.webp, a picture of every scenario: `python docs/make_gallery.py [NAME ...]`.

Each is rendered like `murmura render` after twenty seconds (needs Pillow; the first time compiles every kernel).
In 3-D worlds the camera follows the flock. Small versions of all of them form the sprite sheet of the live page's
gallery.
"""

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

import murmura as mm
from murmura.lab.films.film import render
from murmura.lab.films.film_frames import SimulatedReel
from murmura.lab.films.request import Cut, Look

SECONDS, BEFORE, EVERY = 20.0, 60, 2
NEARER = {"stardisplay": {"follow": 0, "closer": 16.0}}  # one of several flocks


folder = Path(__file__).with_name("images") / "gallery"
folder.mkdir(exist_ok=True)
for name in sys.argv[1:] or mm.scenario_names():
    scenario = mm.load_scenario(name)
    sim = mm.Simulation(scenario, seed=7)
    sim.step(max(0, round(SECONDS / scenario.motion.time_step) - BEFORE))
    with TemporaryDirectory() as scratch:
        picture = Path(scratch) / "last.png"
        follow = "flock" if scenario.world.depth else None
        look = Look(size=(480, 270), labels=False, **NEARER.get(name, {"follow": follow}))
        render(SimulatedReel(sim, BEFORE, EVERY), picture, look, Cut(30.0, None))
        Image.open(picture).convert("RGB").save(folder / f"{name}.webp", quality=75, method=6)
    print(f"{name}: {(folder / f'{name}.webp').stat().st_size:,} bytes", flush=True)

WIDTH, HEIGHT, COLUMNS = 160, 90, 6
names = sorted(path.stem for path in folder.glob("*.webp"))
rows = -(-len(names) // COLUMNS)
sheet = Image.new("RGB", (WIDTH * COLUMNS, HEIGHT * rows))
for k, name in enumerate(names):
    small = (
        Image.open(folder / f"{name}.webp").convert("RGB").resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS)
    )
    sheet.paste(small, (k % COLUMNS * WIDTH, k // COLUMNS * HEIGHT))
page = Path(mm.__file__).parent / "view" / "web" / "src" / "gallery"
sheet.save(page / "pictures.webp", quality=68, method=6)
facts = {"columns": COLUMNS, "rows": rows, "names": names}
(page / "pictures.json").write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
