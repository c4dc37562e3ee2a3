"""Where the live view listens: on this machine only or, with --share, for a class on the network."""

from __future__ import annotations

import contextlib
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator

from murmura.core.errors import BackendError

LOCAL = ("127.0.0.1", "localhost")
EVERYWHERE = "0.0.0.0"
WARNING = (
    "murmura: --share: anyone on this network who knows the class code can watch, and nothing is encrypted; "
    "use it only on a network you trust"
)


def check_host(host: str | None, share: bool) -> None:
    """Raise, before anything is compiled, if the address is not allowed."""
    if host not in (None, *LOCAL) and not share:
        raise BackendError(
            f"the live view listens on this machine only (127.0.0.1), got --host {host}: others could control it. "
            "To let a class watch, use --share"
        )


def listening_host(host: str | None, share: bool) -> str:
    """The address to listen on: the wanted one, else this machine only or, for visitors, every address of it."""
    return host or (EVERYWHERE if share else LOCAL[0])


def own_address(host: str) -> str:
    """The address under which the user of this machine opens the page."""
    return LOCAL[0] if host == EVERYWHERE else host


def visitors_line(host: str, address: str, code: str) -> str:
    """What visitors open, after a warning if they come over the network."""
    told = f"murmura: visitors: {address} with the code {code}"
    return told if host in LOCAL else f"{WARNING}\n{told}"


def own_names(host: str) -> tuple[str, ...]:
    """Names and addresses under which visitors find this machine, the likeliest first."""
    if host in LOCAL:
        return LOCAL
    if host != EVERYWHERE:
        return (host, *LOCAL)
    found = []
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        line.connect(
            ("192.0.2.1", 9)
        )  # an address reserved for documentation: nothing is sent, but the outgoing interface is chosen
        found.append(line.getsockname()[0])
    name = socket.gethostname().lower()
    with contextlib.suppress(OSError):
        found += [str(each[4][0]) for each in socket.getaddrinfo(name, None, socket.AF_INET)]
    return tuple(dict.fromkeys([*found, name, f"{name}.local", *LOCAL]))


@contextlib.contextmanager
def end_on_sigterm() -> Iterator[None]:
    """Treat SIGTERM, with which services and containers are stopped, as Ctrl-C."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def listen_for_enter(print_address: Callable[[], None]) -> None:
    """Print a new address whenever Enter is pressed in the terminal, if there is one."""
    if not (sys.stdin and sys.stdin.isatty()):
        return

    def wait() -> None:
        with contextlib.suppress(OSError, ValueError):
            for _ in sys.stdin:
                print_address()

    threading.Thread(target=wait, name="murmura-enter", daemon=True).start()
