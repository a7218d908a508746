"""One pair of bodies."""

from __future__ import annotations

import array
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from . import _clearsweep
from ._errors import Error
from ._poses import normalised
from ._scene import Scene
from ._types import Length

if TYPE_CHECKING:
    import arro3.core

#: The form of a body: keys of a body as a dict, such as ``{"box": [1, 1, 1]}``, or a geometry file.
Form: TypeAlias = Mapping[str, Any] | str | os.PathLike[str]


class Pair:
    """Two bodies, to be asked at any poses; made by :func:`pair`, or by :meth:`Pair.of_scene`."""

    def __init__(self, pair: _clearsweep.ShapePair) -> None:
        self._pair = pair

    @classmethod
    def of_scene(cls, scene: Scene, a: str, b: str, *, within: float | None = None, touch: float | None = None) -> Pair:
        """The pair of two bodies of a scene, by their names; ``within`` and ``touch`` in metres."""
        return cls(_clearsweep.shape_pair(scene._load({}), (a, b), within, touch))

    def query(self, a_poses: Any = None, b_poses: Any = None, *, order: str | None = None) -> arro3.core.Table:
        """Answers the pair at many poses: a row for each, with the columns of ``distances``, lengths in metres.

        Poses are arrays of float64 or float32: ``(n, 7)`` (x, y, z, qw, qx, qy, qz, or by ``order="xyz_xyzw"``), ``(7,)`` for
        all, or matrices ``(n, 4, 4)`` or ``(4, 4)``. Left out: the body is at the origin. Positions are in the unit of the pair.
        A pose is answered from what its predecessor left; the answer does not depend on it. Poses that are proven to be farther
        apart than ``within`` have nulls.

        >>> import clearsweep as cs, numpy as np
        >>> poses = np.array([[2.0, 0, 0, 1, 0, 0, 0], [0.5, 0, 0, 1, 0, 0, 0]])
        >>> found = cs.pair({"box": [1, 1, 1]}, {"sphere": 0.25}).query(b_poses=poses)
        >>> found["distance_m"].to_pylist()
        [1.25, -0.25]
        """
        from arro3.core import Table

        return Table.from_arrow(self._pair.query(_shaped(a_poses), _shaped(b_poses), order))


def pair(a: Form, b: Form, *, unit: str = "m", within: Length | None = None, touch: Length | None = None) -> Pair:
    """A pair of bodies: each a dict with the keys of a body (``{"sphere": 0.2, "offset": "1 mm"}``), or a geometry file.

    Lengths are numbers in ``unit``, or texts with a unit of their own.

    Raises
    ------
    Error
        A form is no body.
    """
    scene = Scene(unit, within=0 if within is None else within, touch=touch, static_pairs=True)
    for name, form in (("a", a), ("b", b)):
        keys: dict[str, Any] = dict(form) if isinstance(form, Mapping) else {"geometry": form}
        keys.setdefault("static", True)
        scene.add(name, **keys)
    loaded = scene._load({})
    near = None if within is None else loaded.within_m
    return Pair(_clearsweep.shape_pair(loaded, ("a", "b"), near, None if touch is None else loaded.touch_m))


def distance(
    a: Form, b: Form, a_pose: Sequence[float] | None = None, b_pose: Sequence[float] | None = None, *, unit: str = "m"
) -> dict[str, Any]:
    """The answer of one pair at one pose of each body: ``distance_m``, ``lower_m``, ``upper_m``, ``status``, points, ...

    >>> import clearsweep as cs
    >>> found = cs.distance({"box": [1, 1, 1]}, {"sphere": 0.25}, b_pose=[1, 0, 0, 1, 0, 0, 0])
    >>> found["distance_m"], found["status"]
    (0.25, 'separated')
    """
    table = pair(a, b, unit=unit).query(a_pose, b_pose)
    return {name: table[name][0].as_py() for name in table.column_names if name != "index"}


def _shaped(poses: Any) -> Any:
    """Poses as an array `(n, 1, 7)` or `(n, 1, 4, 4)`."""
    if poses is None:
        return None
    if isinstance(poses, (list, tuple)):
        if len(poses) != 7 or any(hasattr(item, "__len__") for item in poses):  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
            problem = "a list is one pose: seven numbers"
            raise Error("usage", None, "poses of a pair", problem, "give many poses as an array of numpy")
        numbers = array.array("d", poses)  # pyright: ignore[reportUnknownArgumentType]
        return memoryview(numbers).cast("B").cast("d", shape=[1, 1, 7])
    known: Any = normalised(poses)
    if not hasattr(known, "reshape"):
        return known
    inner = (4, 4) if known.shape[-2:] == (4, 4) else known.shape[-1:]
    if known.ndim - len(inner) > 1:
        problem = f"their shape is {known.shape}"
        raise Error("input", None, "poses of a pair", problem, "give (n, 7), (7,), (n, 4, 4) or (4, 4)")
    return known.reshape(-1, 1, *inner)
