"""Text in pictures, at any size and without a font, from pre-rendered glyphs (`scripts/make_font.py`)."""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.float32]


@cache
def _glyphs() -> tuple[dict[str, NDArray[np.uint8]], int]:
    """The glyph of each character, all of one height, and the em they were rendered at [px]."""
    with (
        files("murmura.lab.films").joinpath("font.npz").open("rb") as file,
        np.load(file, allow_pickle=False) as data,
    ):
        pieces = np.split(data["strip"], data["ends"][:-1], axis=1)
        return {chr(code): piece for code, piece in zip(data["codes"], pieces, strict=True)}, 64


@lru_cache(maxsize=256)
def text_mask(text: str, size: float) -> Mask:
    """The coverage of each pixel by a line of text, shape (rows, columns); `size` is the height of an em [px].

    Unknown characters appear as question marks.
    """
    glyphs, em = _glyphs()
    line = np.concatenate([glyphs.get(character, glyphs["?"]) for character in text or " "], axis=1)
    scale = em / size
    return (_averaged(_averaged(line / 255.0, scale).T, scale).T).astype(np.float32)


def _averaged(image: NDArray[np.float64], by: float) -> NDArray[np.float64]:
    """Rows averaged over intervals of length `by`, which may be fractional: differences of the running sum."""
    count = max(1, int(np.ceil(image.shape[0] / by)))
    sums = np.concatenate([np.zeros((1, image.shape[1])), np.cumsum(image, axis=0)])
    edges = np.minimum(np.arange(count + 1) * by, image.shape[0])
    whole = np.minimum(edges.astype(int), image.shape[0] - 1)
    at = sums[whole] + (sums[whole + 1] - sums[whole]) * (edges - whole)[:, None]
    means: NDArray[np.float64] = np.diff(at, axis=0) / by
    return means
