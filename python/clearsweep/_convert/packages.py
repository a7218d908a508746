"""Packages that a conversion needs, and that the wheel does not bring."""

from __future__ import annotations

import importlib
from typing import Any

from .._errors import Error

#: What each extra of the wheel installs, as in pyproject.toml.
EXTRAS = {
    "ifc": ["ifclite-geom>=4.15,<5", "numpy>=2", "pyarrow>=26"],
    "ifc-both": ["ifclite-geom>=4.15,<5", "ifcopenshell>=0.9,<0.10", "numpy>=2", "pyarrow>=26"],
    "step": ["cascadio>=0.1.1,<0.3", "numpy>=2", "pyarrow>=26"],
}


def package(name: str, extra: str) -> Any:
    """A package of an extra."""
    try:
        return importlib.import_module(name)
    except ImportError:
        problem = f"the package {name.partition('.')[0].replace('_', '-')} is not installed"
        needed = " ".join(f'"{requirement}"' for requirement in EXTRAS[extra])
        raise Error("usage", None, "", problem, f"pip install {needed} (the extra `{extra}` of the wheel)") from None
