"""A Firefox without windows, driven by WebDriver BiDi, the protocol that it speaks itself."""

from __future__ import annotations

import itertools
import json
import re
import shutil
import subprocess
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import ClientConnection, connect

from tests.view.live import PATIENCE

NAMES = ("firefox-esr", "firefox")
PREFERENCES = """
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("toolkit.telemetry.reportingpolicy.firstRun", false);
"""


@contextmanager
def firefox_with(folder: Path) -> Iterator[Firefox]:
    """A browser with one page, whose profile is this folder."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.fail("these tests drive Firefox: `apt-get install firefox-esr` (or run scripts/test as root)")
    (folder / "user.js").write_text(PREFERENCES)
    command = [path, "--headless", "--no-remote", "--profile", str(folder), "--remote-debugging-port", "0"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        reader = None
        try:
            assert process.stderr is not None
            address = _address_in(process.stderr)
            reader = threading.Thread(target=deque, args=(process.stderr, 0))  # so that it never waits for us
            reader.start()
            with connect(f"{address}/session", max_size=None, open_timeout=PATIENCE) as socket:
                yield Firefox(socket)
        finally:
            process.terminate()
            if reader:
                reader.join()


def _address_in(lines: Iterable[str]) -> str:
    for line in lines:
        if found := re.search(r"WebDriver BiDi listening on (ws://\S+)", line):
            return found[1]
    pytest.fail("Firefox ended before it listened")


class Firefox:
    """The page of a browser."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket, self._numbers = socket, itertools.count(1)
        self._tell("session.new", capabilities={})
        self._page = self._tell("browsingContext.getTree")["contexts"][0]["context"]

    def _tell(self, method: str, **parameters: Any) -> Any:
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self._socket.recv(timeout=PATIENCE))
            if answer.get("id") == number:
                assert answer["type"] == "success", answer
                return answer["result"]

    def open(self, address: str) -> None:
        self._tell("browsingContext.navigate", context=self._page, url=address, wait="complete")

    def evaluate(self, expression: str) -> Any:
        """The value of an expression, which may be a promise: a text, a number or a list of these."""
        found = self._tell(
            "script.evaluate",
            expression=f"Promise.resolve({expression}).then(JSON.stringify)",
            target={"context": self._page},
            awaitPromise=True,
        )
        assert found["type"] == "success", found
        return json.loads(found["result"].get("value", "null"))

    def until(self, expression: str) -> None:
        """Wait until an expression is true."""
        deadline = time.monotonic() + PATIENCE
        while not self.evaluate(f"Boolean({expression})"):
            assert time.monotonic() < deadline, f"never true: {expression}"
