"""Splines of SciPy, and stand-ins with their attributes, as pieces of joint motions."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import clearsweep as cs
import pytest
from test_joints import SCENE


class PPoly:
    """The attributes of scipy.interpolate.PPoly: coefficients with the highest power first."""

    def __init__(self, c: Any, x: Any) -> None:
        self.c, self.x = c, x


class BPoly(PPoly):
    """The attributes of scipy.interpolate.BPoly."""

    @classmethod
    def from_power_basis(cls) -> None:
        """Tells a BPoly from a PPoly."""


class BSpline:
    """The attributes of scipy.interpolate.BSpline."""

    def __init__(self, t: Any, c: Any, k: int) -> None:
        self.t, self.c, self.k = t, c, k


def test_a_spline_of_several_values_is_a_row_for_each_piece_and_joint() -> None:
    spline = PPoly([[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]], [0, 1, 3])
    rows = cs.spline_pieces(spline, ["a", "b"], run=2)
    assert [(row["joint"], row["piece"], row["t0_s"], row["t1_s"]) for row in rows] == [
        ("a", 0, 0.0, 1.0),
        ("a", 1, 1.0, 3.0),
        ("b", 0, 0.0, 1.0),
        ("b", 1, 1.0, 3.0),
    ]
    assert [(row["c0"], row["c1"]) for row in rows] == [(5.0, 1.0), (7.0, 3.0), (6.0, 2.0), (8.0, 4.0)]
    assert all(row["run"] == 2 and "control" not in row for row in rows)


def test_kinds_of_splines_may_stand_beside_each_other() -> None:
    rows = cs.spline_pieces(
        {
            "a": PPoly([[2.0], [1.0]], [0, 1]),
            "b": BPoly([[1.0], [2.0], [4.0]], [0, 1]),
            "c": BSpline([0, 0, 1, 1], [1.0, 2.0, 0.0, 0.0], 1),
            "d": ([0, 0, 1, 1], [1.0, 2.0, 0.0, 0.0], 1),
        }
    )
    a, b, c, d = rows
    assert (a["c0"], a["c1"], a["control"]) == (1.0, 2.0, None)
    assert (b["c0"], b["control"], b["knots"], b["t1_s"]) == (None, [1.0, 2.0, 4.0], None, 1.0)
    assert (c["control"], c["knots"], c["degree"], c["t0_s"]) == ([1.0, 2.0], [0.0, 0.0, 1.0, 1.0], 1, None)
    assert {**c, "joint": "d"} == d
    assert len({tuple(row) for row in rows}) == 1, "all rows have the same keys"


@pytest.mark.parametrize(
    ("motion", "joints", "problem"),
    [
        (PPoly([[0.0]], [0, 1]), None, "no joints are named"),
        ({"a": PPoly([[0.0]], [0, 1])}, ["a"], "named twice"),
        ({"a": 3.0}, None, "no spline"),
        ({"a": PPoly([[[0.0, 1.0]]], [0, 1])}, None, "several values"),
        (PPoly([[[0.0, 1.0]]], [0, 1]), ["a"], "2 values"),
        (PPoly([[0.0]], [0, 1]), ["a", "b"], "one value"),
        ({"a": PPoly([[0.0]] * 12, [0, 1])}, None, "degree 11"),
    ],
)
def test_what_is_no_motion_of_the_joints_is_refused(motion: Any, joints: Any, problem: str) -> None:
    with pytest.raises(cs.Error, match=problem):
        cs.spline_pieces(motion, joints)


def test_pieces_give_the_rows_of_a_run(tmp_path: pathlib.Path) -> None:
    (tmp_path / "scene.toml").write_text(SCENE.replace('"joint"', '"spline"\nstep_s = 0.25'))
    line = cs.spline_pieces({"arm": PPoly([[0.5], [-0.4]], [0, 2]), "rail": PPoly([[0.0]], [0, 2])})
    (tmp_path / "pieces.json").write_text(json.dumps(line))
    result = cs.run(tmp_path / "scene.toml", tmp_path / "pieces.json", progress=False)
    assert result.summary["between"] == "spline"
    assert result.intervals is not None and len(result.intervals.to_pandas()) > 0


def test_scipy() -> None:
    si = pytest.importorskip("scipy.interpolate")
    path = si.CubicSpline([0, 1, 3], [[0, 1], [0.5, 2], [0.1, 3]])
    rows = cs.spline_pieces(path, ["a", "b"])
    for row in rows:
        for share in (0.0, 0.3, 1.0):
            since = share * (row["t1_s"] - row["t0_s"])
            value = sum(row[f"c{power}"] * since**power for power in range(4))
            at = path(row["t0_s"] + since)[["a", "b"].index(row["joint"])]
            assert abs(value - at) < 1e-12
    spline = si.make_interp_spline([0, 1, 2, 3, 4], [0, 1, 0, 2, 1], k=3)
    (row,) = cs.spline_pieces({"a": spline})
    assert row["degree"] == 3 and row["knots"] == spline.t.tolist() and row["control"] == spline.c.tolist()
