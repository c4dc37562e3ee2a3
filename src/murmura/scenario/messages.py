"""Turns pydantic's errors into lines that say what was expected, what was found and what to do."""

from __future__ import annotations

from functools import partial
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from murmura.core.errors import ScenarioError, nearest

LONGEST_LINE = 3000
SIGNS = {
    "greater_than": ("gt", ">"),
    "greater_than_equal": ("ge", ">="),
    "less_than": ("lt", "<"),
    "less_than_equal": ("le", "<="),
}
LENGTHS = {"too_short": ("min_length", "at least"), "too_long": ("max_length", "at most")}


def scenario_error(error: ValidationError, model: type[BaseModel], source: str = "") -> ScenarioError:
    """One line for each problem, with the path of the value."""
    lines = [_line(problem, model) for problem in _likeliest(error.errors())]
    head = f"{source}: " if source else ""
    return ScenarioError(head + f"\n{head}".join(dict.fromkeys(map(_cut, lines))))


def _cut(line: str) -> str:
    """Shorten a line: a key may be a megabyte long."""
    return line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}..."


def _likeliest(problems: list[Any]) -> list[Any]:
    """If a value may be of several types, keep only the errors about the most similar one.

    pydantic puts the type into the path: `obstacles.0.Circle.radius`.
    """
    shapes: dict[tuple[Any, ...], dict[str, list[Any]]] = {}
    kept: list[Any] = []
    for problem in problems:
        loc = problem["loc"]
        k = next((k for k in range(2, len(loc)) if _is_shape(loc[k])), None)
        if k is None:
            kept.append(problem)
        else:
            alike = shapes.setdefault(loc[:k], {})
            inner = {**problem, "loc": loc[:k] + loc[k + 1 :], "shape": loc[k]}
            alike.setdefault(loc[k], []).append(inner)
    for place, alike in shapes.items():
        wrong = [_wrong_kind(place, found) for found in alike.values()]
        if all(wrong):
            kinds = ", ".join(problem["ctx"]["expected"] for problem in wrong)
            kept.append({**wrong[0], "ctx": {"expected": kinds}})
            continue
        # An error deeper in the value means that its type was recognised.
        likeliest: list[Any] = min(alike.values(), key=partial(_unlikeness, place))
        kept += likeliest
    return kept


def _wrong_kind(place: tuple[Any, ...], found: list[Any]) -> Any:
    """The error about a `kind` that names another type, or nothing."""
    return next((problem for problem in found if problem["loc"] == (*place, "kind")), None)


def _unlikeness(place: tuple[Any, ...], found: list[Any]) -> tuple[bool, bool, int]:
    is_another = _wrong_kind(place, found) is not None
    return is_another, all(problem["loc"] == place for problem in found), len(found)


def _is_shape(part: Any) -> bool:
    shapes = ("Circle", "Polygon", "Wall", "Cylinder", "Box", "Plane", "Interaction")
    return part in shapes or str(part).startswith("literal[")


def _line(problem: Any, model: type[BaseModel]) -> str:
    path = ".".join(str(part) for part in problem["loc"]) or f"a {model.__name__.lower()}"
    found = _shown(problem.get("input"))
    kind = problem["type"]
    context = problem.get("ctx", {})
    if kind in SIGNS:
        key, sign = SIGNS[kind]
        return f"{path} must be {sign} {context[key]:g}{_unit(model, problem['loc'])}, got {found}"
    if kind == "extra_forbidden":
        parent = _model_of(model, problem)
        known = list(parent.model_fields) if parent else []
        word = str(problem["loc"][-1])
        hint = nearest(word, known) or (f"; known here: {', '.join(known)}" if known else "")
        return f"{path}: unknown key {word!r}{hint}"
    if kind == "finite_number":
        return f"{path} must be a finite number, got {found}"
    if kind == "literal_error":
        return f"{path} must be one of {context['expected']}, got {found}"
    if kind in LENGTHS and "actual_length" in context:
        key, words = LENGTHS[kind]
        return f"{path} must have {words} {context[key]} values, got {context['actual_length']}: {found}"
    if kind == "missing" and isinstance(problem["loc"][-1], int):
        owner = _model_of(model, problem, 2)
        field = owner.model_fields.get(str(problem["loc"][-2])) if owner else None
        meaning = f": {field.description}" if field and field.description else ""
        return f"{path.rpartition('.')[0]} has too few values, got {found}{meaning}"
    if kind == "missing":
        return f"{path} is required and missing"
    if kind == "json_invalid":
        return f"not valid JSON: {context.get('error', '')}"
    message = str(problem["msg"]).removeprefix("Value error, ")
    if kind == "value_error":
        return f"{path}: {message}" if problem["loc"] and path not in message else message
    return f"{path}: {message[0].lower()}{message[1:]}, got {found}"


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def _field(model: type[BaseModel], loc: tuple[Any, ...]) -> Any:
    parent = _model_at(model, loc[:-1])
    return parent.model_fields.get(str(loc[-1])) if parent else None


def _model_at(model: type[BaseModel], loc: tuple[Any, ...]) -> type[BaseModel] | None:
    for part in loc:
        field = model.model_fields.get(str(part))
        annotation = field.annotation if field else None
        if not (isinstance(annotation, type) and issubclass(annotation, BaseModel)):
            return None
        model = annotation
    return model


def _model_of(model: type[BaseModel], problem: Any, above: int = 1) -> type[BaseModel] | None:
    """The model that owns a value; where several are possible, the one that was tried."""
    shape = problem.get("shape")
    if shape is None:
        return _model_at(model, problem["loc"][:-above])
    kinds = [model.model_fields[str(problem["loc"][0])].annotation]
    while kinds:
        kind = kinds.pop()
        if getattr(kind, "__name__", "") == shape and isinstance(kind, type) and issubclass(kind, BaseModel):
            return kind
        kinds.extend(get_args(kind))
    return None


def _unit(model: type[BaseModel], loc: tuple[Any, ...]) -> str:
    field = _field(model, loc)
    extra = field.json_schema_extra if field else None
    unit = extra.get("unit") if isinstance(extra, dict) else ""
    return f" [{unit}]" if unit else ""
