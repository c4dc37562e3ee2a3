"""Memory of a live server over an hour with five clients (R10).

    python benchmarks/long_live.py [SCENARIO] [MINUTES]

Four clients read everything; the fifth leaves and comes back every minute. Prints the server's memory and open files
once a minute, and the slope of the memory after the first quarter, when caches are full.
"""

from __future__ import annotations

import sys
import threading
import time

import numpy as np

from murmura.view.server.client import LiveServer, Viewer, live_server

CLIENTS = 5
SLICE = 5.0  # [s] of reading between two looks at the clock
LIMIT = 1.0  # [MB an hour]


def read(server: LiveServer, end: float, stay: float, failures: list[Exception]) -> None:
    """One client: connects, reads for `stay` seconds, connects again."""
    try:
        while time.monotonic() < end:
            until = min(end, time.monotonic() + stay)
            with server.connect() as line:
                viewer = Viewer(line)
                while time.monotonic() < until:
                    viewer.watch(SLICE)
    except Exception as failure:
        failures.append(failure)


def main(scenario: str, minutes: int) -> int:
    failures: list[Exception] = []
    seen: list[float] = []
    with live_server([scenario]) as server:
        begun = time.monotonic()
        end = begun + 60.0 * minutes
        stays = [1e9] * (CLIENTS - 1) + [60.0]
        crew = [threading.Thread(target=read, args=(server, end, stay, failures)) for stay in stays]
        for one in crew:
            one.start()
        while time.monotonic() < end and not failures:
            time.sleep(max(0.0, min(end, begun + 60.0 * (len(seen) + 1)) - time.monotonic()))
            seen.append(server.memory())
            print(f"{len(seen):4d} min  {seen[-1]:8.2f} MB  {server.open_files()} files", flush=True)
        for one in crew:
            one.join()
    if failures:
        print(f"a client failed: {failures[0]!r}")
        return 1
    settled = np.array(seen[len(seen) // 4 :])
    slope = 60.0 * float(np.polyfit(np.arange(settled.size), settled, 1)[0])
    print(
        f"{scenario}, {minutes} minutes, {CLIENTS} clients: {slope:+.2f} MB an hour (at most {LIMIT:g} promised)"
    )
    return 0 if slope < LIMIT else 1


if __name__ == "__main__":
    sys.exit(
        main(sys.argv[1] if len(sys.argv) > 1 else "ecosystem", int(sys.argv[2]) if len(sys.argv) > 2 else 60)
    )
