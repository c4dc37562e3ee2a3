"""Errors of averages over the time of a run, and what finite-size analysis needs: moments of order parameters."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.measure.time.errors import average, order_statistics
from murmura.measure.time.series import ORDER_PARAMETERS

ERRORS, ORDERS = "errors", "orders"
"""Their places in a row."""
SQUARE, FOURTH = "square", "fourth"
IN_TIME = "_error_in_time"
"""Suffix of a measure in a cell: the error of its mean from the errors of its runs."""
DERIVED = ("susceptibility", "binder")
Row = dict[str, Any]


def statistics(series: Mapping[str, NDArray[np.float64]], agents: float) -> Row:
    """What a row says beside averages.

    Args:
        series: The values of each measure at the instants at which it was defined.
        agents: The mean number of agents.

    Returns:
        `errors`, the standard error of each average by the autocorrelation time, None where there are too few
        instants; `orders`, of each order parameter the mean square and fourth power, and errors derived from them.
    """
    errors = {name: _known(average(values).error) for name, values in series.items()}
    orders = {
        name: _order(series[name], agents)
        for name in ORDER_PARAMETERS
        if name in series and len(series[name])
    }
    return {ERRORS: errors, ORDERS: orders}


def _order(values: NDArray[np.float64], agents: float) -> Row:
    found = order_statistics(values, agents)
    return {
        SQUARE: float((values**2).mean()),
        FOURTH: float((values**4).mean()),
        "susceptibility_error": _known(found.susceptibility_error),
        "binder_error": _known(found.binder_error),
    }


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None


def check_statistics(row: Row) -> None:
    """Refuse statistics that are not what `statistics` returns; rows from before it was written have none."""
    errors, orders = row.get(ERRORS, {}), row.get(ORDERS, {})
    if not (isinstance(errors, dict) and isinstance(orders, dict)):
        raise ValueError("expected errors and orders as tables")
    for table in (errors, *orders.values()):
        if not isinstance(table, dict):
            raise ValueError(f"expected a table of numbers, got {table!r:.40}")
        for name, value in table.items():
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            if value is not None and not (is_number and math.isfinite(value)):
                raise ValueError(f"{name} must be a number or null, got {value!r:.40}")


def run_columns(row: Row, names: Sequence[str]) -> Row:
    """The further columns of a run."""
    line = {f"{name}_error": row.get(ERRORS, {}).get(name) for name in names}
    for name in orders_among(names):
        found = [_moments(row, name)]
        order = row.get(ORDERS, {}).get(name, {})
        for word, value in _derived(found).items():
            line[f"{name}_{word}"] = value
            line[f"{name}_{word}_error"] = order.get(f"{word}_error")
    return line


def cell_columns(rows: Sequence[Row], names: Sequence[str]) -> Row:
    """The further columns of a cell; derived numbers are those of all its runs together."""
    line = {f"{name}{IN_TIME}": _combined(row.get(ERRORS, {}).get(name) for row in rows) for name in names}
    for name in orders_among(names):
        found = [_moments(row, name) for row in rows]
        for word, value in _derived(found).items():
            line[f"{name}_{word}"] = value
            line[f"{name}_{word}_error"] = _error_over_runs(rows, found, name, word)
    return line


def orders_among(names: Iterable[str]) -> list[str]:
    return [name for name in names if name in ORDER_PARAMETERS]


Moments = tuple[float, float, float, float]
"""Mean, mean square, mean fourth power of an order parameter; number of agents."""


def _moments(row: Row, name: str) -> Moments | None:
    order, found = row.get(ORDERS, {}).get(name), row.get("measures", {})
    if order is None or found.get(name) is None or found.get("population") is None:
        return None
    return float(found[name]), order[SQUARE], order[FOURTH], float(found["population"])


def _derived(several: Sequence[Moments | None]) -> dict[str, float | None]:
    known = [moments for moments in several if moments is not None]
    if not known:
        return dict.fromkeys(DERIVED)
    mean, square, fourth, agents = (math.fsum(column) / len(known) for column in zip(*known, strict=True))
    binder = 1.0 - fourth / (3.0 * square**2) if square > 0.0 else None
    return dict(zip(DERIVED, (agents * (square - mean**2), binder), strict=True))


def _error_over_runs(
    rows: Sequence[Row], found: Sequence[Moments | None], name: str, word: str
) -> float | None:
    """By leaving out runs one after the other; of a single run, the one in time."""
    known = [moments for moments in found if moments is not None]
    if len(known) < 2:
        errors = [row[ORDERS][name][f"{word}_error"] for row in rows if name in row.get(ORDERS, {})]
        return errors[0] if len(errors) == 1 else None
    left = [_derived([*known[:k], *known[k + 1 :]])[word] for k in range(len(known))]
    values = [value for value in left if value is not None]
    if len(values) < len(known):
        return None
    mean = math.fsum(values) / len(values)
    return math.sqrt((len(values) - 1) / len(values) * math.fsum((value - mean) ** 2 for value in values))


def _combined(errors: Iterable[float | None]) -> float | None:
    """The error of the mean of several averages, from their own errors."""
    found = list(errors)
    known = [error for error in found if error is not None]
    if not found or len(known) < len(found):
        return None
    return math.sqrt(math.fsum(error**2 for error in known)) / len(known)
