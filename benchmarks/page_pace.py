"""How soon the page shows a flock; on a real GPU also frames per second, and GPU time per frame.

    python benchmarks/page_pace.py --starts 5                  # only the start, with empty and full kernel caches
    python benchmarks/page_pace.py --chromium chromium --agents 100000 [--backend cuda] [--flag=--use-angle=vulkan ...]

A start lasts from the command to the first picture of the flock (in a comparison, of both) in a browser that is open.

Plane and space are served by `murmura live`; then an exported file simulates its flock in the browser on WebGPU.
Chromium draws headless into a window of 1920x1080, at most 60 frames per second, or as many as it can with
--unlimited, and is driven over its DevTools protocol. On a machine with an NVIDIA GPU but no screen, these flags reach
the GPU through Vulkan:
--use-angle=vulkan --enable-features=Vulkan --disable-vulkan-surface --ignore-gpu-blocklist --enable-unsafe-webgpu

The GPU's time is measured by timer queries around all drawing of a picture (EXT_disjoint_timer_query_webgl2).
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

import murmura as mm

WIDTH, HEIGHT = 1920, 1080
SECONDS = 5.0
FLAGS = [
    "--headless", "--no-sandbox", "--hide-scrollbars",
    "--remote-debugging-port=0", f"--window-size={WIDTH},{HEIGHT}", "about:blank",
]  # fmt: skip
UNLIMITED = ["--disable-frame-rate-limit", "--disable-gpu-vsync"]
# Counts pictures, and puts a timer query around each: all that the page draws is drawn inside requestAnimationFrame.
COUNTER = """
(() => {
  window.pictures = 0;
  window.gpu = [];
  let gl = null, timer = null, waiting = [];
  const get = HTMLCanvasElement.prototype.getContext;
  HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
    const found = get.call(this, kind, ...more);
    if (kind === 'webgl2' && found && !gl) { gl = found; timer = gl.getExtension('EXT_disjoint_timer_query_webgl2'); }
    return found;
  };
  const ask = requestAnimationFrame;
  let last = 0;
  window.requestAnimationFrame = (act) => ask((now) => {
    if (now !== last) window.pictures += 1; // several may ask for the same picture
    last = now;
    if (!timer) return act(now);
    const query = gl.createQuery();
    gl.beginQuery(timer.TIME_ELAPSED_EXT, query);
    act(now);
    gl.endQuery(timer.TIME_ELAPSED_EXT);
    waiting.push(query);
    while (waiting.length && gl.getQueryParameter(waiting[0], gl.QUERY_RESULT_AVAILABLE)) {
      window.gpu.push(gl.getQueryParameter(waiting[0], gl.QUERY_RESULT) / 1e6);
      gl.deleteQuery(waiting.shift());
    }
  });
})();
"""
# The time of each flock's first picture [s since 1970], taken when it has been handed over and the card has painted it.
PAINTED = """
(() => {
  const times = (top.painted ??= {}), path = location.pathname, committed = new MessageChannel();
  const look = () => {
    if (path in times) return;
    requestAnimationFrame(look);
    committed.port2.postMessage(0);
  };
  committed.port1.onmessage = () => {
    if (path in times || (window.murmura?.firstPicture ?? null) === null) return;
    const gl = document.getElementById('flock').getContext('webgl2');
    gl?.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
    times[path] = (performance.timeOrigin + performance.now()) / 1000;
  };
  requestAnimationFrame(look);
})();
"""
MOVING = "[self, ...Array.from({length: frames.length}, (_, k) => frames[k])].every((one) => !(one.murmura?.step <= 0))"
GRAPHICS = """
(async () => {
  const gl = document.createElement('canvas').getContext('webgl2');
  const names = gl && gl.getExtension('WEBGL_debug_renderer_info');
  const adapter = navigator.gpu && await navigator.gpu.requestAdapter();
  return [gl ? gl.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : gl.RENDERER) : 'no WebGL',
          adapter ? `${adapter.info.vendor} ${adapter.info.architecture} ${adapter.info.description}` : 'no WebGPU'];
})()
"""


class Page:
    """A tab of Chromium, driven over the DevTools protocol."""

    def __init__(self, line: ClientConnection) -> None:
        self._line = line
        self._number = 0
        self.call("Page.enable")
        for script in (COUNTER, PAINTED):
            self.call("Page.addScriptToEvaluateOnNewDocument", source=script)

    def call(self, method: str, seconds: float = 60.0, **given: Any) -> Any:
        self._number += 1
        self._line.send(json.dumps({"id": self._number, "method": method, "params": given}))
        while True:
            answer = json.loads(self._line.recv(timeout=seconds))
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def evaluate(self, expression: str, seconds: float = 60.0) -> Any:
        found = self.call(
            "Runtime.evaluate", seconds, expression=expression, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in found:
            raise RuntimeError(str(found["exceptionDetails"])[:600])
        return found["result"].get("value")

    def wait_for(self, expression: str, seconds: float = 60.0) -> None:
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            with suppress(TimeoutError):  # a request sent while a page is being replaced is never answered
                if self.evaluate(expression, 1.0):
                    return
            time.sleep(0.005)
        raise RuntimeError(f"not true within {seconds:g} s: {expression}")

    def save(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))


@contextmanager
def chromium(program: str, flags: list[str]) -> Iterator[Page]:
    """Start Chromium with a temporary profile, and connect to its first tab."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [program, *flags, f"--user-data-dir={profile}", *FLAGS]
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        try:
            port = Path(profile) / "DevToolsActivePort"
            while not (port.exists() and port.read_text().count("\n")):
                if process.poll() is not None:
                    raise RuntimeError(f"{program} ended before it could be used")
                time.sleep(0.01)
            with urllib.request.urlopen(
                f"http://127.0.0.1:{port.read_text().split()[0]}/json/list"
            ) as answer:
                tabs = json.load(answer)
            tab = next(each for each in tabs if each["type"] == "page")
            with connect(tab["webSocketDebuggerUrl"], max_size=None) as line:
                yield Page(line)
        finally:
            process.terminate()
            process.communicate()


def pace(page: Page, out: Path | None, name: str) -> str:
    """Frames and steps per second, JavaScript and GPU time per frame, of what the page shows now."""
    page.evaluate("pictures = 0, gpu.length = 0")
    begun, step = time.perf_counter(), page.evaluate("murmura.step")
    time.sleep(SECONDS)
    count, steps = page.evaluate("pictures"), page.evaluate("murmura.step") - step
    passed = time.perf_counter() - begun
    gpu = sorted(page.evaluate("gpu"))
    script = page.evaluate("JSON.stringify(murmura.cost)")
    if out is not None:
        page.save(out / f"{name}.png")
    drawing = f"GPU {gpu[len(gpu) // 2]:.2f} ms a picture (median)" if gpu else "GPU not timed"
    drawn = page.evaluate("murmura.drawn")
    paces = f"{count / passed:.0f} pictures/s, {steps / passed:.0f} steps/s"
    return f"{drawn:,} agents: {paces}, {drawing}, JavaScript {script}"


@contextmanager
def started(page: Page, words: list[str], flocks: int = 1, cache: str = "") -> Iterator[tuple[float, float]]:
    """Run a command and open its page; seconds until the address was printed and until all flocks were painted."""
    page.call("Page.navigate", url="about:blank")
    time.sleep(0.5)  # clearing the previous page takes a while
    begun = time.time()
    process = subprocess.Popen(
        [sys.executable, "-m", "murmura", *words, "--no-open"], stdout=subprocess.PIPE, text=True,
        env=os.environ | ({"MURMURA_CACHE_DIR": cache} if cache else {}), stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        found = next(filter(None, (re.search(r"http://\S+", text) for text in process.stdout)))
        address = time.time() - begun
        page.call("Page.navigate", url=found[0])
        page.wait_for(f"Object.keys(globalThis.painted ?? {{}}).length === {flocks}")
        yield address, max(page.evaluate("Object.values(painted)")) - begun
    finally:
        process.terminate()
        process.communicate()


def starts(page: Page, rounds: int) -> None:
    """Print how long commands take to show their flocks, with an empty kernel cache and with a full one."""
    with tempfile.TemporaryDirectory() as folder:
        run = [sys.executable, "-m", "murmura", "run", "starlings", "--steps", "300", "--every", "5"]
        subprocess.run([*run, "--out", f"{folder}/run"], check=True, stdout=subprocess.DEVNULL)
        for line in ("", "live murmuration", "compare starlings classic", f"replay {folder}/run"):
            show = partial(started, page, line.split(), 2 if "compare" in line else 1)
            with show(f"{folder}/full"):
                page.wait_for(MOVING)
            times: dict[str, list[tuple[float, float]]] = {"empty": [], "full": []}
            for _ in range(rounds):
                for kind, cache in (("empty", tempfile.mkdtemp(dir=folder)), ("full", f"{folder}/full")):
                    with show(cache) as seconds:
                        times[kind].append(seconds)
            for kind, found in times.items():
                printed, painted = zip(*found, strict=True)
                best = f"best {min(printed):.2f} and {min(painted):.2f} s"
                middle = f"median {statistics.median(printed):.2f} and {statistics.median(painted):.2f} s"
                print(f"murmura {line} ({kind} cache): address and picture: {best}, {middle}", flush=True)


def live(page: Page, words: list[str], out: Path | None) -> None:
    """Serve a scenario, open it, and print when it appeared and how fast it is drawn."""
    begun = time.time()
    with started(page, ["live", *words]) as (address, painted):
        page.wait_for(MOVING)
        moving = time.time() - begun
        print(
            f"{' '.join(words)}: address {address:.2f} s, painted {painted:.2f} s, moving {moving:.2f} s",
            flush=True,
        )
        print(f"  {' | '.join(page.evaluate(GRAPHICS))}", flush=True)
        time.sleep(SECONDS)  # the flock forms
        print(f"  {pace(page, out, '-'.join(words[:1] + words[4:5]))}", flush=True)


def crowded(scenario: str, agents: int) -> list[str]:
    """More agents in a larger world, at the density of the shipped scenario."""
    shipped = mm.load_scenario(scenario)
    sides = [name for name in ("width", "height", "depth") if getattr(shipped.world, name)]
    longer = (agents / shipped.agents) ** (1 / len(sides))
    sizes = [f"world.{name}={getattr(shipped.world, name) * longer:.0f}" for name in sides]
    if shipped.start.layout == "disc":
        sizes.append(f"start.radius={shipped.start.radius * longer:.0f}")
    return ["--agents", str(agents), *(word for size in sizes for word in ("--set", size))]


def exported(page: Page, scenario: str, agents: int, out: Path | None) -> None:
    """Export a file that simulates in the browser, open it from the disk, and time it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "flock.html"
        subprocess.run(
            [sys.executable, "-m", "murmura", "export", scenario, "--to", "html", "--out", str(path),
             *crowded(scenario, agents)],
            check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        page.call("Page.navigate", url=path.as_uri())
        page.wait_for("globalThis.murmura?.step > 0")
        simulated = page.evaluate("Boolean(globalThis.murmuraFlock)")
        print(f"{scenario}, exported, {agents:,} agents, {'simulated' if simulated else 'recorded frames'}:")
        time.sleep(SECONDS)
        print(f"  {pace(page, out, f'{scenario}-exported')}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--chromium", default="chromium")
    parser.add_argument(
        "--flag", action="append", default=[], help="an additional flag for Chromium; may be repeated"
    )
    parser.add_argument("--starts", type=int, metavar="ROUNDS", help="measure only how soon flocks appear")
    parser.add_argument("--unlimited", action="store_true", help="as many frames per second as possible")
    parser.add_argument("--agents", type=int, default=100_000)
    parser.add_argument("--exported-agents", type=int, default=50_000)
    parser.add_argument("--backend", default="auto")
    parser.add_argument("--pictures", type=Path, help="a folder for screenshots")
    given = parser.parse_args()
    with chromium(given.chromium, given.flag + UNLIMITED * given.unlimited) as page:
        if given.starts:
            starts(page, given.starts)
            return
        for scenario in ("roosts", "murmuration"):
            words = [scenario, "--backend", given.backend]
            live(page, words, given.pictures)
            live(page, [*words, *crowded(scenario, given.agents)], given.pictures)
        exported(page, "classic", given.exported_agents, given.pictures)


if __name__ == "__main__":
    main()
