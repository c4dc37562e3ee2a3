"""What hunters look like: each kind has one of these looks or its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class HunterLooks:
    """The looks of a kind of hunter, on the page and in films.

    Attributes:
        outline: Its outline from above, an SVG path with corners only, nose towards +x, about two units long.
        body: What its body is like in space.
    """

    outline: str
    body: Literal["bird", "fish"] = "bird"


def _mirrored(half: str) -> str:
    """A symmetric outline from its right half, nose to tail: pairs of numbers."""
    numbers = half.split()
    corners = list(zip(numbers[::2], numbers[1::2], strict=True))
    other = [(x, f"-{y}") for x, y in reversed(corners[1:-1])]
    return "M" + " ".join(f"{x} {y}" for x, y in [*corners, *other]) + "z"


BROAD_WINGS = HunterLooks(
    _mirrored(
        ".95 0 .88 .06 .74 .11 .58 .12 .46 .17 .47 .26 .5 .38 .52 .5 .52 .62 .5 .74 .46 .88 .4 1.04 .34 "
        "1.2 .3 1.32 .22 1.06 .13 1.4 .08 1.06 -.06 1.36 -.07 1 -.22 1.2 -.2 .86 -.26 .74 -.3 .62 -.31 "
        ".49 -.3 .36 -.24 .17 -.42 .12 -.51 .12 -.62 .14 -.81 .23 -1.02 .34 -1.1 .17 -1.12 0"
    )
)
POINTED_WINGS = HunterLooks(
    _mirrored(
        ".92 0 .84 .08 .68 .12 .5 .14 .46 .3 .47 .39 .48 .5 .44 .62 .36 .74 .24 .87 .1 1 -.04 1.11 -.2 "
        "1.22 -.39 1.32 -.58 1.42 -.47 1.24 -.36 1.06 -.27 .92 -.2 .78 -.18 .63 -.17 .48 -.14 .33 -.14 .2 "
        "-.25 .15 -.4 .13 -.5 .12 -.62 .12 -.8 .14 -1 .17 -1.06 .08 -1.08 0"
    )
)
ROUND_WINGS = HunterLooks(
    _mirrored(
        ".7 0 .67 .12 .56 .21 .42 .21 .38 .32 .4 .48 .42 .66 .39 .84 .34 1 .26 1.14 .16 1.24 0 1.26 -.09 "
        "1.18 -.17 1.06 -.23 .9 -.28 .72 -.31 .55 -.33 .4 -.31 .28 -.3 .2 -.46 .16 -.59 .18 -.74 .22 -.82 "
        ".1 -.83 0"
    )
)
FISH = HunterLooks(
    _mirrored(
        "1.2 0 1.08 .1 .95 .15 .8 .2 .62 .23 .46 .25 .34 .25 .22 .41 .1 .56 -.01 .66 -.12 .74 -.07 .57 "
        "-.02 .42 .02 .23 -.12 .2 -.25 .17 -.42 .13 -.62 .26 -.56 .1 -.71 .07 -.85 .05 -.98 .05 -1.3 .3 "
        "-1.22 .18 -1.16 .08 -1.14 0"
    ),
    "fish",
)
WHALE = HunterLooks(
    _mirrored(
        "1.12 0 1.08 .13 1.02 .2 .92 .26 .77 .31 .62 .34 .51 .35 .42 .36 .37 .52 .3 .66 .19 .77 .08 .84 "
        "-.02 .78 .02 .64 .06 .52 .12 .36 -.03 .34 -.18 .31 -.35 .26 -.52 .2 -.67 .14 -.8 .1 -.92 .09 "
        "-1.01 .22 -1.1 .34 -1.19 .43 -1.28 .52 -1.29 .39 -1.28 .26 -1.22 .15 -1.16 .06 -1.14 0"
    ),
    "fish",
)
PLAIN = HunterLooks(
    _mirrored(
        "1 0 .89 .07 .7 .12 .51 .14 .3 .16 .21 .33 .1 .5 -.06 .68 -.25 .85 -.47 .99 -.7 1.12 -.6 .9 -.5 "
        ".7 -.42 .55 -.36 .42 -.33 .28 -.32 .15 -.52 .13 -.7 .12 -.83 .15 -.95 .2 -.93 .1 -.92 0"
    )
)
