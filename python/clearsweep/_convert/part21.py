"""Instances of an exchange file (ISO 10303-21), such as IFC and STEP files are. An instance is parsed when it
is asked for."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

from .._errors import Error


class Ref(int):
    """The number of another instance."""


class Word(str):
    """An enumeration value, without its dots; ``*`` for a derived attribute."""


class Typed(tuple[str, Any]):
    """A value with its type, such as ``IFCPARAMETERVALUE(90.)``: name and value."""


_INSTANCE = re.compile(r"'(?:[^']|'')*'|/\*.*?\*/|#(\d+)\s*=\s*([A-Za-z0-9_]*)\s*\(", re.DOTALL)

_TOKEN = re.compile(
    r"(?:\s|/\*.*?\*/)*(?:'((?:[^']|'')*)'|#(\d+)|([+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)|\.(\w+)\.|(\w+)\s*\(|\"([^\"]*)\"|([$*(),]))",
    re.DOTALL,
)

_SCHEMA = re.compile(r"FILE_SCHEMA\s*\(\s*\(\s*'([^']*)'")

_ESCAPE = re.compile(
    r"\\X2\\((?:[0-9A-Fa-f]{4})*)\\X0\\|\\X4\\((?:[0-9A-Fa-f]{8})*)\\X0\\|\\X\\([0-9A-Fa-f]{2})|\\S\\(.)|\\P[A-I]\\|\\\\"
)


def _text(raw: str) -> str:
    """A string without its escapes (ISO 10303-21, 6.4.3)."""

    def plain(found: re.Match[str]) -> str:
        two, four, byte, shifted = found.groups()
        if two is not None:
            return bytes.fromhex(two).decode("utf-16-be", "replace")
        if four is not None:
            return bytes.fromhex(four).decode("utf-32-be", "replace")
        if byte is not None:
            return chr(int(byte, 16))
        if shifted is not None:
            return chr(ord(shifted) + 128)
        return "\\" if found[0] == "\\\\" else ""

    return _ESCAPE.sub(plain, raw.replace("''", "'"))


class Exchange:
    """An exchange file. ``file[17]`` is the list of attributes of instance 17."""

    def __init__(self, path: str | os.PathLike[str], data: bytes) -> None:
        self.path = os.fspath(path)
        if not data.lstrip().startswith(b"ISO-10303-21"):
            problem = "is no exchange file: it does not begin with `ISO-10303-21`"
            zipped = ": this is a ZIP archive" if data[:2] == b"PK" else ""
            help = f"export the model as plain IFC or STEP text, without compression{zipped}"
            raise Error("input", self.path, self.path, problem, help)
        try:
            self.text = data.decode("utf-8")
        except UnicodeDecodeError:
            self.text = data.decode("latin-1")
        schema = _SCHEMA.search(self.text)
        #: Name of the schema, such as ``IFC2X3``.
        self.schema = schema[1].upper() if schema else ""
        #: Type of each instance, in capital letters, and where its attributes begin.
        self.types: dict[int, str] = {}
        self._at: dict[int, int] = {}
        self._by_type: dict[str, list[int]] = {}
        for found in _INSTANCE.finditer(self.text):
            if found[1]:
                number = int(found[1])
                self.types[number] = kind = found[2].upper()
                self._at[number] = found.end()
                self._by_type.setdefault(kind, []).append(number)
        self._parsed: dict[int, list[Any]] = {}

    def of(self, *kinds: str) -> Iterator[int]:
        """The numbers of all instances of these types, in the order of the file for each."""
        for kind in kinds:
            yield from self._by_type.get(kind, [])

    def begins_with_text(self, number: int) -> bool:
        """Whether the first attribute is a text, as that of everything with a GUID is."""
        return self.text[self._at[number] : self._at[number] + 16].lstrip().startswith("'")

    def __getitem__(self, number: int) -> list[Any]:
        found = self._parsed.get(number)
        if found is None:
            if number not in self._at:
                raise self.error(number, "is not in the file")
            found = self._parsed[number] = self._attributes(number)
        return found

    def type(self, number: Any) -> str:
        """The type of an instance; empty for a value that is no reference."""
        return self.types.get(number, "") if isinstance(number, Ref) else ""

    def error(self, number: int, problem: str) -> Error:
        """An error about an instance."""
        return Error("input", self.path, f"{self.path}: #{number}", problem, "export the file again: it is damaged")

    def _attributes(self, number: int) -> list[Any]:
        at, stack = self._at[number], [list[Any]()]
        names: list[str | None] = [None]
        while True:
            token = _TOKEN.match(self.text, at)
            if token is None:
                raise self.error(number, f"has attributes that cannot be read: {self.text[at : at + 20]!r}")
            at = token.end()
            text, ref, figure, word, opened, bits, mark = token.groups()
            if text is not None:
                stack[-1].append(_text(text))
            elif ref:
                stack[-1].append(Ref(ref))
            elif figure:
                stack[-1].append(float(figure) if any(letter in figure for letter in ".eE") else int(figure))
            elif word:
                stack[-1].append(Word(word.upper()))
            elif bits is not None:
                stack[-1].append(bits)
            elif opened or mark == "(":
                stack.append([])
                names.append(opened)
            elif mark == ")":
                items, name = stack.pop(), names.pop()
                if not stack:
                    return items
                stack[-1].append(Typed((name.upper(), items[0] if len(items) == 1 else items)) if name else items)
            elif mark != ",":
                stack[-1].append(None if mark == "$" else Word("*"))
