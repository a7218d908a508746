"""Packages that a conversion needs, and that the wheel does not bring."""

from __future__ import annotations

import importlib
from typing import Any

from .._errors import Error


def package(name: str, extra: str) -> Any:
    """A package of an extra."""
    try:
        return importlib.import_module(name)
    except ImportError:
        problem = f"the package {name.replace('_', '-')} is not installed"
        raise Error("usage", None, "", problem, f'pip install "clearsweep[{extra}]"') from None
