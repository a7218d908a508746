"""Types of arguments."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeAlias

#: A length: a number in the unit of the scene, or a text with its own, such as "50 mm".
Length: TypeAlias = float | str


class ArrowStream(Protocol):
    """A table or a stream of record batches: of DuckDB, Polars, pandas, pyarrow, arro3, ..."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


class ArrowArray(Protocol):
    """A record batch."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...


class LazyPoses(Protocol):
    """A lazy frame of Polars."""

    def collect_batches(self) -> Any: ...


class PoseArray(Protocol):
    """An array of numpy, or any object with the buffer protocol and a shape."""

    @property
    def shape(self) -> tuple[int, ...]: ...


#: Poses of a job.
Poses: TypeAlias = "str | os.PathLike[str] | ArrowStream | ArrowArray | LazyPoses | PoseArray | memoryview[Any]"

#: A list of lengths.
Lengths: TypeAlias = Sequence[Length] | PoseArray

#: Names of columns by role, each alone or with a unit: the table `[columns]` of a scene file.
Columns: TypeAlias = Mapping[str, str | Mapping[str, str]]
