"""Starts `murmura` commands by forking a process that has already imported it, which saves a second per command.

`python -m tests.cli.fork_server` reads requests as lines of JSON and answers each with an exit code. A command runs in
a fork: it has the environment, folder and output of its request, and no state of earlier commands.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any


def main() -> None:
    import murmura.cli
    import murmura.engine.simulation
    import murmura.lab.runs.recording
    import murmura.scenario  # noqa: F401  # everything that commands import sooner or later and that starts no thread

    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            become(json.loads(line))
            return
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def become(request: dict[str, Any]) -> None:
    """Run the requested command and exit with its code."""
    from murmura.__main__ import main as front_door

    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["cwd"])
    for number, name in ((0, os.devnull), (1, request["printed"]), (2, request["said"])):
        file = os.open(name, os.O_RDWR | os.O_CREAT, 0o600)
        os.dup2(file, number)
        os.close(file)
    sys.argv = ["murmura", *request["words"]]
    front_door()


if __name__ == "__main__":
    main()
