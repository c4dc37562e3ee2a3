"""Films as files: every picture, the right frame rate, playable even when ended early."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from murmura.core.errors import RunError, ScenarioError
from murmura.lab.films.encode import Mp4, check_target, ffmpeg, is_numbered, png
from murmura.lab.films.film import Cut, Scene, render
from murmura.lab.films.picture import Look
from tests.lab.film_scenes import ReelInMemory, crossing, moment

SMALL = Look(size=(320, 180), labels=False)


def decoded(path: Path, size: tuple[int, int]) -> np.ndarray:
    """All pictures of a film as (count, height, width, 3), by ffmpeg."""
    done = subprocess.run(
        [
            ffmpeg(),
            "-loglevel",
            "error",
            "-i",
            path,
            "-f",
            "rawvideo",
            "-vf",
            "scale=flags=accurate_rnd+full_chroma_int",  # by default ffmpeg 9 rounds more coarsely
            "-pix_fmt",
            "rgb24",
            "-fps_mode",
            "passthrough",
            "-",
        ],
        capture_output=True,
        check=True,
    )
    return np.frombuffer(done.stdout, np.uint8).reshape(-1, size[1], size[0], 3)


def described(path: Path) -> str:
    return subprocess.run([ffmpeg(), "-hide_banner", "-i", path], capture_output=True, text=True).stderr


def left_over(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def brightest_column(picture: np.ndarray) -> int:
    return int(picture.astype(float).mean(axis=2)[60:120].max(axis=0).argmax())


def test_an_mp4_holds_every_frame_once_at_the_asked_pace(tmp_path: Path):
    film = render(crossing(20), tmp_path / "a.mp4", SMALL, Cut(fps=12.5))
    assert (film.pictures, film.exact, film.steps, film.fps, film.seconds) == (20, True, (0, 190), 12.5, 1.6)
    told = described(tmp_path / "a.mp4")
    assert "12.50 fps" in told and "320x180" in told and "Duration: 00:00:01.60" in told
    assert re.search(r"h264.*yuv420p\(tv, bt709[,)]", told)
    pictures = decoded(tmp_path / "a.mp4", (320, 180))
    assert len(pictures) == 20
    columns = [brightest_column(one) for one in pictures]
    expected = [(200.0 + 20.0 * k - 800) * 0.2 * 0.98 + 160 for k in range(20)]
    assert (
        np.abs(np.array(columns) - expected).max() < 5.0
    )  # an agent is 6 px long, its brightest part its middle
    assert left_over(tmp_path) == ["a.mp4"]


def test_the_film_shows_what_was_painted(tmp_path: Path):
    render(crossing(3), tmp_path / "a.mp4", SMALL)
    scene = Scene(crossing(3), Cut(), SMALL)
    painted = [np.moveaxis(scene.paint(shot).astype(int), 0, 2).copy() for shot in scene.plan]
    for film, own in zip(decoded(tmp_path / "a.mp4", (320, 180)), painted, strict=True):
        assert np.abs(film.astype(int) - own).mean() < 3.0


def test_a_gif_holds_every_frame_and_loops(tmp_path: Path):
    render(crossing(10), tmp_path / "a.gif", SMALL, Cut(fps=25.0))
    assert len(decoded(tmp_path / "a.gif", (320, 180))) == 10
    data = (tmp_path / "a.gif").read_bytes()
    assert data.startswith(b"GIF89a") and b"NETSCAPE2.0\x03\x01\x00\x00\x00" in data
    delays = [
        int.from_bytes(data[m.end() : m.end() + 2], "little")
        for m in re.finditer(rb"\x21\xf9\x04.", data, re.S)
    ]
    assert delays == [4] * 10
    assert left_over(tmp_path) == ["a.gif"]


def test_a_png_is_read_back_bit_by_bit(tmp_path: Path):
    from matplotlib.image import imread

    pixels = np.random.default_rng(1).integers(0, 256, (3, 77, 91), np.uint8)
    (tmp_path / "a.png").write_bytes(png(pixels))
    read = np.round(imread(tmp_path / "a.png") * 255).astype(np.uint8)
    assert np.array_equal(np.moveaxis(read, 2, 0), pixels)


def test_a_row_of_pictures_is_numbered(tmp_path: Path):
    film = render(crossing(4), tmp_path / "f-%03d.png", SMALL)
    assert film.pictures == 4
    assert left_over(tmp_path) == [f"f-{k:03d}.png" for k in range(4)]


def test_one_moment_and_the_last_one(tmp_path: Path):
    assert render(crossing(9), tmp_path / "a.png", SMALL, Cut(at=30)).steps == (30, 30)
    assert render(crossing(9), tmp_path / "b.png", SMALL).steps == (80, 80)
    assert render(crossing(9), tmp_path / "c.png", SMALL, Cut(at=37)).steps == (40, 40)  # the nearest


def test_a_better_film_is_a_larger_file(tmp_path: Path):
    sizes = []
    for quality in ("small", "good", "best"):
        file = tmp_path / f"{quality}.mp4"
        render(crossing(20), file, SMALL, Cut(quality=quality))
        sizes.append(file.stat().st_size)
    assert sizes[0] < sizes[1] < sizes[2]
    with pytest.raises(ScenarioError, match="quality must be small, good, best, got 'superb'"):
        Cut(quality="superb")  # type: ignore[arg-type]


def test_a_part_begins_with_the_trails_of_the_whole(tmp_path: Path):
    """A picture of a step does not depend on where the film begins."""
    render(crossing(60), tmp_path / "all-%02d.png", SMALL, Cut(fps=10.0))
    render(crossing(60), tmp_path / "part-%02d.png", SMALL, Cut(fps=10.0, begin=400, end=420))
    render(crossing(60), tmp_path / "one.png", SMALL, Cut(fps=10.0, at=410))
    from matplotlib.image import imread

    read = {path.stem: np.round(imread(path) * 255).astype(int) for path in tmp_path.glob("*.png")}
    for whole, part in (("all-40", "part-00"), ("all-42", "part-02"), ("all-41", "one")):
        assert np.abs(read[whole] - read[part]).max() <= 1
    assert np.abs(read["all-40"] - read["all-41"]).max() > 30


def test_an_interrupt_leaves_a_shorter_film(tmp_path: Path):
    def stop(done: int, end: int) -> None:
        if done == 7:
            raise KeyboardInterrupt

    for name in ("a.mp4", "a.gif"):
        with pytest.raises(KeyboardInterrupt):
            render(crossing(40), tmp_path / name, SMALL, Cut(fps=25.0), progress=stop)
        assert len(decoded(tmp_path / name, (320, 180))) == 7
    assert left_over(tmp_path) == ["a.gif", "a.mp4"]


def test_an_interrupt_before_the_first_picture_keeps_the_film_before(tmp_path: Path):
    class Stopped(ReelInMemory):
        def __getitem__(self, k: int):  # type: ignore[no-untyped-def]
            raise KeyboardInterrupt

    (tmp_path / "a.mp4").write_bytes(b"an older film")
    with pytest.raises(KeyboardInterrupt):
        render(Stopped([moment([[1.0, 1.0]], [1.0, 0.0])]), tmp_path / "a.mp4", SMALL, force=True)
    assert (tmp_path / "a.mp4").read_bytes() == b"an older film"
    assert left_over(tmp_path) == ["a.mp4"]


def test_an_encoder_that_dies_is_reported_and_leaves_nothing(tmp_path: Path):
    encoder = Mp4(tmp_path / "a.mp4", (320, 180), 30.0)
    encoder._pipe._process.kill()
    picture = np.zeros((3, 180, 320), np.uint8)

    def fill() -> None:
        for _ in range(1000):
            encoder.add(picture)

    with pytest.raises(RunError, match="the film could not be written"):
        fill()
    encoder.abort()
    assert left_over(tmp_path) == []


def test_two_runs_side_by_side(tmp_path: Path):
    other = ReelInMemory([moment([[1400.0 - 20.0 * k, 450.0]], [-20.0, 0.0], 10 * k) for k in range(5)])
    film = render(crossing(9), tmp_path / "f-%d.png", SMALL, beside=other)
    assert film.pictures == 5  # as long as the shorter one
    from matplotlib.image import imread

    columns = []
    for k in range(5):
        picture = imread(tmp_path / f"f-{k}.png").mean(axis=2)[60:120]
        assert picture[:, 159:161].min() > 0.35  # the line between them
        picture[:, 157:163] = 0.0
        columns.append((picture[:, :160].max(axis=0).argmax(), 160 + picture[:, 160:].max(axis=0).argmax()))
    left, right = np.array(columns).T
    assert (np.diff(left) > 0).all() and (np.diff(right) < 0).all()


@pytest.mark.parametrize(
    ("name", "size", "fps", "message"),
    [
        ("a.avi", (320, 180), 30.0, "must end in .mp4, .gif, .png, got 'a.avi'"),
        ("a.mp4", (321, 180), 30.0, "even width and height, got 321x180"),
        ("a.gif", (320, 180), 60.0, "from 0.1 to 50 for .gif, got 60"),
        ("a.mp4", (320, 180), 0.0, "from 0.1 to 1000 for .mp4, got 0"),
        ("no/a.mp4", (320, 180), 30.0, "there is no folder"),
    ],
)
def test_what_cannot_be_written_is_refused_first(
    tmp_path: Path, name: str, size: tuple[int, int], fps: float, message: str
):
    with pytest.raises(ScenarioError, match=message):
        check_target(tmp_path / name, size, fps)


@pytest.mark.parametrize("name", ["a-%.png", "a-%d-%d.png", "a%%.png", "a-%s%.png", "50%.png"])
def test_a_row_needs_a_name_with_one_number(name: str):
    with pytest.raises(ScenarioError, match="flock-%05d"):
        is_numbered(Path(name))
