"""Messages that readers in C++ or Rust print."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import tempfile
from collections.abc import Generator

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@contextlib.contextmanager
def captured() -> Generator[list[str]]:
    """Takes what is printed to stdout and stderr, of the whole process, and makes lines of it in the end."""
    lines: list[str] = []
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    with tempfile.TemporaryFile() as file:
        kept = [os.dup(number) for number in (1, 2)]
        try:
            for number in (1, 2):
                os.dup2(file.fileno(), number)
            yield lines
        finally:
            for number, old in zip((1, 2), kept, strict=True):
                os.dup2(old, number)
                os.close(old)
            file.seek(0)
            lines += lines_of(file.read())


def lines_of(printed: bytes) -> list[str]:
    """The lines of what was printed, each once, without colours and frames."""
    text = _COLOUR.sub("", printed.decode("utf-8", "replace"))
    return list(dict.fromkeys(line.strip("* \t") for line in text.splitlines() if line.strip("* \t")))
