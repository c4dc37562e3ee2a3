"""Renders the font of films, src/murmura/lab/films/font.npz: `python scripts/make_font.py` (needs murmura[analysis]).

It uses DejaVu Sans from matplotlib, whose licence (docs/film.md) allows distributing such pictures.
"""

from pathlib import Path

import numpy as np
from matplotlib import font_manager
from matplotlib.ft2font import FT2Font

EM = 64  # px: enough for a film of 4K
CHARACTERS = "".join(map(chr, range(32, 127))) + "·×–°"
font = FT2Font(font_manager.findfont("DejaVu Sans"))
font.set_size(EM, 72)
ascent, descent = (
    round(font.ascender * EM / font.units_per_EM),
    2 - round(font.descender * EM / font.units_per_EM),
)
pieces = []
for character in CHARACTERS:
    glyph = font.load_char(ord(character))
    advance = round(glyph.linearHoriAdvance / 65536)
    left, _, _, top = (round(edge / 64) for edge in glyph.bbox)
    piece = np.zeros((ascent + descent, advance), np.uint8)
    font.clear()
    font.set_text(character, 0.0)
    font.draw_glyphs_to_bitmap()
    image = np.asarray(font.get_image())[:, : max(0, advance - max(left, 0))]
    if character != " ":
        y = ascent - top
        piece[y : y + len(image), max(left, 0) : max(left, 0) + image.shape[1]] = image
    pieces.append(piece)
target = Path(__file__).parents[1] / "src/murmura/lab/films/font.npz"
np.savez_compressed(
    target,
    strip=np.concatenate(pieces, axis=1),
    ends=np.cumsum([piece.shape[1] for piece in pieces]),
    codes=np.array([ord(character) for character in CHARACTERS]),
)
print(f"wrote {target.name}: {len(CHARACTERS)} characters, {target.stat().st_size:,} bytes")
