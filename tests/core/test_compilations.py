"""A process that exits while one of its threads compiles."""

from __future__ import annotations

from pathlib import Path

from tests.cli.terminal import python_says

LEAVE = """\
import os, sys, threading, time
os.environ["MURMURA_CACHE_DIR"] = "cold"
import murmura
from murmura.compute.cpu import build
begun, really = threading.Event(), build._object_code

def compile(module, *level):
    begun.set()
    return really(module, *level)

build._object_code = compile
make = lambda: murmura.Simulation("vicsek", backend="cpu").step()
threading.Thread(target=make, daemon=True).start()
begun.wait()
used = time.process_time()
while time.process_time() < used + 0.2:  # until LLVM is well under way
    time.sleep(0.01)
sys.exit(7)
"""


def test_a_script_that_ends_while_llvm_compiles_does_not_crash(tmp_path: Path):
    done = python_says("-c", LEAVE, cwd=tmp_path)
    assert done.returncode == 7, (done.returncode, done.stderr)
