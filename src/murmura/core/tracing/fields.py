"""Declared fields: a class whose annotations say what a record may have, with types, units and meanings."""

from __future__ import annotations

import ast
import inspect
import textwrap
from typing import ClassVar


class Fields:
    """What a record may have. Subclasses annotate fields and describe each in a string below it."""

    argument: ClassVar[str] = ""
    """The name under which rules get the record."""

    @classmethod
    def declared(cls) -> dict[str, str]:
        """The annotation of each field, those of base classes first."""
        parts = [part.__annotations__ for part in reversed(cls.__mro__) if "__annotations__" in vars(part)]
        return {
            name: kind for part in parts for name, kind in part.items() if not kind.startswith("ClassVar")
        }

    @classmethod
    def described(cls) -> dict[str, str]:
        """The description of each field, read from the source text."""
        found: dict[str, str] = {}
        for part in reversed(cls.__mro__[:-1]):
            found |= _descriptions(part)
        return {name: found[name] for name in cls.declared()}

    @classmethod
    def why_absent(cls, name: str) -> str:
        """Why a record may lack a declared field."""
        return cls.described()[name].lower()


def _descriptions(part: type) -> dict[str, str]:
    (body,) = ast.parse(textwrap.dedent(inspect.getsource(part))).body
    assert isinstance(body, ast.ClassDef)
    found = {}
    for line, after in zip(body.body, [*body.body[1:], None], strict=True):
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
            text = after.value if isinstance(after, ast.Expr) else None
            found[line.target.id] = str(text.value) if isinstance(text, ast.Constant) else ""
    return found
