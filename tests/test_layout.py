"""The layout of the project follows document 004 and ARCHITECTURE.md."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ROOT / "src" / "murmura"
TESTS = ROOT / "tests"
PAGE = PACKAGES / "view" / "web"

PURE = ("core", "rules", "scenario", "measure")  # functions from values to values
END_TO_END = ("validate", "cli", "browser")  # whole flocks, whole commands, whole pages


def count_tests(*folders: str) -> int:
    """Test functions in folders of tests/."""
    nodes = (
        node
        for folder in folders
        for path in (TESTS / folder).rglob("test_*.py")
        for node in ast.walk(ast.parse(path.read_bytes()))
    )
    return sum(isinstance(node, ast.FunctionDef) and node.name.startswith("test_") for node in nodes)


# S4-55
def test_packages_are_those_in_the_architecture_and_each_has_tests():
    drawn = re.search(r"src/murmura/\n(.*?)```", (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8"), re.S)
    assert drawn is not None
    named = set(re.findall(r"^  (\w+)/", drawn.group(1), re.M))
    packages = {path.parent.name for path in PACKAGES.glob("*/__init__.py")}
    assert named == packages | {"scenarios"}
    for package in packages:
        assert count_tests(package) > 0, package


# S4-55: the folders of the plan, and the page that maps them to this project's
def test_every_folder_of_the_plan_has_a_counterpart():
    model = (ROOT / "docs" / "model.md").read_text(encoding="utf-8")
    row = next(line for line in model.splitlines() if line.startswith("| S4-55 |"))
    places = dict(re.findall(r"`/([\w/]+)` is `([\w/.]+)`", row))
    assert set(places) == {
        *("core", "sim", "rules", "spatial", "debug"),
        *("tests/unit", "tests/behavior", "tests/property", "tests/perf"),
    }
    for place in places.values():
        assert (ROOT / place).exists(), place


# S4-58: every module of properties lets Hypothesis choose the flocks
def test_properties_are_tested_with_pytest_and_hypothesis():
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    declared = {re.split(r"[><=]", name)[0] for name in groups["dev"]}
    assert {"pytest", "hypothesis"} <= declared
    for path in (TESTS / "properties").rglob("test_*.py"):
        called = (node.func for node in ast.walk(ast.parse(path.read_bytes())) if isinstance(node, ast.Call))
        assert "given" in {name.id for name in called if isinstance(name, ast.Name)}, path.name


# S4-75
def test_most_tests_are_of_pure_functions_and_every_milestone_has_its_scenarios():
    assert count_tests(*PURE) > 2 * count_tests(*END_TO_END)
    roadmap = (TESTS / "validate" / "test_roadmap.py").read_text(encoding="utf-8")
    parity = (TESTS / "compute" / "perception" / "test_neighbors.py").read_text(encoding="utf-8")
    assert {f"S4-{number}" for number in range(59, 64)} <= set(re.findall(r"S4-\d+", roadmap))
    assert "S4-64" in parity


# S4-76: of the other stacks, the one for TypeScript serves the page
def test_the_page_is_tested_with_vitest():
    package = json.loads((PAGE / "package.json").read_text(encoding="utf-8"))
    assert "vitest" in package["devDependencies"]
    assert package["scripts"]["test"] == "vitest run"
    assert "prettier --check" in package["scripts"]["lint"]
    assert "npm run --silent lint" in (ROOT / "scripts" / "test").read_text(encoding="utf-8")
    assert "npm run --silent test" in (ROOT / "scripts" / "test").read_text(encoding="utf-8")
    for path in (PAGE / "tests").rglob("*.test.ts"):
        assert 'from "vitest"' in path.read_text(encoding="utf-8"), path.name
