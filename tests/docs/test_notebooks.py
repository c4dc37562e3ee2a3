"""The tutorials run from the first cell to the last, each in its own kernel; all of them with MURMURA_LONG=1."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.cli.terminal import SOURCES
from tests.sizes import size

NOTEBOOKS = sorted((Path(__file__).parents[2] / "docs" / "notebooks").glob("*.ipynb"))


def test_there_are_tutorials():
    assert [path.stem for path in NOTEBOOKS] == ["evolution", "first-flock", "rule-of-your-own", "sweep"]


# Each notebook takes its own Jupyter kernel; what the others use is tested elsewhere.
@pytest.mark.parametrize("path", size(NOTEBOOKS[1:2], NOTEBOOKS), ids=lambda path: path.stem)
@pytest.mark.filterwarnings("ignore")  # of Jupyter's own libraries
def test_a_notebook_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(SOURCES), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv(
        "MURMURA_CACHE_DIR", str(tmp_path / "kernels")
    )  # so that there is something to compile
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    client = nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}})
    client.execute()
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(cell.execution_count for cell in cells)
    shown = [output for cell in cells for output in cell.outputs]
    assert not [output for output in shown if output.get("name") == "stderr"]  # a notebook shows it in red
    lines = [
        output.data["text/plain"] for output in shown if output.output_type == "display_data" and output.data
    ]
    assert any(re.fullmatch(r"murmura: the kernel of \S+ is ready after \d+\.\d s", line) for line in lines)
