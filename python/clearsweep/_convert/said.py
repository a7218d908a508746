"""Messages of ``clearsweep convert`` on stderr, in the forms of the program: ``--errors``, ``--color``, exit codes."""

from __future__ import annotations

import itertools
import json
import os
import sys
from collections.abc import Sequence
from typing import Any

from .._errors import Error

#: Exit codes by the kind of an error; 1 of all others.
_CODES = {"usage": 2, "cancelled": 130}

_BOLD_RED, _PLAIN = "\x1b[1m\x1b[31m", "\x1b[0m"


class Said:
    """Prints messages as the words of the command line ask for, also of words that do not fit."""

    def __init__(self, words: Sequence[str]) -> None:
        self.is_json = _value(words, "--errors") == "json"
        color = _value(words, "--color")
        self.is_coloured = _is_terminal() if color not in ("always", "never") else color == "always"

    def note(self, message: str) -> None:
        """Prints what a user should know."""
        if self.is_json:
            _line({"level": "note", "message": message})
        else:
            print(message, file=sys.stderr)

    def error(self, error: Error) -> int:
        """Prints an error, and returns the exit code."""
        code = _CODES.get(error.kind, 1)
        if self.is_json:
            _line(
                {
                    "level": "error",
                    "kind": error.kind,
                    "file": error.file,
                    "place": error.place,
                    "message": error.problem,
                    "help": error.help or None,
                    "exit_code": code,
                }
            )
        elif error.kind == "cancelled":
            print(error.problem, file=sys.stderr)
        else:
            word = f"{_BOLD_RED}error:{_PLAIN}" if self.is_coloured else "error:"
            print(f"{word} {error}", file=sys.stderr)
        return code


def _line(message: dict[str, Any]) -> None:
    print(json.dumps(message, ensure_ascii=False, separators=(",", ":")), file=sys.stderr)


def _value(words: Sequence[str], flag: str) -> str | None:
    """The value of a flag in words that are not parsed yet; of several, the last."""
    before = [*itertools.takewhile(lambda word: word != "--", words)]
    values: list[str] = []
    for index, word in enumerate(before):
        if word == flag:
            values += before[index + 1 : index + 2]
        elif word.startswith(f"{flag}="):
            values.append(word.removeprefix(f"{flag}="))
    return values[-1] if values else None


def _is_terminal() -> bool:
    """Whether colours are shown: ``NO_COLOR``, ``CLICOLOR_FORCE``, ``CLICOLOR``, else what stderr is."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("CLICOLOR_FORCE", "0") != "0":
        return True
    is_wanted = os.environ.get("CLICOLOR")
    if is_wanted == "0" or not sys.stderr.isatty():
        return False
    return is_wanted is not None or os.environ.get("TERM", "dumb") != "dumb"
