"""The family of the selected agent, colour by genes, and periods of a population."""

from __future__ import annotations

import re

from murmura.view.session.observing.family import family
from tests.browser.tab import Tab
from tests.lab.births_and_deaths import family as heirs
from tests.view.live import flock


def test_an_agents_family_is_shown_and_can_be_walked_along(tab: Tab) -> None:
    simulation = tab.still(heirs())
    tab.send("step", count=45)
    tab.until(lambda: simulation.step_count == 45)
    tree = simulation.lineage()
    child = next(
        int(i)
        for i in simulation.ids[::-1]
        if (p := tree.mothers[tree.row(int(i))]) >= 0 and p in simulation.ids
    )
    mother = int(tree.mothers[tree.row(child)])
    tab.send("select", id=child)
    shown = tab.page.get_by_role("region", name="Family")
    tab.until(lambda: tab.see("chosen") == child and shown.is_visible())
    told = family(simulation, child)
    assert told is not None
    text = shown.inner_text()
    assert f"Generation {told['generation']}" in text and f"{mother} mother" in text
    shown.get_by_role("button", name=str(mother), exact=True).click()
    tab.until(lambda: tab.see("chosen") == mother)
    tab.until(lambda: f"{child} child" in shown.inner_text())
    # The charts show births, deaths by cause, and periods of the population.
    charts = tab.page.get_by_label("Charts", exact=True).first
    tab.until(lambda: re.search(r"Deaths: .*starvation \d", charts.inner_text()))
    tab.until(lambda: "Mating season" in charts.inner_text())
    tab.still(flock(20))  # the chronicle of another flock
    tab.until(lambda: "Mating season" not in charts.inner_text() and "starvation" not in charts.inner_text())


def test_the_flock_is_coloured_by_genes_and_stances_where_there_are_any(tab: Tab) -> None:
    tab.unfold()
    modes = tab.page.get_by_label("Colour by", exact=True)
    assert "gene_speed" not in modes.locator("option").evaluate_all("all => all.map((each) => each.value)")
    tab.still(heirs())
    tab.until(
        lambda: "gene_speed" in modes.locator("option").evaluate_all("all => all.map((each) => each.value)")
    )
    modes.select_option("gene_speed")
    tab.until(lambda: tab.session.extra == "gene_speed")
    modes.select_option("stance")
    tab.until(lambda: tab.session.extra == "stance")
    assert tab.page.locator(".legend").inner_text().split("\n") == ["Idle", "Seeking food", "Fleeing"]
    tab.still()  # a flock without genes gets another colour mode, and there is no error
    tab.until(
        lambda: (
            "gene_speed" not in modes.locator("option").evaluate_all("all => all.map((each) => each.value)")
        )
    )
    assert tab.see("looks.mode") not in ("stance", "gene_speed")
