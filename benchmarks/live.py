"""Times the live view: a real server in its own process, real WebSocket clients, wall-clock time.

    python benchmarks/live.py [--agents N] [--scenario NAME] [--seconds S] [--clients N] [--stalled N] [MORE]

MORE are options of `murmura live`, such as `--backend cpu --threads 2`. Prints one line of JSON.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from live_client import LiveServer, Viewer, live_server

from murmura.lab.bench.workload import workload
from murmura.scenario import Scenario, load_scenario, save_scenario
from murmura.view.wire import space_frames
from murmura.view.wire.frames import HEADER

WARM_UP = 2.0  # [s] until flock, server and socket reach a steady state
ASK = bytes([0x81, 0x80 | 17]) + bytes(4) + b'{"type": "ready"}'


def bench_live(
    scenario: Scenario, seconds: float, clients: int = 1, stalled: int = 0, words: Sequence[str] = ()
) -> dict[str, Any]:
    """Watch a scenario with healthy clients, and with stalled ones that request frames and never read."""
    with tempfile.TemporaryDirectory(prefix="murmura-") as folder:
        file = Path(folder) / "scenario.json"
        save_scenario(scenario, file)
        begun = time.perf_counter()
        with live_server([str(file), "--speed", "1", *words]) as server, contextlib.ExitStack() as stack:
            viewers = [Viewer(stack.enter_context(server.connect())) for _ in range(clients)]
            while viewers[0].take() != "frame":
                pass
            first = time.perf_counter() - begun
            while viewers[0].steps[-1][1] == 0:  # the flock does not move until its kernel is built
                viewers[0].take()
            alone = server.memory()
            _stall(server, stalled, stack)
            _watch_all(viewers, WARM_UP)
            busy = server.busy_seconds()
            _watch_all(viewers, seconds)
            cores = (server.busy_seconds() - busy) / seconds
            return {
                **_facts(scenario.agents, viewers, stalled),
                "first_frame_s": round(first, 2),
                "server_cores": round(cores, 2),
                "server_mb": round(server.memory(), 1),
                "mb_for_a_stalled_client": round((server.memory() - alone) / stalled, 3) if stalled else None,
            }


def _stall(server: LiveServer, count: int, stack: contextlib.ExitStack) -> None:
    """Clients that request a frame every second and never read."""
    lines = [stack.enter_context(contextlib.closing(server.stall())) for _ in range(count)]
    over = threading.Event()
    stack.callback(over.set)

    def send_commands() -> None:
        while not over.wait(1.0):
            for line in lines:
                with contextlib.suppress(OSError):
                    line.sendall(ASK)

    if lines:
        threading.Thread(target=send_commands, daemon=True).start()


def _watch_all(viewers: list[Viewer], seconds: float) -> None:
    others = [threading.Thread(target=viewer.watch, args=(seconds,)) for viewer in viewers[1:]]
    for other in others:
        other.start()
    viewers[0].watch(seconds)
    for other in others:
        other.join()


def _facts(agents: int, viewers: list[Viewer], stalled: int) -> dict[str, Any]:
    gaps = np.concatenate([np.diff(viewer.times) for viewer in viewers]) * 1e3
    size = len(viewers[0].frame)
    shown = int.from_bytes(viewers[0].frame[8:12], "little")
    header = space_frames.HEADER.size if viewers[0].frame[:4] == space_frames.MAGIC else HEADER.size
    return {
        "agents": agents,
        "clients": len(viewers),
        "stalled": stalled,
        "steps_per_second": round(_rate(viewers[0].steps), 1),
        "frames_per_second": round(min(_rate_of(viewer.times) for viewer in viewers), 1),
        "gap_median_ms": round(float(np.median(gaps)), 1),
        "gap_p99_ms": round(float(np.quantile(gaps, 0.99)), 1),
        "gap_most_ms": round(float(gaps.max()), 1),
        "agents_in_a_frame": shown,
        "bytes_in_a_frame": size,
        "bytes_for_an_agent": round((size - header) / max(shown, 1), 2),
    }


def _rate(steps: list[tuple[float, int]]) -> float:
    (begun, low), (ended, high) = steps[0], steps[-1]
    return (high - low) / (ended - begun)


def _rate_of(times: list[float]) -> float:
    return (len(times) - 1) / (times[-1] - times[0])


def main() -> None:
    options = argparse.ArgumentParser(description="Times the live view.")
    options.add_argument("--agents", type=int, default=100_000)
    options.add_argument("--scenario", help="by default the common workload of `murmura bench`")
    options.add_argument("--seconds", type=float, default=10.0, help="how long to watch")
    options.add_argument("--clients", type=int, default=1, help="pages that watch")
    options.add_argument(
        "--stalled", type=int, default=0, help="pages that request frames and never read them"
    )
    chosen, words = options.parse_known_args()
    if chosen.scenario is None:
        scenario = workload(chosen.agents)
    else:
        scenario = load_scenario(chosen.scenario).with_values({"agents": chosen.agents})
    print(json.dumps(bench_live(scenario, chosen.seconds, chosen.clients, chosen.stalled, words)))


if __name__ == "__main__":
    main()
