"""Accessibility (U3): axe-core finds nothing in any state of the page, and the keyboard reaches everything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.lab.births_and_deaths import family as heirs
from tests.sizes import size
from tests.view.live import flock

from .conftest import WEB, MakeTab
from .tab import Tab

AXE = WEB / "node_modules" / "axe-core" / "axe.min.js"


def _inspecting(tab: Tab) -> None:
    def chosen() -> bool:
        if tab.see("chosen") != 4:  # the page may still be deselecting another agent
            tab.send("select", id=4)
        return tab.page.get_by_role("heading", name="Agent 4").is_visible()

    tab.until(chosen)


def _unfolded(tab: Tab) -> None:
    if tab.see("looks.hidden"):
        tab.page.keyboard.press("h")
    tab.page.evaluate(
        "() => document.querySelectorAll('.lil-title[aria-expanded=false]').forEach((each) => each.click())"
    )
    if not tab.see("looks.charts"):
        tab.page.keyboard.press("m")
    tab.page.get_by_text("As a table").click()
    tab.send("step", count=2)
    tab.until(lambda: tab.page.locator(".charts td").count() > 3)


def _sheet(tab: Tab) -> None:
    tab.page.keyboard.press("?")
    tab.page.locator('[data-action="density"]').click()


def _noted(tab: Tab) -> None:
    if not tab.see("looks.panel"):
        tab.page.keyboard.press("b")
    tab.page.get_by_label("Search settings").fill("alignment")
    tab.page.get_by_label("Agents", exact=True).fill("90000000")
    tab.page.get_by_label("Agents", exact=True).press("Enter")
    tab.until(lambda: tab.page.locator(".note.error").count() == 1)


def _lived(tab: Tab) -> None:
    tab.page.get_by_label("Search settings").fill("")
    tab.still(heirs())
    tab.page.evaluate(
        "() => document.querySelectorAll('.panel details').forEach((each) => { each.open = true; })"
    )
    tab.page.locator("#flock").focus()
    tab.page.keyboard.press("j")
    tab.send("step", count=20)


def _back_in_time(tab: Tab) -> None:
    tab.send("step", count=20)
    tab.until(lambda: tab.see("step") >= 20)
    tab.page.keyboard.press("<")
    tab.page.get_by_role("button", name="Back to now").wait_for()


def _instead(tab: Tab, key: str) -> None:
    """Close a dialog, and open another."""
    tab.page.keyboard.press("Escape")
    tab.page.keyboard.press(key)
    tab.page.locator("dialog[open]").wait_for()


def _in_space(tab: Tab) -> None:
    tab.still(flock(40, **{"world.depth": 300.0}))
    _inspecting(tab)
    tab.until(lambda: tab.page.get_by_role("button", name="Fly along").is_visible())


STATES: dict[str, Callable[[Tab], None]] = {
    "at first": lambda tab: None,
    "inspecting": _inspecting,
    "a search and an error": _noted,
    "species, files and events": _lived,
    "back in time": _back_in_time,
    "in space": _in_space,
    "the gallery": lambda tab: tab.page.keyboard.press("0"),
    "sharing": lambda tab: _instead(tab, "X"),
    "choosing a comparison": lambda tab: _instead(tab, "C"),
    "hidden": lambda tab: (tab.page.keyboard.press("Escape"), tab.page.keyboard.press("h")),
    "the sheet, waiting for a key": _sheet,
    "all folders open, charts as tables": _unfolded,  # last: axe then looks at hundreds of controls
}


CONTRAST = "color-contrast"


def _violations(tab: Tab, options: dict[str, Any]) -> list[Any]:
    if not tab.page.evaluate("() => 'axe' in globalThis"):
        tab.page.evaluate(AXE.read_text() + "; null")
    found: list[Any] = tab.page.evaluate(
        """(options) => axe.run(document, { resultTypes: ['violations'], ...options }).then(({ violations }) =>
      violations.map(({ id, nodes }) => [id, nodes.length, nodes[0].html.slice(0, 160), nodes[0].failureSummary]))""",
        options,
    )
    return found


# The other theme changes only contrast, and another width changes no colours: by default those look at the states
# with parts of their own.
COLOURED = {"inspecting", "a search and an error", "species, files and events", "the gallery", "sharing"}
NARROW = {"at first", "inspecting", "sharing", "all folders open, charts as tables"}


@pytest.mark.parametrize(
    ("scheme", "width", "options", "states"),
    [
        ("dark", 960, {}, {*STATES}),
        ("light", 960, {"runOnly": [CONTRAST]}, size(COLOURED, {*STATES})),
        ("dark", 390, {"rules": {CONTRAST: {"enabled": False}}}, size(NARROW, {*STATES})),
    ],
)
def test_axe_finds_nothing(
    lend_tab: MakeTab, scheme: str, width: int, options: dict[str, Any], states: set[str]
) -> None:
    """On one page, one state after the other."""
    tab = lend_tab(gl=False, color_scheme=scheme, viewport={"width": width, "height": 800}).open()
    for name in (name for name in STATES if name in states):
        STATES[name](tab)
        assert _violations(tab, options) == [], name
        tab.page.evaluate("() => document.activeElement?.blur()")
        tab.page.keyboard.press("Escape")
        if name.startswith("the sheet"):
            tab.page.keyboard.press("Escape")


INTERACTIVE = "a[href], button, input, select, summary, [tabindex='0']"


def test_the_keyboard_alone_reaches_everything(tab: Tab) -> None:
    tab.still(flock(20))
    _inspecting(tab)
    wanted = tab.page.evaluate(f"""() => {{
      const all = [...document.querySelectorAll("{INTERACTIVE}")].filter((each) =>
        each.tabIndex >= 0 && !each.disabled
        && each.checkVisibility({{ visibilityProperty: true }}) && !each.closest('dialog, #notes')
        && each.getClientRects().length);
      all.forEach((each, k) => {{ each.dataset.stop = k; }});
      return all.length; }}""")
    assert wanted > 40
    visited, unseen = set(), []
    for _ in range(wanted + 10):
        tab.page.keyboard.press("Tab")
        stop, ring, name = (
            tab.page.evaluate("""() => { const at = document.activeElement, style = getComputedStyle(at);
          const ring = style.outlineStyle !== 'none' || style.boxShadow !== 'none';
          return [at.dataset.stop ?? null, ring, at.outerHTML.slice(0, 120)]; }""")
        )
        if stop is not None:
            visited.add(int(stop))
            if not ring:
                unseen.append(name)
        if len(visited) == wanted:
            break
    assert len(visited) == wanted
    assert unseen == []  # the focus is always visible
    play = tab.page.get_by_role("button", name="Play", exact=True)
    play.focus()
    tab.page.keyboard.press("Enter")
    tab.until(lambda: tab.session.running)
    tab.page.get_by_label("Simulation speed").focus()
    speed = tab.session.speed
    tab.page.keyboard.press("ArrowUp")
    tab.until(lambda: tab.session.speed > speed)


def test_the_bar_is_one_tab_stop_with_arrow_keys_inside(tab: Tab) -> None:
    stops = "() => [...document.querySelectorAll('.dock :is(button, input, select)')]" + (
        ".filter((each) => each.offsetParent && !each.disabled && !each.matches('.quiet'))"
    )
    assert tab.page.evaluate(f"{stops[6:]}.filter((each) => each.tabIndex === 0).length") == 1
    count = tab.page.evaluate(f"{stops[6:]}.length")
    at = f"{stops[6:]}.indexOf(document.activeElement)"
    tab.page.get_by_role("button", name="Play", exact=True).focus()
    begun = tab.page.evaluate(at)
    seen = []
    for _ in range(count):
        tab.page.keyboard.press("ArrowRight")
        seen.append(tab.page.evaluate(at))
    assert seen == [(begun + k) % count for k in range(1, count + 1)]
    tab.page.keyboard.press("End")
    assert tab.page.evaluate(at) == count - 1
    tab.page.keyboard.press("Tab")
    assert tab.page.evaluate(at) == -1
    tab.page.keyboard.press("Shift+Tab")
    assert tab.page.evaluate(at) == count - 1


def test_a_cross_hair_places_and_selects(tab: Tab) -> None:
    tab.still(flock(30))
    tab.page.locator("#flock").focus()
    tab.page.keyboard.press("k")
    tab.page.keyboard.press("ArrowRight")  # shows it in the middle
    for _ in range(5):
        tab.page.keyboard.press("ArrowLeft")
    place = tab.page.locator(".crosshair").bounding_box()
    assert place is not None
    before = len(tab.session.scenario.obstacles)
    tab.page.keyboard.press("Enter")
    tab.until(lambda: len(tab.session.scenario.obstacles) == before + 1)
    made = tab.session.scenario.obstacles[-1]
    middle = (place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
    assert abs(tab.screen([[made.x, made.y]])[0] - middle).max() < 2.0
    tab.page.keyboard.press("Shift+Enter")
    tab.until(lambda: len(tab.session.scenario.obstacles) == before)
    tab.page.keyboard.press("Escape")
    for wanted in (0, 1, 2):
        tab.page.keyboard.press("N")
        tab.until(lambda wanted=wanted: tab.see("chosen") == wanted)
    tab.page.locator("#preset").focus()
    assert not tab.page.locator(".crosshair").is_visible()
