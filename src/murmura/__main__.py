"""The command `murmura`, also as `python -m murmura`; a Ctrl-C while it loads ends it as quietly as a later one."""

from __future__ import annotations

import sys
from typing import NoReturn


def main() -> NoReturn:
    try:
        from murmura.cli import main as front_door
    except KeyboardInterrupt:
        sys.exit(130)
    front_door()


if __name__ == "__main__":
    main()
