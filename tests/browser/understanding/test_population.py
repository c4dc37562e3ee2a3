"""Populations in the page: charts by species with axes and units, counters, and events."""

from __future__ import annotations

import csv
import io
import re
import struct
from pathlib import Path

import numpy as np
import pytest

import murmura as mm
from murmura.core.state import MatingState
from tests.browser.conftest import MakeTab
from tests.browser.tab import Tab
from tests.lab.births_and_deaths import family as heirs
from tests.view.live import flock


def _words(tab: Tab, name: str) -> set[str]:
    """The text of a chart, line by line."""
    return set(tab.page.locator(f'[data-chart="{name}"]').inner_text().split("\n"))


def test_kinds_stances_births_and_deaths_have_charts(tab: Tab) -> None:
    tab.still(heirs())
    tab.send("play")
    tab.until(lambda: tab.page.locator('[data-chart="births_and_deaths"]').count() == 1)
    tab.send("pause")
    counts = lambda: tab.session.status["population"]["species"]  # noqa: E731
    tab.until(
        lambda: {f"{kind.capitalize()} {n}" for kind, n in counts().items()} <= _words(tab, "population")
    )
    assert "[agents]" in _words(tab, "population")
    stances = {text.rstrip("0123456789 ") for text in _words(tab, "stance")}
    assert {"Idle", "Seeking food", "Fleeing"} <= stances
    # The ratio of hunters to prey is one of the measures to choose from.
    tab.page.get_by_label("Measure of this chart, now polarization").select_option("hunters_per_prey")
    tab.until(lambda: f"{counts()['owl'] / counts()['finch']:.4g}" in _words(tab, "hunters_per_prey"))
    tab.page.get_by_label("Measure of this chart, now stance").select_option("energy_mean")
    tab.until(
        lambda: f"All {tab.session.status['measures']['energy_mean']:.4g}" in _words(tab, "energy_mean")
    )
    tab.reload()  # the choice is remembered
    tab.send("play")
    tab.until(lambda: tab.page.locator('[data-chart="hunters_per_prey"]').count() == 1)


# The height of a line at the newest time of its chart, from 0 at the bottom to 1 at the top.
HEIGHT = """(card, label) => {
  const canvas = card.querySelector('canvas');
  const dot = [...card.querySelectorAll('.key .dot')].find((each) => each.textContent.startsWith(label));
  const color = getComputedStyle(dot).getPropertyValue('--dot').match(/[0-9a-f]{2}/gi);
  const wanted = color.map((part) => parseInt(part, 16));
  const context = canvas.getContext('2d');
  for (let x = canvas.width - 1; x > 0; x--) {
    const { data } = context.getImageData(x, 0, 1, canvas.height);
    const rows = Array.from({ length: canvas.height }, (_, y) => y).filter(
      (y) => data[4 * y + 3] > 200 && wanted.every((part, k) => Math.abs(part - data[4 * y + k]) < 24));
    if (rows.length === 0) continue;
    const middle = (rows[0] + rows.at(-1) + 1) / 2 / devicePixelRatio;
    return (112 - 20 - middle) / (112 - 20 - 6);  // below is the time axis, above is air
  }
  return null;
}"""


def test_energy_and_age_have_charts_and_the_file_holds_what_they_show(tab: Tab) -> None:
    tab.still(mm.load_scenario("arms-race").with_values({"agents": 14}))

    def differ() -> None:
        state = tab.simulation.state.copy()
        state["energy"][:] = np.where(state["species_id"] == 0, 0.3, 0.9)
        tab.simulation.load_state(state)

    tab.inside(differ)
    tab.send("play")
    tab.page.get_by_label("Measure of this chart, now polarization").select_option("energy_mean")
    tab.page.get_by_label("Measure of this chart, now population").select_option("age_mean")
    rows = tab.page.locator('[data-chart="age_mean"]')
    tab.until(lambda: rows.count() == 1 and tab.simulation.step_count > 6)
    tab.send("pause")
    tab.until(lambda: tab.session.status["measured"] == pytest.approx(tab.simulation.time))

    def told(measure: str) -> set[str]:
        ends = {"All": "", "Prey": "@prey", "Predator": "@predator"}
        return {f"{label} {tab.session.status['measures'][measure + end]:.4g}" for label, end in ends.items()}

    tab.until(lambda: told("energy_mean") <= _words(tab, "energy_mean"))
    tab.until(lambda: told("age_mean") | {"[s]"} <= _words(tab, "age_mean"))
    measures = tab.session.status["measures"]
    chart = tab.page.locator('[data-chart="energy_mean"]')
    for label, end in (("Prey", "@prey"), ("Predator", "@predator")):
        assert chart.evaluate(HEIGHT, label) == pytest.approx(measures["energy_mean" + end], abs=0.03)
    with tab.page.expect_download() as waiting:
        tab.page.get_by_role("button", name="Save as CSV").click()
    newest = list(csv.DictReader(io.StringIO(Path(str(waiting.value.path())).read_text())))[-1]
    assert float(newest["time"]) == pytest.approx(tab.session.status["measured"], abs=1e-5)
    counts = {f"population@{kind}": n for kind, n in tab.session.status["population"]["species"].items()}
    for name, value in (measures | counts).items():
        assert newest[name] == "" if value is None else float(newest[name]) == pytest.approx(value, rel=1e-9)


# The colours of a chart at its newest time, downwards, each with its height [px].
BANDS = """(canvas) => {
  const column = (x) => {
    const { data } = canvas.getContext('2d').getImageData(x, 0, 1, canvas.height);
    const bands = [];
    for (let y = 0; y < canvas.height; y++) {
      const color = data[4 * y + 3] < 255 ? '' : data.slice(4 * y, 4 * y + 3).join();
      if (bands.at(-1)?.[0] === color) bands.at(-1)[1] += 1;
      else bands.push([color, 1]);
    }
    return bands.filter(([color, height]) => color && height > 3);
  };
  let x = canvas.width - 1;
  while (x > 0 && column(x).length === 0) x--;
  return column(x - 1);
}"""


def test_stances_lie_on_each_other(tab: Tab) -> None:
    """Each takes the height of its count, and together they reach as high as all agents."""
    tab.still(heirs(**{"rules.heirs.bears_at": 10.0, "rules.heirs.dies_at": 10.0}))
    counts = [4, 10, 6]

    def take_stances() -> None:
        state = tab.simulation.state.copy()
        state["stance"][:] = np.repeat([0, 1, 2], counts)
        tab.simulation.load_state(state)

    tab.inside(take_stances)
    tab.send("play")
    canvas = tab.page.locator('[data-chart="stance"] canvas')

    def is_drawn() -> bool:
        heights = [height for _, height in canvas.evaluate(BANDS)] if canvas.count() else []
        shares = np.array(counts) * sum(heights) / sum(counts)
        return len(heights) == 3 and bool(np.abs(heights - shares).max() < 2.0)

    tab.until(is_drawn)
    tab.send("pause")


def test_a_chart_has_both_axes_and_everything_goes_into_a_file(make_tab: MakeTab) -> None:
    tab = make_tab(gl=False)
    tab.page.add_init_script("""
      window.labels = [];
      const real = CanvasRenderingContext2D.prototype.fillText;
      CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
        if (this.canvas.closest('.card .plot')) labels.push([this.canvas.closest('.card').dataset.chart, text]);
        return real.call(this, text, ...rest);
      };""")
    tab.open()
    tab.send("play")
    tab.page.get_by_role("button", name="Add a chart").click()
    tab.until(lambda: tab.page.locator(".card").count() >= 2)

    def labels(times: bool) -> set[str]:
        """The labels of the axes of the first chart."""
        found = tab.page.evaluate("() => labels")
        return {text for name, text in found if name == "polarization" and text.endswith(" s") == times}

    tab.until(lambda: labels(times=True))
    assert labels(times=False) == {"0", "0.5", "1"}  # all measures
    with tab.page.expect_download() as waiting:
        tab.page.get_by_role("button", name="Save as CSV").click()
    assert waiting.value.suggested_filename == "murmura-classic-seed7-measures.csv"
    card = tab.page.locator(".card").first
    with tab.page.expect_download() as picture:
        card.get_by_role("button", name="Picture").click()
    assert picture.value.suggested_filename == f"murmura-classic-seed7-{card.get_attribute('data-chart')}.png"
    content = Path(str(picture.value.path())).read_bytes()
    assert struct.unpack(">II", content[16:24]) == (960, 484)
    with tab.page.expect_download() as table:
        card.get_by_role("button", name="CSV").click()
    head = Path(str(table.value.path())).read_text().partition("\n")[0]
    assert head == f"time,{card.get_attribute('data-chart')}"
    rows = list(csv.DictReader(io.StringIO(Path(str(waiting.value.path())).read_text())))
    assert len(rows) >= 2 and {"time", "polarization", "agents"} <= set(rows[0])
    times = [float(row["time"]) for row in rows]
    assert times == sorted(set(times))  # a point for each measurement, without duplicates
    assert all(0.0 <= float(row["polarization"]) <= 1.0 for row in rows)


def test_events_are_listed_filtered_copied_and_lead_to_their_place(tab: Tab) -> None:
    simulation = tab.still(heirs())
    tab.page.keyboard.press("j")
    tab.send("step", count=45)
    tab.until(lambda: simulation.step_count == 45)
    feed = tab.page.get_by_role("region", name="Events", exact=True)
    lines = feed.locator("li")
    tab.until(lambda: "was born to" in feed.inner_text() and "starved" in feed.inner_text())
    births = tab.session.watch.feed.totals["birth"]
    tab.until(lambda: f"births {births}" in " ".join(feed.inner_text().split()))
    feed.get_by_label("births").uncheck()
    tab.until(lambda: lines.filter(has_text="was born").count() == 0 and lines.count() > 0)
    newest = next(event for event in reversed(tab.session.watch.feed.since(0)) if event["kind"] != "birth")
    lines.first.get_by_role("button").click()
    tab.until(
        lambda: abs(tab.see("camera.x") - newest["x"]) < 1 and abs(tab.see("camera.y") - newest["y"]) < 1
    )
    feed.get_by_role("button", name="Copy").click()
    text = tab.until(lambda: tab.page.evaluate("() => navigator.clipboard.readText()"))
    assert f"Agent {newest['id']}" in text and "was born" not in text
    tab.still(flock(20))  # a new flock starts an empty list
    tab.page.mouse.move(3, 3)
    tab.until(lambda: "No events yet." in feed.inner_text())


def _suitors() -> mm.Scenario:
    """Sixteen in a small world, who are quick about everything."""
    quick = {"court_time": 0.1, "fight_duration": 0.1, "mating_duration": 0.1, "seek_rate": 10.0}
    mating = quick | {"selectivity": 0.0, "search_radius": 70.0}
    return mm.load_scenario("courtship").with_values(
        {f"rules.mating.{name}": value for name, value in mating.items()}
        | {"agents": 16, "species": [], "rules.feeding.enabled": False, "motion.max_speed": 4.0}
        | {"world.width": 180.0, "world.height": 160.0, "display.follow_window": False}
        | {"perception.radius": 75.0, "perception.field_of_view": 360.0}
    )


def test_fights_matings_and_arrivals_are_events_too(tab: Tab) -> None:
    simulation = tab.still(_suitors())
    tab.page.keyboard.press("j")
    tab.send("step", count=26)
    tab.until(lambda: simulation.step_count == 26)
    feed = tab.page.get_by_role("region", name="Events", exact=True)
    lines = feed.locator("li")
    told = {
        kind: [e for e in tab.session.watch.feed.since(0) if e["kind"] == kind]
        for kind in ("fight", "mating")
    }
    fight, mating = told["fight"][0], told["mating"][0]
    wanted = (
        f"Agent {fight['id']} fought {fight['other']}.",
        f"Agent {mating['id']} mated with {mating['other']}.",
    )
    tab.until(lambda: all(lines.filter(has_text=text).count() for text in wanted))
    feed.get_by_label("fights").uncheck()
    tab.until(lambda: lines.filter(has_text="fought").count() == 0)
    lines.filter(has_text=wanted[1]).get_by_role("button").click()
    tab.until(lambda: np.hypot(tab.see("camera.x") - mating["x"], tab.see("camera.y") - mating["y"]) < 1)
    tab.page.mouse.move(3, 3)
    coming = {"rules.immigration.enabled": True, "rules.immigration.rate": 300.0}
    simulation = tab.still(mm.load_scenario("arms-race").with_values({"agents": 6} | coming))
    tab.send("step", count=3)
    tab.until(lambda: simulation.step_count == 3)

    def shows_the_newest() -> bool:
        # Events of the last step may still be on their way into the feed.
        [*_, newest] = tab.session.watch.feed.since(0) or [{"id": None}]
        return lines.first.inner_text().endswith(f"Agent {newest['id']} arrived from outside.")

    tab.until(shows_the_newest)
    newest = tab.session.watch.feed.since(0)[-1]
    # Nothing is left of the flock before, not even its filters.
    assert lines.filter(has_text="mated").count() == 0
    assert [feed.get_by_label(kind).is_visible() for kind in ("arrivals", "fights", "matings")] == [
        True,
        False,
        False,
    ]
    lines.first.get_by_role("button").click()
    tab.until(lambda: np.hypot(tab.see("camera.x") - newest["x"], tab.see("camera.y") - newest["y"]) < 1)
    tab.page.mouse.move(3, 3)
    tab.send("step", count=3)  # a line that was clicked does not hold the list
    tab.until(lambda: tab.session.watch.feed.newest > newest["number"])
    later = tab.session.watch.feed.since(0)[-1]
    tab.until(lambda: lines.first.inner_text().endswith(f"Agent {later['id']} arrived from outside."))
    feed.get_by_label("arrivals").uncheck()
    tab.until(lambda: "No events yet." in feed.inner_text())


def test_the_theme_can_be_chosen_and_stays(lend_tab: MakeTab) -> None:
    tab = lend_tab(gl=False, color_scheme="dark").open()
    background = "() => getComputedStyle(document.body).backgroundColor"
    dark = tab.page.evaluate(background)
    tab.page.get_by_text("Appearance").click()
    tab.page.locator("#look-theme").select_option("light")
    tab.until(lambda: tab.page.evaluate(background) != dark)
    tab.reload()
    assert tab.page.evaluate(background) != dark and tab.see("looks.theme") == "light"


def test_the_whole_page_follows_the_theme_of_the_system(lend_tab: MakeTab) -> None:
    """Picture and panels together: Chromium does not report a change to a page that has already read it."""
    tab = lend_tab(gl=False, viewport={"width": 400, "height": 300}).open()
    tab.send("play")  # pictures are drawn all the time
    for scheme in ("light", "dark") * 4:
        tab.page.emulate_media(color_scheme=scheme)
        tab.until(lambda scheme=scheme: tab.page.evaluate("document.documentElement.dataset.theme") == scheme)


def _hunted() -> mm.Scenario:
    """Sixteen around some food, with an eagle that sees all of them."""
    eagle = {"kind": "eagle", "max_speed": 40.0, "catch_distance": 50.0, "attack_distance": 60.0}
    return flock(
        16,
        **{f"rules.{rule}.enabled": True for rule in ("predators", "fear", "feeding", "energy")},
        **{"rules.predators.hunters": [eagle | {"x": 150.0, "y": 150.0}]},
        **{"world.width": 300.0, "world.height": 300.0, "rules.feeding.margin": 10.0},
        **{"rules.feeding.sources": [{"x": 150.0, "y": 150.0}]},
        **{"rules.feeding.hungry_below": 0.9, "rules.feeding.sated_above": 0.95},
    )


def _counted(simulation: mm.Simulation, totals: dict[str, int]) -> dict[str, int]:
    """What the counters must say: pairs and fights of this moment, meals and captures so far."""
    if simulation.scenario.rules.mating.enabled:
        states = simulation.state["mating_state"].tolist()
        together = states.count(MatingState.COURTING) + states.count(MatingState.MATING)
        return {"pairs": together // 2, "fights": (states.count(MatingState.FIGHTING) + 1) // 2}
    return {"hunters": 1, "meals": totals["meal"], "captures": totals["capture"]}


def test_counters_say_what_there_is(tab: Tab) -> None:
    scenario = mm.load_scenario("courtship").with_values({"agents": 30})
    tab.still(scenario)
    tab.page.get_by_role("button", name="Details").click()
    tab.until(lambda: tab.session.status["population"].get("males") is not None)
    males = tab.session.status["population"]["males"]
    figures = tab.page.locator("#facts")
    tab.until(lambda: f"males\n{males}\nfemales\n{30 - males}" in figures.inner_text())
    assert "captures" not in figures.inner_text()
    for scenario, steps in ((_suitors(), 12), (_hunted(), 300)):
        simulation = tab.still(scenario)
        tab.send("step", count=steps)
        tab.until(lambda simulation=simulation, steps=steps: simulation.step_count == steps)
        counts = _counted(simulation, tab.session.watch.feed.totals)
        assert all(counts.values()), counts
        words = [f"{kind}\n{count}\n" for kind, count in counts.items()]
        tab.until(lambda words=words: all(each in figures.inner_text() + "\n" for each in words))
    tab.send("play")
    tab.until(lambda: re.search(r"fps\n[1-9]", figures.inner_text()))
