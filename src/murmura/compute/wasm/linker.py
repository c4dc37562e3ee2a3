"""Turns a relocatable WebAssembly object, as LLVM writes it, into a module: functions are exported by name.

An object that was linked as LLVM code needs no relocation, so all that it lacks are exports. Sections are as in the
WebAssembly core specification, the symbol table as in the tool conventions ("linking").
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

PREAMBLE = b"\0asm\x01\0\0\0"
CUSTOM, EXPORTS = 0, 7
AFTER_EXPORTS = (9, 12, 10)
"""Elements, the number of data segments, code: exports must stand before them."""
SYMBOL_TABLE = 8
FUNCTION, DATA, SECTION = 0, 1, 3  # kinds of symbols
UNDEFINED, EXPLICIT_NAME = 0x10, 0x40


def linked(code: bytes, names: Sequence[str]) -> bytes:
    """The module of an object, which exports the functions with these names."""
    sections = list(_sections(code))
    found = dict(_functions(sections))
    entries = [_text(name) + bytes([FUNCTION]) + _number(found[name]) for name in names]
    exports = _section(EXPORTS, _number(len(entries)) + b"".join(entries))
    out = bytearray(PREAMBLE)
    for kind, body in sections:
        if kind == CUSTOM:  # only linkers read them
            continue
        if kind in AFTER_EXPORTS:
            out += exports
            exports = b""
        out += _section(kind, body)
    return bytes(out)


def _sections(code: bytes) -> Iterator[tuple[int, bytes]]:
    if not code.startswith(PREAMBLE):
        raise ValueError("expected a WebAssembly object")
    at = len(PREAMBLE)
    while at < len(code):
        kind = code[at]
        size, at = _read(code, at + 1)
        yield kind, code[at : at + size]
        at += size


def _functions(sections: Sequence[tuple[int, bytes]]) -> Iterator[tuple[str, int]]:
    """The defined functions: name and number."""
    for kind, body in sections:
        name, at = _read_text(body, 0) if kind == CUSTOM else ("", 0)
        if name != "linking":
            continue
        _, at = _read(body, at)  # the version
        while at < len(body):
            part = body[at]
            size, at = _read(body, at + 1)
            if part == SYMBOL_TABLE:
                yield from _symbols(body, at)
            at += size


def _symbols(body: bytes, at: int) -> Iterator[tuple[str, int]]:
    count, at = _read(body, at)
    for _ in range(count):
        kind = body[at]
        flags, at = _read(body, at + 1)
        is_defined = not flags & UNDEFINED
        if kind == DATA:
            _, at = _read_text(body, at)
            for _ in range(3 if is_defined else 0):  # segment, offset, size
                _, at = _read(body, at)
            continue
        number, at = _read(body, at)
        if kind != SECTION and (is_defined or flags & EXPLICIT_NAME):
            name, at = _read_text(body, at)
            if kind == FUNCTION and is_defined:
                yield name, number


def _number(value: int) -> bytes:
    """An unsigned integer in base 128, the lowest digit first (LEB128)."""
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def _read(code: bytes, at: int) -> tuple[int, int]:
    """The integer at a place, and the place after it."""
    value = shift = 0
    while code[at] & 0x80:
        value |= (code[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
    return value | code[at] << shift, at + 1


def _text(text: str) -> bytes:
    return _number(len(text)) + text.encode()


def _read_text(code: bytes, at: int) -> tuple[str, int]:
    size, at = _read(code, at)
    return code[at : at + size].decode(), at + size


def _section(kind: int, body: bytes) -> bytes:
    return bytes([kind]) + _number(len(body)) + body
