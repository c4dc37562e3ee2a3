"""Clients that never read are disconnected after 30 s, and their memory is freed (R12).

    python benchmarks/silent_clients.py [CLIENTS]

Starts a real server with 200,000 agents (frames of 1.6 MB), one client that reads and many that do not, and prints
the server's memory before them, with them, and after.
"""

from __future__ import annotations

import contextlib
import sys
import tempfile
import time
from pathlib import Path

from live_client import Viewer, live_server

from murmura.lab.bench.workload import workload
from murmura.scenario import save_scenario
from murmura.view.server.web_socket import PING_SECONDS, PONG_SECONDS

clients = int(sys.argv[1]) if len(sys.argv) > 1 else 100
with tempfile.TemporaryDirectory() as folder:
    file = Path(folder) / "flock.json"
    save_scenario(workload(200_000), file)
    with live_server([str(file), "--speed", "0.1"]) as server, contextlib.ExitStack() as stack:
        viewer = Viewer(stack.enter_context(server.connect()))
        viewer.watch(5.0)
        before, files = server.memory(), server.open_files()
        for _ in range(clients):
            stack.enter_context(contextlib.closing(server.stall()))
        viewer.watch(5.0)
        crowded = server.memory()
        begun = time.monotonic()
        while server.open_files() > files and time.monotonic() < begun + 3 * (PING_SECONDS + PONG_SECONDS):
            viewer.watch(0.5)
        gone = time.monotonic() - begun + 5.0
        viewer.watch(2.0)
        after = server.memory()
print(
    f"{clients} silent clients: {before:.0f} MB before, {crowded:.0f} MB with them, {after:.0f} MB after; "
    f"all disconnected within {gone:.0f} s; the reading client stayed"
)
sys.exit(0 if after < 1.1 * before and gone < 60.0 else 1)
