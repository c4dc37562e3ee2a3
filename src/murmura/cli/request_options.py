"""The options of a command, made from the request that the library takes."""

from __future__ import annotations

import sys
from dataclasses import Field, field, fields, make_dataclass
from inspect import get_annotations
from types import SimpleNamespace
from typing import Annotated, Any, ClassVar, get_type_hints

from cyclopts import Parameter

from murmura.cli.options import whole
from murmura.core.request import Request


class Options(Request):
    """Options as they were typed."""

    kind: ClassVar[type[Request]]

    @property
    def arguments(self) -> dict[str, Any]:
        """Those that were given, as arguments of the library."""
        return {name: getattr(self, name) for name in self.given}

    def request(self, **more: Any) -> Any:
        """The library's request, with what the command takes otherwise."""
        return self.kind(**self.arguments, **more)


def options_of(kind: type[Request]) -> Any:
    """The options of a request, those of its own first, and then those that it shares with others."""
    found = [one for one in fields(kind) if "help" in one.metadata]  # type: ignore[arg-type]  # it is a dataclass
    found.sort(key=lambda one: kind.__mro__.index(_owner(kind, one.name)))
    made: Any = make_dataclass(
        f"{kind.__name__}Options",
        [(one.name, _annotated(kind, one), field(default=one.default)) for one in found],
        bases=(Options,),
        namespace={"__module__": __name__, "kind": kind},
    )
    return Parameter(name="*")(made)


def _owner(kind: type[Request], name: str) -> type:
    return next(base for base in kind.__mro__ if name in get_annotations(base))


def _annotated(kind: type[Request], one: Field[Any]) -> Any:
    typed, flag = one.metadata["typed"] or _type_of(kind, one), one.metadata["flag"]
    about: dict[str, Any] = {"help": one.metadata["help"]} | ({"name": flag} if flag else {})
    if typed in (int, int | None):
        about["converter"] = whole
    elif typed is bool and not one.default:
        about["negative"] = ""
    elif typed == list[str] | None:
        about |= {"negative": "", "show_default": False}
    return Annotated[typed, Parameter(**about)]


def _type_of(kind: type[Request], one: Field[Any]) -> Any:
    """The type of one field: others may have types that cost time to import."""
    module = sys.modules[_owner(kind, one.name).__module__]
    alone = SimpleNamespace(__annotations__={one.name: one.type})
    return get_type_hints(alone, vars(module))[one.name]
