"""Builds the wheel, installs it into an empty environment without Node, and shows a flock with it (U1).

    python scripts/check_wheel.py           # with the dependencies of this environment: quick
    python scripts/check_wheel.py --full    # installs the dependencies, as a user would

Prints one line and exits 0, or says what is wrong and exits 1.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

# Runs inside the new environment, so that only installed code is used.
CHECK = """
import re, sys, time
import murmura
sys.path.append(sys.argv[2])
from live_client import Viewer, live_server

begun = time.perf_counter()
with live_server(["starlings", "--agents", "500"], [sys.argv[1]]) as server, server.connect() as line:
    viewer = Viewer(line)
    while viewer.take() != "frame":
        pass
    first = time.perf_counter() - begun
    status, headers, body = server.get("/")
    assert status == 200 and b"<canvas" in body, (status, body[:200])
    parts = re.findall(r'(?:src|href)="\\.?/([^"]+)"', body.decode())
    assert any(part.endswith(".js") for part in parts) and any(part.endswith(".css") for part in parts), parts
    for part in parts:
        found = server.get("/" + part)
        assert found[0] == 200 and found[2], (part, found[0])
    while viewer.take() != "frame" or viewer.steps[-1][1] < 5:
        pass
    assert len(viewer.frame) == 48 + 8 * 500, len(viewer.frame)
from murmura.lab.runs.recording import record
sim = murmura.Simulation("tidal-flat", seed=1)
kept = record(sim, 20, "plugged", 10)
assert kept.manifest["plugins"]["flocklab"].startswith("flocklab 1.2.0 sha256:"), kept.manifest
assert "drift" in sim.measure() and murmura.hunters(sim)[0]["kind"] == "kite"
print(f"{murmura.__file__}|{first:.2f}|{len(parts)}")
"""


def run(*words: str | Path, **options: object) -> str:
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, **options)  # type: ignore[call-overload]
    if done.returncode:
        sys.exit(f"check_wheel: {' '.join(map(str, words))} failed\n{done.stdout}\n{done.stderr}")
    return str(done.stdout)


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="murmura-wheel-") as name:
        folder = Path(name)
        run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT)
        [wheel] = folder.glob("*.whl")
        venv.create(folder / "env")
        programs = folder / "env" / ("Scripts" if os.name == "nt" else "bin")
        python = programs / "python"
        install = (sys.executable, "-m", "pip", "--python", python, "install", "--quiet", wheel)
        if "--full" in sys.argv:
            run(*install)
        else:
            run(*install, "--no-deps")
            packages = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
            (Path(packages) / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n")
        run(*install[:-1], "--no-deps", ROOT / "examples" / "flocklab")
        # No Node and no sources: only programs from the environment.
        kept = {
            key: os.environ[key] for key in ("HOME", "MURMURA_CACHE_DIR", "SYSTEMROOT") if key in os.environ
        }
        said = run(
            python,
            "-c",
            CHECK,
            programs / "murmura",
            ROOT / "benchmarks",
            cwd=folder,
            env={**kept, "PATH": str(programs)},
        )
        file, first, parts = said.strip().splitlines()[-1].split("|")
        if not re.search(r"env.+site-packages", file):
            sys.exit(f"check_wheel: what ran was {file}, not the installed wheel")
        print(f"{wheel.name}: page with {parts} parts served without Node, first frame after {first} s")


if __name__ == "__main__":
    main()
