"""Colours of films are those of the live view: one file, and the same formula in two languages."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import murmura
from murmura.lab.films.looks import color_modes, from_oklab, looks, palette_table, species_table, to_oklab
from murmura.view.wire.frames import EXTRAS

SAMPLES = Path(murmura.__file__).parent / "view/web/tests/render/palette_samples.json"
"""Every 17th colour of every table; the page's own test (palettes.test.ts) compares its tables with the same file."""
COLORS = ["#00ff88", "#ff4488"]


def sampled() -> dict[str, list[list[int]]]:
    tables = {
        f"{name} {theme}": palette_table(name, theme)  # type: ignore[arg-type]
        for name in looks()["palettes"]
        for theme in ("dark", "light")
    }
    tables |= {f"species {theme}": species_table(COLORS, theme) for theme in ("dark", "light")}  # type: ignore[arg-type]
    return {key: np.round(table[::17] * 255).astype(int).tolist() for key, table in tables.items()}


def test_the_tables_are_those_of_the_page():
    kept = json.loads(SAMPLES.read_text(encoding="utf-8"))
    for name, colors in sampled().items():
        # The last bit may be rounded differently in another language.
        assert np.abs(np.array(colors) - kept[name]).max() <= 1, name
    assert kept.keys() == sampled().keys()


def test_viridis_is_viridis():
    """The used part of the palette, compared with matplotlib's."""
    import matplotlib as mpl

    own = palette_table("viridis", "dark")
    low, high = looks()["used"]["dark"]
    theirs = mpl.colormaps["viridis"](np.linspace(low, high, 256))[:, :3]
    assert np.abs(own - theirs).max() < 0.07  # ten of its colours, mixed in another space


@settings(deadline=None)
@given(st.lists(st.floats(0.0, 1.0), min_size=3, max_size=3))
def test_oklab_goes_there_and_back(rgb: list[float]):
    assert from_oklab(to_oklab(np.array([rgb])))[0] == pytest.approx(rgb, abs=1e-6)


def test_what_colours_tell_means_the_same_live_and_in_films():
    for mode, (_, column, top) in EXTRAS.items():
        if mode in looks()["modes"] and "column" in looks()["modes"][mode]:
            facts = looks()["modes"][mode]
            assert (facts["column"], facts["top"]) == (column, top)
    assert {"heading", "species", "speed", "density", "energy", "panic"} <= set(color_modes())
