"""Makes docs/images/hawk.webp, the moving picture of the README: `python docs/make_moving_picture.py` (needs Pillow).

A hawk among starlings, rendered like a film by `murmura render`, as an animated WebP.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

import murmura as mm
from murmura.lab.films.film import render
from murmura.lab.films.film_frames import SimulatedReel
from murmura.lab.films.request import Cut, Look

SIZE, PICTURES, FPS, BEFORE = (720, 405), 110, 20, 900
LARGEST = 3_000_000
target = Path(__file__).with_name("images") / "hawk.webp"

scenario = mm.load_scenario("murmuration-hawk")
sim = mm.Simulation(scenario, seed=7)
sim.step(BEFORE)
every = max(1, round(2.0 / FPS / scenario.motion.time_step))
with TemporaryDirectory() as folder:
    look = Look(size=SIZE, labels=False)
    reel = SimulatedReel(sim, every * PICTURES, every)
    render(reel, Path(folder) / "%04d.png", look, Cut(FPS, None))
    pictures = [Image.open(path).convert("RGB") for path in sorted(Path(folder).glob("*.png"))]
    for quality in (60, 50, 40, 30):
        pictures[0].save(
            target,
            save_all=True,
            append_images=pictures[1:],
            duration=1000 // FPS,
            loop=0,
            quality=quality,
            method=4,
        )
        if target.stat().st_size <= LARGEST:
            break
size = target.stat().st_size
assert size <= LARGEST, f"{target.name} has {size:,} bytes, expected at most {LARGEST:,}: take fewer pictures"
print(f"wrote {target.name}: {len(pictures)} pictures, {size:,} bytes, quality {quality}")
