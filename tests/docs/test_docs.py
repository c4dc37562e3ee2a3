"""Examples of docs/add-a-rule.md run on the reference and the CPU; all statements are covered; links work."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import murmura as mm
from murmura.core.rule import REGISTRY
from tests.statements import statements, statements_of_the_documents

PAGE = Path(__file__).parents[2] / "docs" / "add-a-rule.md"
EXAMPLES = {
    name: block
    for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    for name in re.findall(r'register_rule\("(\w+)"\)', block)
}


VALUES = {"beacons": {"places": [[200.0, 150.0], [900.0, 500.0]]}}


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    before = dict(REGISTRY)
    yield
    for name in set(REGISTRY) - set(before):
        del REGISTRY[name]


def test_the_page_has_examples():
    assert {
        "brake",
        "beacons",
        "loneliness",
        "fatigue",
        "cells",
        "well",
        "look_for_a_gap",
        "thermostat",
    } == set(EXAMPLES)


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_runs(name: str, tmp_path: Path):
    scope: dict[str, object] = {"__name__": f"example_{name}"}
    exec(compile(EXAMPLES[name], f"{name}.py", "exec"), scope)
    scenario = mm.load_scenario("classic").with_values(
        {
            "agents": 60,
            f"rules.{name}": VALUES.get(name, {}),
            "perception.occlusion": name == "look_for_a_gap",
        }
    )
    truth, fast = (mm.Simulation(scenario, seed=1, backend=backend) for backend in ("reference", "cpu"))
    truth.step(3)
    fast.step(3)
    np.testing.assert_allclose(fast.positions, truth.positions, atol=1e-2)
    assert fast.state.items.keys() == truth.state.items.keys()
    for rows, expected in zip(fast.state.items.values(), truth.state.items.values(), strict=True):
        np.testing.assert_allclose(rows, expected, atol=1e-2)


DOCS = sorted([*PAGE.parent.glob("*.md"), *PAGE.parents[1].glob("*.md")])


def test_every_statement_of_the_documents_has_a_place_in_the_docs_and_tests_name_no_other():
    """Whether a test that names it has passed is judged after a run of the whole suite: see tests/statements.py."""
    documented = statements_of_the_documents()
    for folder, pattern in (("docs", "*.md"), ("tests", "**/*.py")):
        texts = [path.read_text(encoding="utf-8") for path in (PAGE.parents[1] / folder).glob(pattern)]
        named = statements("\n".join(texts))
        assert sorted(named - documented) == [], folder
        assert folder == "tests" or sorted(documented - named) == []


# S3-47, S3-48
def test_the_model_names_its_source_and_where_building_genes_and_threads_are_described():
    text = (PAGE.parent / "model.md").read_text(encoding="utf-8")
    assert "SIGGRAPH '87, pp. 25-34" in text
    assert {"../ARCHITECTURE.md", "evolution.md", "live-view.md"} <= set(re.findall(r"\]\(([^)#]+)", text))
    assert {"https://www.red3d.com/cwr/boids/", "https://www.red3d.com/cwr/steer/"} <= set(
        re.findall(r"\]\(([^)#]+)", text)
    )


# S3-47
def test_the_numbers_of_inheritance_are_those_of_the_code():
    page = (PAGE.parent / "evolution.md").read_text(encoding="utf-8")
    section = page.partition("## Inheritance")[2].partition("\n## ")[0]
    told = {name: float(number) for name, number in re.findall(r"`(?:genome\.)?(\w+)` \(([\d.]+)\)", section)}
    rules = mm.Scenario().rules
    names = (
        "mutation_rate",
        "mutation_size",
        "hue_mutation_rate",
        "part_mutation_rate",
        "most_parts",
        "first_flight",
    )
    assert told == {name: getattr(rules.reproduction, name) for name in names} | {
        "spread": rules.genome.spread
    }


@pytest.mark.parametrize("page", DOCS, ids=lambda page: page.name)
def test_links_lead_to_existing_files(page: Path):
    for target in re.findall(r"\]\((?!https?:)([^)#\s]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target
