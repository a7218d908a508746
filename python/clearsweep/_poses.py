"""Poses as the extension takes them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from ._errors import Error


class _Batches:
    """The batches of a lazy frame."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def __next_batch_iterator__(self) -> Iterator[Any]:
        return iter(self._frame.collect_batches())


def normalised(poses: Any) -> Any:
    """Lazy frames as iterators of batches, arrays as native numbers. Arrays of other numbers are refused."""
    if poses is None or hasattr(poses, "__fspath__") or isinstance(poses, str):
        return poses
    if hasattr(poses, "collect_batches"):
        return _Batches(poses)
    if hasattr(poses, "__arrow_c_stream__") or hasattr(poses, "__arrow_c_array__"):
        return poses
    if not hasattr(poses, "__array__"):
        return poses
    import numpy

    array: Any = numpy.asarray(poses)
    kind = array.dtype.newbyteorder("=")
    if kind not in (numpy.dtype("float64"), numpy.dtype("float32")):
        problem = f"numbers of type {array.dtype} instead of float64 or float32"
        raise Error("input", None, "array of poses", problem, 'convert them: `poses.astype("float64")`')
    # Numbers in the other byte order, or between the addresses of numbers, are copied once.
    if array.dtype.byteorder == (">" if sys.byteorder == "little" else "<") or not array.flags.aligned:
        array = array.astype(kind)
    return array
