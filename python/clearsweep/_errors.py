"""Errors and warnings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

Kind: TypeAlias = Literal["usage", "input", "output", "cancelled", "internal"]

#: Options of the program that are True or False in Python.
_SWITCHES = {"force", "resume", "allow_empty", "raw"}

_OPTION = re.compile(r"(?<![\w-])--([a-z]+(?:-[a-z]+)*)(?![\w-])")

#: Switches that the module turns off.
_TURNED_OFF = {"no_views": "views"}

#: Options that the program has and the module has not.
_PROGRAM_ONLY = {"json", "csv", "color", "progress", "help"}


class Error(Exception):
    """Problem, place and remedy.

    ``kind`` says whose fault it is: ``"usage"`` (arguments that do not fit), ``"input"`` (data that do not fit),
    ``"output"`` (what cannot be written), ``"cancelled"``, ``"internal"`` (a defect of clearsweep).
    """

    kind: Kind
    #: The file that ``place`` lies in, if it lies in a file.
    file: str | None
    #: File and line, key, row or body.
    place: str
    problem: str
    #: What to do about it.
    help: str

    def __init__(self, kind: Kind, file: str | None, place: str, problem: str, help: str) -> None:
        super().__init__(kind, file, place, problem, help)
        self.kind = kind
        self.file = file
        self.place = place
        self.problem = problem
        self.help = help

    def __str__(self) -> str:
        text = f"{self.place}: {self.problem}" if self.place else self.problem
        return f"{text}\n  help: {self.help}" if self.help else text


class Warning(UserWarning):
    """Input that is suspicious: a run goes on, its result may not be what is meant."""


def _in_python_words(text: str) -> str:
    """Options of the command line as arguments of Python: ``--max-input`` is ``max_input=``."""

    def word(found: re.Match[str]) -> str:
        name = found[1].replace("-", "_")
        if name in _PROGRAM_ONLY:
            return found[0]
        if name in _TURNED_OFF:
            return f"{_TURNED_OFF[name]}=False"
        return f"{name}=True" if name in _SWITCHES else f"{name}="

    return _OPTION.sub(word, text)


def _error(kind: Kind, file: str | None, place: str, problem: str, help: str) -> Error:  # pyright: ignore[reportUnusedFunction]
    return Error(kind, file, *map(_in_python_words, (place, problem, help)))


def warning_text(warning: Mapping[str, Any]) -> str:
    """A warning of a manifest as text."""
    names: list[str] = warning["bodies"]
    more = warning.get("bodies_count", len(names)) - len(names[:5])
    who = ", ".join(names[:5]) + (f" and {more} more" if more > 0 else "")
    # A problem of sizes names its bodies itself.
    who = f"{who}: " if names and warning["kind"] != "size" else ""
    return f"{who}{warning['problem']}\n  help: {_in_python_words(warning['help'])}"
