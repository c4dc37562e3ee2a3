"""`murmura live`, as it starts, listens and stops."""

from __future__ import annotations

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import AbstractContextManager, closing
from pathlib import Path

import pytest
from benchmarks.live_client import LiveServer, Viewer

import murmura as mm

from .terminal import PATIENCE, complaint, environment, python_says, started

# The page may not be built where tests run; any index.html will do.
LIVE = """\
import pathlib, sys
import murmura.view.server.app
murmura.view.server.app.STATIC = pathlib.Path("page")
from murmura.__main__ import main
main()
"""
# Compiles nothing until there is a file `go`.
HELD = """\
import pathlib, time
from murmura.compute.cpu import build
really = build._object_code
def held(module, *level):
    while not pathlib.Path("go").exists():
        time.sleep(0.01)
    return really(module, *level)
build._object_code = held
"""
# Compiles the same module again and again, so that LLVM is always running.
ENDLESS = """\
import pathlib
from murmura.compute.cpu import build
really = build._object_code
def endless(module, *level):
    while True:
        really(module, *level)
        pathlib.Path("compiled").touch()
build._object_code = endless
"""
ANY = ["live", "classic", "--agents", "40", "--no-open"]
FLOCK = [*ANY, "--backend", "reference"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "page").mkdir()
    (tmp_path / "page" / "index.html").write_text("<title>flock</title>")
    return tmp_path


def live(
    folder: Path, *words: str, flock: list[str] = FLOCK, script: str = LIVE, **more: str
) -> AbstractContextManager[subprocess.Popen[str]]:
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return started(sys.executable, "-c", script, *flock, *words, cwd=folder, env=environment(**more), **pipes)


def answer(port: int, path: str, cookie: str = "") -> http.client.HTTPResponse:
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)) as connection:
        connection.request("GET", path, headers={"Cookie": cookie} if cookie else {})
        response = connection.getresponse()
        response.body = response.read()  # type: ignore[attr-defined]
    return response


def test_it_prints_where_it_listens_serves_and_leaves_on_ctrl_c(folder: Path):
    """U1: one line at once, the address once; Ctrl-C ends it with one line and exit code 0."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        busy = taken.getsockname()[1]
        with live(folder, "--port", str(busy), SSH_CONNECTION="1 2 3 4") as process:
            assert process.stdout is not None
            assert process.stdout.readline() == f"murmura {mm.__version__} - starting...\n"
            found = re.fullmatch(
                r"murmura: http://127\.0\.0\.1:(\d+)/\?token=([\w-]{43})\n", process.stdout.readline()
            )
            assert found is not None
            port = int(found[1])
            assert busy < port <= busy + 200  # the next free one
            assert f"ssh -L {port}:127.0.0.1:{port} " in process.stdout.readline()
            welcome = answer(port, f"/?token={found[2]}")
            assert (welcome.status, welcome.getheader("location")) == (303, "/")
            cookie = str(welcome.getheader("set-cookie")).partition(";")[0]
            page = answer(port, "/", cookie)
            assert (page.status, page.body) == (200, b"<title>flock</title>")  # type: ignore[attr-defined]
            process.send_signal(signal.SIGINT)
            printed, said = process.communicate(timeout=PATIENCE)  # a second on an idle machine
    assert (process.returncode, printed, said) == (0, "murmura: stopped\n", "")


@pytest.mark.skipif(os.name != "posix", reason="Windows has no SIGTERM")
def test_port_0_is_any_free_one_and_sigterm_ends_like_ctrl_c(folder: Path):
    """Issue 29, point 32: twice at once, so that no fixed port will do."""
    with live(folder, "--port", "0") as one, live(folder, "--port", "0") as other:
        ports = set()
        for process in (one, other):
            assert process.stdout is not None
            process.stdout.readline()
            found = re.fullmatch(
                r"murmura: http://127\.0\.0\.1:(\d+)/\?token=\S+\n", process.stdout.readline()
            )
            assert found is not None
            assert answer(int(found[1]), "/").status == 403
            ports.add(int(found[1]))
            process.send_signal(signal.SIGTERM)
        ended = [(*process.communicate(timeout=PATIENCE), process.returncode) for process in (one, other)]
    assert ended == [("murmura: stopped\n", "", 0)] * 2
    assert len(ports) == 2 and not ports & set(range(8421, 8621))


def test_a_shared_view_listens_where_it_is_told(folder: Path):
    """Issue 29, point 32."""
    with live(folder, "--share", "--host", "127.0.0.1", "--port", "0") as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(3)]
        port = int(lines[1].partition("http://127.0.0.1:")[2].partition("/")[0])
        assert re.fullmatch(
            rf"murmura: visitors: http://127\.0\.0\.1:{port}/ with the code \w{{6}}\n", lines[2]
        )
        assert answer(port, "/").status == 403
        with socket.create_server(("127.0.0.2", port)):  # free: nobody listens on every address
            pass


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--host", "0.0.0.0"], r"listens on this machine only \(127\.0\.0\.1\), got --host 0\.0\.0\.0"),
        (["--port", "70000"], r"a port is a number from 1 to 65535, or 0 for any free one, got --port 70000"),
        (["--port", "-5"], r"a port is a number from 1 to 65535, or 0 for any free one, got --port -5"),
        (
            ["--set", "agents=3000000", "--set", "world.width=100000", "--set", "world.height=100000"],
            r"the live view supports up to 2,000,000, got 3,000,000",
        ),
    ],
)
def test_invalid_options_are_refused(words: list[str], message: str, folder: Path):
    done = python_says("-c", LIVE, *FLOCK, *words, cwd=folder)
    assert re.search(message, complaint(done, code=2))
    assert done.stdout == f"murmura {mm.__version__} - starting...\n"


def test_a_host_is_refused_before_anything_is_compiled(folder: Path, tmp_path: Path):
    cold = tmp_path / "cold"
    with live(
        folder, "--backend", "cpu", "--host", "0.0.0.0", flock=ANY, MURMURA_CACHE_DIR=str(cold)
    ) as process:
        printed, said = process.communicate(timeout=PATIENCE)
    assert (process.returncode, printed) == (2, f"murmura {mm.__version__} - starting...\n")
    assert said.count("\n") == 1 and "others could control it. To let a class watch, use --share" in said
    assert not list(cold.rglob("*"))


def test_a_page_that_was_not_built_is_reported(folder: Path):
    os.remove(folder / "page" / "index.html")
    done = python_says("-c", LIVE, *FLOCK, cwd=folder)
    assert "the page was not built" in complaint(done, code=2)


def test_with_exit_on_close_it_leaves_after_the_last_page(folder: Path):
    """A page that is reloaded is back before that."""
    with live(folder, "--exit-on-close") as process:
        assert process.stdout is not None
        process.stdout.readline()
        found = re.search(r":(\d+)/\?token=(\S+)", process.stdout.readline())
        assert found is not None
        server = LiveServer(process, int(found[1]), found[2])
        for _ in range(2):
            with server.connect() as line:
                Viewer(line).take()
            assert process.poll() is None
        printed, said = process.communicate(timeout=PATIENCE)
    assert (process.returncode, printed, said) == (0, "murmura: stopped\n", "")


def test_a_flock_is_shown_before_its_kernel_is_made(folder: Path, tmp_path: Path):
    """With an empty cache, the address and the flock at its start appear before the compiler is done."""
    cold = {"MURMURA_CACHE_DIR": str(tmp_path / "cold")}
    with live(folder, flock=ANY, script=HELD + LIVE, **cold) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.readline()
        found = re.search(r"127\.0\.0\.1:(\d+)/\?token=([\w-]+)", process.stdout.readline())
        assert found is not None
        server = LiveServer(process, int(found[1]), found[2])
        with server.connect() as line:
            viewer = Viewer(line)
            while viewer.take() != "frame":
                pass
            assert viewer.steps[-1][1] == 0
            assert not list((tmp_path / "cold").rglob("*.kernel"))
            (folder / "go").touch()
            while viewer.steps[-1][1] < 5:
                viewer.take()
        assert list((tmp_path / "cold").rglob("*.kernel"))
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=PATIENCE)
    assert re.fullmatch(
        r"murmura: compiling the kernel[^\n]*\nmurmura: the kernel of classic is ready after \d+\.\d s\n",
        said,
    )


def test_ctrl_c_while_a_kernel_is_compiled_ends_it_at_once(folder: Path, tmp_path: Path):
    """LLVM cannot be interrupted, and exiting Python while it ran crashed the process."""
    cold = {"MURMURA_CACHE_DIR": str(tmp_path / "cold")}
    with live(folder, flock=ANY, script=ENDLESS + LIVE, **cold) as process:
        while not (folder / "compiled").exists():
            time.sleep(0.01)
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        printed, said = process.communicate(timeout=PATIENCE)
    assert (process.returncode, printed.endswith("murmura: stopped\n")) == (0, True)
    assert re.fullmatch(r"(murmura: compiling the kernel[^\n]*\n)?", said)


def test_a_backend_that_cannot_work_here_ends_the_view(folder: Path):
    with live(
        folder, "--backend", "cuda", flock=ANY, CUDA_VISIBLE_DEVICES="", NUMBA_ENABLE_CUDASIM="0"
    ) as process:
        _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2 and said.startswith("murmura: the cuda backend cannot run")
