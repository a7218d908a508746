"""The folder of a converted scene."""

from __future__ import annotations

import pathlib

from .._errors import Error

#: Files of a converted scene.
FILES = ("scene.toml", "geometry.glb", "bodies.parquet", "shapes.parquet")


def check_folder(folder: pathlib.Path, force: bool) -> None:
    """Refuses a folder that exists, unless it holds a converted scene that may be replaced."""
    if folder.exists() and not force:
        raise Error("usage", None, "--out", f"{folder} exists", "choose another folder, or replace it by --force")
    if folder.exists() and not is_own(folder):
        problem = f"{folder} holds other files than those of a converted scene"
        raise Error("usage", None, "--out", problem, "choose another folder: --force replaces converted scenes alone")


def is_own(folder: pathlib.Path) -> bool:
    """Whether a folder holds nothing but a converted scene."""
    return folder.is_dir() and all(entry.name in FILES for entry in folder.iterdir())
