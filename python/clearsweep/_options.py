"""Arguments of Python as words of the command line, which the program's own parser reads."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, cast

from ._errors import Error

#: Options that change how a scene is read.
SCENE = ("within", "require", "accepted", "direction", "between", "answer", "contacts", "max_input")


def text(value: Any) -> str:
    """A value as the program reads it."""
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(cast("str | os.PathLike[str]", value))
    if type(value) in (range, slice):
        return f"{'' if value.start is None else value.start}..{'' if value.stop is None else value.stop}"
    if hasattr(value, "__iter__"):
        return ",".join(text(item) for item in value)
    # Integers and numbers of numpy have the text of a plain number.
    return repr(int(value)) if hasattr(value, "__index__") else repr(float(value))


def words(options: Mapping[str, object]) -> list[str]:
    """``{"max_input": 5}`` as ``["--max-input=5"]``. None and False are left out, True is the option alone."""
    found: list[str] = []
    for name, value in options.items():
        if value is None or value is False:
            continue
        flag = "--" + name.replace("_", "-")
        try:
            found.append(flag if value is True else f"{flag}={text(value)}")
        except (TypeError, ValueError):
            kind = type(value).__name__
            raise Error("usage", None, f"{name}=", f"a value of type {kind}", "give a number or a text") from None
    return found
