"""Events as dictionaries, with both parents of a birth."""

from __future__ import annotations

import numpy as np

from murmura.core.events import readable

ROWS = np.array(
    [
        # step, kind, id, other, x, y, cause, amount
        [3.0, 1.0, 12.0, 4.0, 1.5, 2.5, 0.0, 9.0],
        [3.0, 1.0, 11.0, 5.0, 0.0, 0.0, 0.0, -1.0],
        [2.0, 2.0, 7.0, -1.0, 0.0, 0.0, 3.0, 0.0],
        [3.0, 4.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.25],
    ]
)


def test_a_birth_has_two_parents_or_one() -> None:
    death, alone, young, meal = readable(ROWS)
    assert (young["id"], young["other"], young["father"], young["amount"]) == (12, 4, 9, 0.0)
    assert (alone["id"], alone["other"], alone["father"], alone["amount"]) == (11, 5, None, 0.0)
    assert (death["cause"], death["other"]) == ("age", None)
    assert meal["amount"] == 0.25
    assert "father" not in death and "father" not in meal
