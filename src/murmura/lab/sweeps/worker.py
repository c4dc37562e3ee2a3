"""A worker process of a sweep: reads a question and then batches of tasks as lines of JSON, and writes rows likewise.

Plain pipes instead of `multiprocessing`: a user's script needs no main guard, nothing is pickled, and a worker
that dies loses only its own batch.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from queue import SimpleQueue
from typing import Any


def main() -> None:
    """Serve until standard input ends."""
    # Ctrl-C is handled by the parent, which ends its workers itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Output of a user's rules must not mix with the rows.
    rows = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    lines: SimpleQueue[str] = SimpleQueue()
    threading.Thread(target=_listen, args=(lines,), daemon=True).start()

    from murmura.lab.sweeps.jobs import do_job

    question = json.loads(lines.get())
    _write(rows, {"ready": True})
    while True:
        _write(rows, do_job(question, json.loads(lines.get())))


def _listen(lines: SimpleQueue[str]) -> None:
    """Forward lines. When they end, the parent has closed the pipe or died: exit at once."""
    for line in sys.stdin:
        lines.put(line)
    os._exit(0)


def _write(rows: Any, row: Any) -> None:
    try:
        rows.write(json.dumps(row) + "\n")
        rows.flush()
    except BrokenPipeError:
        os._exit(0)


if __name__ == "__main__":
    main()
