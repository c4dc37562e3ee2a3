"""Code blocks and commands of a page, in order, in one folder.

A comment above a block says why it cannot be run: `<!-- not run: it installs from an index -->`. A Python block that is
followed by a block of text must print exactly that text.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).parents[2]
FENCE = re.compile(
    r"(?:<!-- not run: (?P<reason>[^>]*?) -->\n)?^```(?P<kind>\w*)\n(?P<text>.*?)^```$"
    r"(?:\n+```text\n(?P<printed>.*?)^```$)?",
    re.S | re.M,
)
HERE = ["--workers", "0"]
SMALLER = {"render": ["--size", "480x270"], "sweep": HERE, "sensitivity": HERE, "optimize": HERE, "fit": HERE}
COMMANDS = ("murmura", "python", "pytest", "bash", "git", "pip")


@dataclass(frozen=True)
class Block:
    """One fenced block.

    Attributes:
        line: Where it begins in its page.
        kind: "python", "sh", or whatever the fence says; also "sh" for commands in a fence without a language.
        text: What is in it.
        printed: What it must print, if the page shows it.
        reason: Why it cannot be run; empty if it can.
    """

    line: int
    kind: str
    text: str
    printed: str | None
    reason: str

    @property
    def commands(self) -> list[list[str]]:
        """The commands of a block, as words; `&&` separates two."""
        whole = self.text.replace("\\\n", " ")
        lines = [part for line in whole.splitlines() for part in line.split("&&")]
        found = [shlex.split(line, comments=True) for line in lines]
        return [words for words in found if words]


def blocks_of(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    found = []
    for match in FENCE.finditer(text):
        kind = match["kind"]
        if not kind and match["text"].split()[0] in COMMANDS:
            kind = "sh"
        line = text.count("\n", 0, match.start()) + 1
        found.append(Block(line, kind, match["text"], match["printed"], match["reason"] or ""))
    return found


def shortened(words: list[str]) -> list[str]:
    """A command that takes seconds instead of hours: the same words with smaller numbers, in the same order.

    Films are small, and nothing starts worker processes: the tests of films and sweeps do both.
    """
    found = list(words)
    for k, (option, value) in enumerate(pairwise(words), 1):
        if option == "--steps":
            found[k] = str(_fewer(int(value)))
        elif option == "--samples":
            found[k] = str(min(int(value), 2))
        elif option == "--trials":
            found[k] = str(min(int(value), 5))
        elif option in ("--population", "--generations", "--predictions", "--instants", "--seconds"):
            found[k] = str(min(int(value), {"--population": 4, "--instants": 3}.get(option, 1)))
        elif option == "--agents" and value.isdigit():
            found[k] = str(min(int(value), 300))
        elif option == "--vary":
            found[k] = re.sub(r"(:[^:]+):\d+$", r"\1:2", value)
    if "--scheduler" in words or "--workers" in words:
        return found
    return found + SMALLER.get(words[0], [])


def _fewer(steps: int) -> int:
    """A smaller number: unchanged below a hundred, then a hundred more for each factor of a hundred."""
    return steps if steps <= 100 else 100 + 50 * (len(str(steps)) - 3) + steps // 10 ** (len(str(steps)) - 1)
