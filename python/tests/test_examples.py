"""The examples in docstrings and in README.md run as they stand."""

from __future__ import annotations

import doctest
import importlib
import pathlib
import pkgutil
import re
import warnings

import clearsweep as cs
import pytest
from conftest import ROOT

MODULES = ["clearsweep", *(f"clearsweep.{found.name}" for found in pkgutil.iter_modules(cs.__path__) if found.name != "__main__")]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cs.Warning)
        failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


def test_there_are_examples() -> None:
    finder = doctest.DocTestFinder()
    found = [test for name in MODULES for test in finder.find(importlib.import_module(name)) if test.examples]
    assert len(found) >= 8


def test_the_readme() -> None:
    text = pathlib.Path(ROOT, "python", "README.md").read_text()
    (code,) = re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S)
    namespace: dict[str, object] = {}
    exec(compile(code, "README.md", "exec"), namespace)
    result = namespace["result"]
    assert isinstance(result, cs.Result) and result.verdict == "violated"
