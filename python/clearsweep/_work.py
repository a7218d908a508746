"""The place of the shards of a job: a folder that all nodes share, or an address in an object store."""

from __future__ import annotations

import contextlib
import os
import re
import shutil

from . import _clearsweep
from ._result import is_remote

#: Entries that a run in shards makes.
_OWN_ENTRY = re.compile(r"\.?shard-\d+-of-(\d+).*|\.attempts|poses\.parquet")


class WorkPlace:
    """The place of the shards, by its path or address. It can be pickled."""

    def __init__(self, path: str) -> None:
        self.path = path.rstrip("/") if is_remote(path) else path
        self.is_remote = is_remote(path)

    def names(self, below: str = "") -> list[str]:
        """The names of files and folders in it, or in a folder of it."""
        if self.is_remote:
            return sorted({name.split("/")[0] for name in _clearsweep.object_names(f"{self.path}/{below}")})
        folder = os.path.join(self.path, below)
        return sorted(os.listdir(folder)) if os.path.isdir(folder) else []

    def has_shard(self, shard: int, shards: int) -> bool:
        """Whether a whole shard stands there."""
        return "manifest.json" in self.names(f"shard-{shard:05}-of-{shards:05}")

    def plans(self) -> set[int]:
        """The numbers of shards of the plans whose shards, whole or not, are there."""
        found = map(_OWN_ENTRY.fullmatch, self.names())
        return {int(entry[1]) for entry in found if entry is not None and entry[1]}

    def make(self) -> None:
        """Makes the folder."""
        if not self.is_remote:
            os.makedirs(self.path, exist_ok=True)

    def make_marks(self, folder: str) -> None:
        """Makes the folder of the marks of one call. Tasks do not make it: it is there if the nodes share the place."""
        if not self.is_remote:
            os.makedirs(os.path.join(self.path, ".attempts", folder))

    def mark(self, folder: str, name: str) -> None:
        """Leaves a mark, which has no contents, in a folder of marks.

        Raises
        ------
        OSError, Error
            The place cannot be written.
        """
        if self.is_remote:
            _clearsweep.create_object(self.path, f".attempts/{folder}/{name}")
            return
        path = os.path.join(self.path, ".attempts", folder, name)
        with contextlib.suppress(FileExistsError):
            # Not its parents.
            os.mkdir(os.path.dirname(path))
        open(path, "a").close()

    def marks(self, folder: str) -> list[str]:
        """The names of the marks in a folder of marks."""
        return self.names(f".attempts/{folder}")

    def remove(self) -> None:
        """Removes shards, marks and poses, and the folder unless it holds something else."""
        if self.is_remote:
            names = [name for name in _clearsweep.object_names(self.path) if _OWN_ENTRY.fullmatch(name.split("/")[0])]
            _clearsweep.remove_objects(self.path, names)
            return
        for name in self.names():
            path = os.path.join(self.path, name)
            if _OWN_ENTRY.fullmatch(name) is None:
                continue
            if os.path.isdir(path) and not os.path.islink(path):
                shutil.rmtree(path, ignore_errors=True)
            else:
                os.remove(path)
        with contextlib.suppress(OSError):
            os.rmdir(self.path)
