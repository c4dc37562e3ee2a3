"""Exported pages as files: self-contained, small, without network access, and with escaped scenario texts."""

from __future__ import annotations

import base64
import json
import re
import zlib
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import numpy as np
import pytest

import murmura as mm
from murmura.cli import main
from murmura.cli.export import export
from murmura.core.errors import RunError, ScenarioError
from murmura.lab.bench.workload import resized
from murmura.lab.runs.recording import record
from murmura.scenario import Scenario
from murmura.view.standalone import gallery
from murmura.view.standalone import page as pages
from murmura.view.standalone import scene as scenes
from murmura.view.standalone import start as starts
from murmura.view.standalone.live_values import vector_of
from murmura.view.standalone.loop import loop_of
from murmura.view.standalone.page import flock_page
from murmura.view.standalone.planes import PLANE
from murmura.view.standalone.proof import scenes_of
from murmura.view.standalone.scene import page_scene
from murmura.view.wire.frames import HEADER, encode
from tests.view.live import Frame

EVIL = '</script><script>globalThis.hacked = 1</script><img src=x onerror="hacked=2">'


@pytest.fixture(scope="module", autouse=True)
def _built() -> None:
    """A built page."""
    if not (pages.server.STATIC / pages.SCRIPT).exists():
        pytest.fail("the page is not built: run `npm run build` in src/murmura/view/web")


@pytest.fixture(scope="module")
def classic() -> str:
    scenario = resized(mm.load_scenario("classic"), 60)
    return flock_page([scenario.model_copy(update={"title": EVIL})], 3)


def data_of(page: str) -> dict[str, Any]:
    [text] = re.findall(r'id="murmura-data">([^<]*)</script>', page)
    found: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(text), -15))
    return found


def test_one_file_that_asks_for_nothing(classic: str):
    assert len(classic.encode()) < pages.LARGEST
    assert not re.findall(r'\b(?:src|href)="(?!data:)', classic.split("<style>")[0])
    scripts = re.findall(r'<script type="module">(.*?)</script>', classic, re.DOTALL)
    assert len(scripts) == 2
    for script in scripts:
        assert not re.search(r"""\bimport\s*[{"'(*]""", script), (
            "what two scripts share became a file of its own"
        )
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', classic)
    assert policy is not None
    assert policy[1].startswith("default-src 'none'; script-src 'sha256-")
    assert policy[1].replace("'wasm-unsafe-eval'", "").count("unsafe") == 0
    assert "connect-src" not in policy[1], "default-src has the last word on connections: none"


def test_texts_of_a_scenario_are_no_markup(classic: str):
    assert EVIL not in classic
    assert "&lt;/script&gt;" in classic
    assert data_of(classic)["scenarios"][0]["title"] == EVIL


def verify(words: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    with pytest.raises(SystemExit) as end:
        main(["verify-page", *words.split()])
    out, problems = capsys.readouterr()
    return int(end.value.code or 0), out + problems


def test_a_page_is_verified_by_simulating_it_natively(
    classic: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    Path("flock.html").write_text(classic, encoding="utf-8")
    scenario = resized(mm.load_scenario("classic"), 60)
    hashes = []
    for seed, steps in ((3, 100), (9, 20)):
        sim = mm.Simulation(scenario, seed, "cpu", portable=True)
        sim.step(steps)
        hashes.append(sim.state_hash())
    assert verify("flock.html --json", capsys) == (0, ANY)
    code, said = verify("flock.html", capsys)
    assert code == 0
    assert hashes[0] in said
    assert verify(f"flock.html --step 20 --seed 9 --hash {hashes[1][:8].upper()}", capsys) == (0, ANY)
    code, said = verify(f"flock.html --step 21 --seed 9 --hash {hashes[1]}", capsys)
    assert code == RunError.exit_code
    assert f"expected {hashes[1]}" in said
    for words, problem in (
        ("flock.html --step 20", "give --step and --hash together"),
        (f"flock.html --step 20 --seed 9 --hash {hashes[1][:3]}", "expected"),
        ("flock.html --scenario fish", "it has classic"),
        ("missing.html", "cannot read missing.html"),
    ):
        code, said = verify(words, capsys)
        assert code > 0
        assert problem in said


@pytest.mark.parametrize("data", ["", "AAAA", base64.b64encode(zlib.compress(b"[]", wbits=-15)).decode()])
def test_another_file_is_no_page(data: str, tmp_path: Path):
    file = tmp_path / "other.html"
    file.write_text(f'<script id="murmura-data">{data}</script>')
    with pytest.raises(RunError, match="is no page made by murmura"):
        scenes_of(file)


def test_frames_come_back_from_a_loop():
    scenario = resized(mm.load_scenario("classic"), 40)
    sim = mm.Simulation(scenario, 2, "reference")
    frames = []
    for _ in range(4):
        frames.append(encode(sim, 1))
        sim.step(3)
    loop = loop_of(frames)
    body = zlib.decompress(base64.b64decode(loop["planes"]), -15)
    before = earlier = np.zeros((40, 6), np.int64)
    place = 0
    for k, frame in enumerate(frames):
        change = [np.frombuffer(body, "<u2", 40, place + 80 * n) for n in range(2)]
        change += [np.frombuffer(body, np.uint8, 40, place + 160 + 40 * n) for n in range(4)]
        place += 160 + 160
        flown = before.copy()
        if k > 1:
            flown[:, :2] += before[:, :2] - earlier[:, :2]
        now = (flown + np.stack(change, axis=1)) & (1 << np.array(PLANE.bits)) - 1
        words = np.frombuffer(frame, np.uint32, offset=HEADER.size).reshape(-1, 2).astype(np.int64)
        assert np.array_equal(now[:, 0], (words[:, 0] & 0xFFFF) >> PLANE.coarse[0])
        assert np.array_equal(now[:, 1], words[:, 0] >> 16 >> PLANE.coarse[1])
        assert np.array_equal(now[:, 4], words[:, 1] >> 16 & 0xFF)
        before, earlier = now, before
    assert place == len(body)


def test_frames_in_space_are_told_by_planes_of_their_own():
    """Three coordinates, two bytes of direction, then speed, roll, species and the extra column."""
    scenario = mm.load_scenario("murmuration").with_values({"agents": 30})
    simulation = mm.Simulation(scenario, 3, "reference")
    frames = []
    for _ in range(3):
        frames.append(encode(simulation, 1))
        simulation.step(2)
    body = zlib.decompress(base64.b64decode(loop_of(frames)["planes"]), -15)
    assert len(body) == 3 * 30 * (3 * 2 + 6)
    first = np.frombuffer(body, "<u2", 90).reshape(3, 30)
    assert np.abs(first.T * (8.0 / 65535.0) * scenario.world.sides - Frame(frames[0]).positions).max() < 0.2
    # A flock that moves steadily needs only small numbers.
    third = np.frombuffer(body, "<u2", 90, 2 * 360).astype(int)
    assert np.median(np.minimum(third, 8192 - third)) <= 2


def test_a_large_flock_is_thinned_out():
    frames = [encode(mm.Simulation(resized(mm.load_scenario("classic"), 500), 1, "reference"), 1)] * 3
    loop = loop_of(frames, most=300)
    header = HEADER.unpack_from(base64.b64decode(loop["headers"]))
    assert header[2:4] == (100, 500)
    assert header[9] == 5


def test_a_file_that_would_be_too_large_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pages, "LARGEST", 1000)
    with pytest.raises(RunError, match=r"more than 1,000: use fewer agents"):
        pages.assembled({"a": 1}, "title")


def test_a_gallery(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(gallery, "load_scenario", lambda name: resized(mm.load_scenario(name), 40))
    monkeypatch.setattr(
        scenes, "live_values", lambda s: {"ranges": {}, "expressions": {}, "vector": vector_of(s).tolist()}
    )
    names = ["classic", "school", "roosts"]
    painted: list[tuple[str, int]] = []

    def picture(scenario: Scenario, seed: int) -> bytes:
        painted.append((scenario.name, seed))
        return b"a picture"

    assert gallery.write_gallery(tmp_path, picture, names, seed=3) == names
    assert painted == [(name, 3) for name in names]
    index = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert re.findall(r'<h2>(.*?)</h2>|class="card" href="(.*?)"', index)[:6] == [
        ("Begin here", ""), ("", "roosts.html"), ("Flocks and swarms", ""), ("", "classic.html"), ("In space", ""),
        ("", "school.html"),
    ]  # fmt: skip
    assert "<h3>Two roosts at dusk</h3><p>Starlings in a sky" in index
    assert '<iframe src="roosts.html#bare"' in index
    assert (tmp_path / "classic.png").read_bytes() == b"a picture"
    assert (tmp_path / "classic.html").stat().st_size < pages.LARGEST


def test_the_picture_of_a_scenario_glows(tmp_path: Path):
    from matplotlib import image

    from murmura.cli.export import gallery_picture

    (tmp_path / "one.png").write_bytes(gallery_picture("cpu", resized(mm.load_scenario("classic"), 60), 0))
    pixels = image.imread(tmp_path / "one.png")
    assert pixels.shape[:2] == (360, 640)
    assert 0.0003 < (pixels.max(axis=2) > 0.5).mean() < 0.2


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    out = tmp_path / "flock.html"
    export("classic", to="html", out=out, agents=50, also="classic", as_json=True)
    assert json.loads(capsys.readouterr().out)["shows"] == "a simulation"
    scenes = data_of(out.read_text(encoding="utf-8"))["scenes"]
    assert [scene["hello"]["scenario"]["agents"] for scene in scenes] == [50, 600]
    with pytest.raises(ScenarioError, match="say what to export"):
        export()


def test_a_recorded_run_becomes_a_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    scenario = resized(mm.load_scenario("classic"), 40)
    record(mm.Simulation(scenario, 2, "reference"), 20, tmp_path / "run", every=5)
    export("run", to="html", as_json=True)
    assert "recorded frames" in json.loads(capsys.readouterr().out)["shows"]
    data = data_of((tmp_path / "run.html").read_text(encoding="utf-8"))
    assert (data["run"], data["loop"]["frames"]) == ("run", 5)


def test_the_start_of_a_large_flock_is_left_to_the_page(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(starts, "MOST_EMBEDDED", 10)
    scenario = resized(mm.load_scenario("mixed"), 60)
    start = page_scene(scenario, 1)["start"]
    assert start["columns"] is None
    runs = start["fill"]["species_id"]
    assert sum(count for count, _ in runs) == 60
    filled = np.repeat([value for _, value in runs], [count for count, _ in runs])
    assert np.array_equal(filled, mm.Simulation(scenario, 1, "reference").column("species"))
