"""The options of a command, made from the request that the library takes."""

from __future__ import annotations

from dataclasses import Field, field, fields, make_dataclass
from typing import Annotated, Any, ClassVar, get_type_hints

from cyclopts import Parameter

from murmura.cli.options import whole
from murmura.core.request import Request


class Options(Request):
    """Options as they were typed."""

    kind: ClassVar[type[Request]]

    def request(self, **more: Any) -> Any:
        """The library's request, with what the command takes otherwise."""
        return self.kind(**{name: getattr(self, name) for name in self.given}, **more)


def options_of(kind: type[Request]) -> Any:
    """The options of a request: those of its fields that have a help text."""
    hints = get_type_hints(kind)
    made: Any = make_dataclass(
        f"{kind.__name__}Options",
        [
            (one.name, _annotated(one, hints[one.name]), field(default=one.default))
            for one in fields(kind)  # type: ignore[arg-type]  # what derives from Request is a dataclass
            if "help" in one.metadata
        ],
        bases=(Options,),
        namespace={"__module__": __name__, "kind": kind},
    )
    return Parameter(name="*")(made)


def _annotated(one: Field[Any], hint: Any) -> Any:
    typed, flag = one.metadata["typed"] or hint, one.metadata["flag"]
    about: dict[str, Any] = {"help": one.metadata["help"]} | ({"name": flag} if flag else {})
    if typed in (int, int | None):
        about["converter"] = whole
    elif typed in (bool, list[str] | None):
        about["negative"] = ""
    return Annotated[typed, Parameter(**about)]
