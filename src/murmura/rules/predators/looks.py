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


POINTED_WINGS = HunterLooks(
    "M1 0 .45 .16 -.1 .3 -.75 1.25 -.35 .25 -.8 .14 -1.05 .22 -1.05-.22-.8-.14-.35-.25-.75-1.25-.1-.3 "
    ".45-.16z"
)
BROAD_WINGS = HunterLooks(
    "M.9 0 .6 .16 .35 .25 .3 1.3 .1 1.15 0 1.3-.12 1.12-.22 1.25-.3 .3-.6 .18-1.1 .45-1.1-.45-.6-.18-.3-.3-.22-1.25-.12"
    "-1.12 0-1.3 .1-1.15 .3-1.3 .35-.25 .6-.16z"
)
FISH = HunterLooks(
    "M1.2 0 .7 .26 .35 .3 0 .75-.1 .3-.7 .12-1.2 .55-1 0-1.2-.55-.7-.12-.1-.3 0-.75 .35-.3 .7-.26z",
    "fish",
)
WHALE = HunterLooks(
    "M1.15 0 .95 .16 .6 .34 .3 .36-.05 .85 0 .32-.7 .13-1.15 .5-.98 0-1.15-.5-.7-.13 0-.32-.05-.85 "
    ".3-.36 .6-.34 .95-.16z",
    "fish",
)
PLAIN = HunterLooks("M1 0-.1 .35-.6 1.1-.45 .2-.9 0-.45-.2-.6-1.1-.1-.35z")
