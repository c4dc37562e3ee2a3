"""A statement of the specification counts as verified when a test that names it has passed in this run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .statements import statements

SUITE = {
    "pyproject.toml": '[tool.pytest.ini_options]\ntestpaths = ["checks"]\n',
    "checks/conftest.py": """
from tests.statements import Statements

def pytest_configure(config):
    config.pluginmanager.register(Statements({"S0-1", "S0-2", "S0-3", "S0-4"}))
""",
    "checks/test_one.py": """
import os, pytest

# S0-1: above its test
@pytest.mark.parametrize("k", [1, 2])
def test_one(k):
    assert k  # S0-2

# S0-3
class TestClass:
    def test_two(self): ...
""",
    "checks/test_two.py": """
import os, pytest

def test_three():
    \"\"\"S0-4\"\"\"
    if os.environ["SKIPS"] == "1":
        pytest.skip("not today")
""",
}


@pytest.mark.parametrize(
    ("skips", "words", "fails"),
    [
        ("0", ("-n", "2"), False),
        ("1", ("-n", "2"), True),
        ("1", (), True),
        ("1", ("checks/test_one.py",), False),
        ("1", ("-k", "one"), False),
    ],
    ids=["all passed", "one was skipped", "in one process", "one file", "some by name"],
)
def test_the_whole_suite_fails_without_a_statement_and_a_part_does_not(
    tmp_path: Path, skips: str, words: tuple[str, ...], fails: bool
):
    for name, text in SUITE.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    root = str(Path(__file__).parents[1])
    plain = [sys.executable, "-m", "pytest", "--disable-plugin-autoload", "-p", "xdist.plugin"]
    done = subprocess.run(
        [*plain, *words],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": root, "SKIPS": skips, "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
    )
    assert done.returncode == int(fails), done.stdout + done.stderr
    assert ("S0-4" in done.stdout.splitlines()) == fails


def test_statements_are_read_one_by_one_and_as_ranges():
    assert statements("S0-34, S2-4…S2-6 and S3-33 to S3-34; not S9 or S1-") == {
        "S0-34", "S2-4", "S2-5", "S2-6", "S3-33", "S3-34",
    }  # fmt: skip
