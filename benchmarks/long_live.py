"""Memory of a live server over an hour with five clients (R10).

    python benchmarks/long_live.py [SCENARIO] [MINUTES]

Four clients read everything; the fifth reconnects every minute. Prints the server's memory and open files
once a minute, and the slope of the memory after the first quarter, when caches are full. A client that gets no frame
for a minute ends the benchmark. The lineage grows by 72 bytes per birth, so use a flock without births to find leaks.
"""

from __future__ import annotations

import sys
import threading
import time

import numpy as np
from live_client import LiveServer, Viewer, live_server

CLIENTS = 5
SLICE = 5.0  # [s] of reading between two checks of the clock
LIMIT = 1.0  # [MB/h]


class Client(threading.Thread):
    """Connects, reads for `stay` seconds, connects again, until the end."""

    def __init__(self, server: LiveServer, end: float, stay: float) -> None:
        super().__init__(daemon=True)
        self.server, self.end, self.stay = server, end, stay
        self.frames = 0
        self.failure: Exception | None = None

    def run(self) -> None:
        try:
            while time.monotonic() < self.end:
                until = min(self.end, time.monotonic() + self.stay)
                with self.server.connect() as line:
                    viewer = Viewer(line)
                    while time.monotonic() < until:
                        viewer.watch(SLICE)
                        self.frames += len(viewer.times)
        except Exception as failure:
            self.failure = failure


def find_problem(clients: list[Client], frames: list[int]) -> str:
    """What is wrong with a client, if anything; `frames` are the numbers of frames a minute ago."""
    for client, before in zip(clients, frames, strict=True):
        if client.failure is not None:
            return f"a client failed: {client.failure!r}"
        if client.frames == before:
            return "a client got no frame for a minute"
    return ""


def main(scenario: str, minutes: int) -> int:
    seen: list[float] = []
    with live_server([scenario]) as server:
        begun = time.monotonic()
        end = begun + 60.0 * minutes
        clients = [Client(server, end, stay) for stay in [1e9] * (CLIENTS - 1) + [60.0]]
        for client in clients:
            client.start()
        while time.monotonic() < end:
            frames = [client.frames for client in clients]
            time.sleep(max(0.0, min(end, begun + 60.0 * (len(seen) + 1)) - time.monotonic()))
            seen.append(server.memory())
            print(f"{len(seen):4d} min  {seen[-1]:8.2f} MB  {server.open_files()} files", flush=True)
            problem = find_problem(clients, frames)
            if problem:
                print(problem)
                return 1
        shown = sum(client.frames for client in clients)
    settled = np.array(seen[len(seen) // 4 :])
    slope = 60.0 * float(np.polyfit(np.arange(settled.size), settled, 1)[0])
    print(f"{scenario}: {minutes} minutes, {CLIENTS} clients, {shown:,} frames, {slope:+.2f} MB an hour")
    return 0 if slope < LIMIT else 1


if __name__ == "__main__":
    given = sys.argv[1:]
    sys.exit(main(given[0] if given else "roosts", int(given[1]) if len(given) > 1 else 60))
