"""Pieces of joint motions from splines of SciPy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from ._errors import Error

#: Largest degree of a piece.
_MOST_DEGREE = 10


def spline_pieces(motion: Any, joints: Sequence[str] | None = None, *, run: int = 0) -> list[dict[str, Any]]:
    """The rows of a table of pieces, for a scene with ``between = "spline"``.

    Parameters
    ----------
    motion
        A spline of each joint by its name, or one spline with a value for each of ``joints`` along its last axis. A
        spline is what ``scipy.interpolate`` makes: ``PPoly`` and its kinds (``CubicSpline``, ``PchipInterpolator``,
        ``Akima1DInterpolator``), ``BPoly``, ``BSpline`` (``make_interp_spline``), or the tuple ``(t, c, k)``. Times are
        seconds, values radians and metres.
    joints
        Names of the joints of a spline of several values.
    run
        The run of the rows.

    Returns
    -------
    A list of dicts, such as ``polars.DataFrame``, ``pyarrow.Table.from_pylist`` and ``json.dump`` take.

    Examples
    --------
    >>> import clearsweep as cs, polars as pl, scipy.interpolate as si
    >>> path = si.CubicSpline([0, 1, 2], [[0, 0], [0.4, 0.1], [0.5, -0.2]])
    >>> pieces = cs.spline_pieces(path, ["shoulder", "elbow"])
    >>> pl.DataFrame(pieces).write_parquet("pieces.parquet")

    Numbers are taken as they are: the motion that is proven is that of the spline.
    """
    if isinstance(motion, Mapping):
        if joints is not None:
            raise _wrong("joints are named twice", "leave `joints` out: the keys are the names")
        by_name = cast("Mapping[str, Any]", motion)
        parts: list[tuple[str, Any, int | None]] = [(name, spline, None) for name, spline in by_name.items()]
    elif joints is None:
        raise _wrong("no joints are named", 'give `joints=["a", "b"]`, or a dict of a spline by joint')
    else:
        parts = [(name, motion, at) for at, name in enumerate(joints)]
    rows = [row for name, spline, at in parts for row in _rows(name, spline, at, len(parts))]
    rows = [{"run": run, **row} for row in rows]
    # All rows have the keys of all: a polynomial of lower degree has zeros.
    powers = max((len(row["c"]) for row in rows if "c" in row), default=0)
    return [_flat(row, powers, any("control" in row for row in rows)) for row in rows]


def _wrong(problem: str, remedy: str) -> Error:
    return Error("input", None, "splines of joints", problem, remedy)


def _flat(row: dict[str, Any], powers: int, has_control: bool) -> dict[str, Any]:
    terms = row.pop("c", None)
    padded = [None] * powers if terms is None else terms + [0.0] * (powers - len(terms))
    flat = {**row, **{f"c{power}": term for power, term in enumerate(padded)}}
    if has_control:
        flat = {"degree": None, "knots": None, "control": None, **flat}
    return flat


def _rows(joint: str, spline: Any, at: int | None, count: int) -> list[dict[str, Any]]:
    """The rows of one joint; ``at``: its place along the last axis of the values."""
    if isinstance(spline, tuple) and len(cast("tuple[Any, ...]", spline)) == 3:
        knots, values, degree = cast("tuple[Any, Any, Any]", spline)
        return [_of_knots(joint, knots, _column(joint, values, at, count), degree)]
    curve = cast("Any", spline)
    if all(hasattr(curve, name) for name in ("t", "c", "k")):
        return [_of_knots(joint, curve.t, _column(joint, curve.c, at, count), curve.k)]
    if not (hasattr(curve, "c") and hasattr(curve, "x")):
        problem = f"the motion of `{joint}` is {type(curve).__name__}, and no spline"
        raise _wrong(problem, "give a PPoly, CubicSpline or BSpline of scipy.interpolate, or (t, c, k)")
    times, terms = _numbers(curve.x), [_column(joint, row, at, count) for row in _listed(curve.c)]
    if len(terms) > _MOST_DEGREE + 1:
        raise _wrong(f"the polynomials of `{joint}` have degree {len(terms) - 1}", f"at most {_MOST_DEGREE}")
    # Coefficients of a BPoly are control values; those of a PPoly begin with the highest power.
    is_bernstein = hasattr(cast("type[Any]", type(curve)), "from_power_basis")
    rows: list[dict[str, Any]] = []
    for piece in range(len(times) - 1):
        row = {"piece": piece, "joint": joint, "t0_s": times[piece], "t1_s": times[piece + 1]}
        own = [term[piece] for term in terms]
        rows.append({**row, "control": own} if is_bernstein else {**row, "c": own[::-1]})
    return rows


def _of_knots(joint: str, knots: Any, values: list[float], degree: int) -> dict[str, Any]:
    knots = _numbers(knots)
    if int(degree) > _MOST_DEGREE:
        raise _wrong(f"the spline of `{joint}` has degree {degree}", f"at most {_MOST_DEGREE}")
    # SciPy pads the coefficients of `splrep` with zeros.
    control = values[: len(knots) - int(degree) - 1]
    row: dict[str, Any] = {"piece": 0, "joint": joint, "t0_s": None, "t1_s": None}
    return {**row, "degree": int(degree), "knots": knots, "control": control}


def _listed(values: Any) -> list[Any]:
    return list(values.tolist() if hasattr(values, "tolist") else values)


def _numbers(values: Any) -> list[float]:
    return [float(value) for value in _listed(values)]


def _column(joint: str, values: Any, at: int | None, count: int) -> list[float]:
    """The numbers of a joint along the first axis."""
    column: list[float] = []
    for value in _listed(values):
        if at is None:
            if isinstance(value, list):
                problem = f"the spline of `{joint}` has several values"
                raise _wrong(problem, "give a spline of one value for each joint, or one spline and `joints`")
            column.append(float(value))
            continue
        several = cast("list[Any]", value) if isinstance(value, list) else None
        if several is None or len(several) != count:
            values_of = "one value" if several is None else f"{len(several)} values"
            raise _wrong(f"{count} joints are named, and the spline has {values_of}", "name a joint for each value")
        column.append(float(several[at]))
    return column
