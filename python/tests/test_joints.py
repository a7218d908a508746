"""Values of joints in place of poses: arrays give the rows of tables, and wrong ones are refused by name."""

from __future__ import annotations

import pathlib
from typing import Any

import clearsweep as cs
import numpy as np
import polars as pl
import pytest
from conftest import F64
from polars.testing import assert_frame_equal

SCENE = """
[scene]
length_unit = "m"
[query]
within = 0.4
[motion]
between = "joint"
[[body]]
name = "ball"
shape = { sphere = 0.1 }
position = [1.0, 0.0, 0.0]
[[body]]
name = "wall"
shape = { box = [4, 1, 4] }
static = true
position = [0, 1.0, 0]
[[joint]]
name = "arm"
type = "revolute"
child = "ball"
axis = [0, 0, 1]
range = ["-90deg", "180deg"]
[[joint]]
name = "rail"
type = "prismatic"
parent = "ball"
child = "stop"
axis = [1, 0, 0]
[[body]]
name = "stop"
shape = { sphere = 0.05 }
position = [1.2, 0.0, 0.0]
"""
# Values of two runs: the arm turns by closed forms, the rail stays or slides.
ARM = np.linspace(-0.4, 0.9, 14)
VALUES = np.stack([np.stack([ARM, 0 * ARM], -1), np.stack([ARM, 0.1 * ARM], -1)])


@pytest.fixture
def scene(tmp_path: pathlib.Path) -> pathlib.Path:
    path = tmp_path / "scene.toml"
    path.write_text(SCENE)
    return path


def rows(scene: pathlib.Path, values: Any, **options: Any) -> pl.DataFrame:
    return cs.run(scene, values, progress=False, **options).distances.to_polars()


def table(values: F64) -> pl.DataFrame:
    frames: int = values.shape[1]
    sample = np.arange(values.shape[0] * frames, dtype=np.int64)
    return pl.DataFrame(
        {
            "run": sample // frames,
            "frame": sample % frames,
            "arm": values[..., 0].ravel(),
            "rail": values[..., 1].ravel(),
        }
    )


def test_arrays_are_tables(scene: pathlib.Path) -> None:
    expected = rows(scene, table(VALUES))
    ball = expected.filter((pl.col("run") == 1) & (pl.col("body_a") == "ball") & (pl.col("body_b") == "wall"))
    closed = {frame: 0.5 - np.sin(angle) - 0.1 for frame, angle in enumerate(ARM)}
    assert ball.height > 4
    for frame, distance in ball.select("frame", "distance_m").iter_rows():
        assert distance == pytest.approx(closed[frame], abs=1e-12) or distance < 0
    names = ["arm", "rail"]
    assert_frame_equal(rows(scene, VALUES, joints=names), expected)
    assert_frame_equal(cs.run(cs.Scene.load(scene), VALUES, joints=names, progress=False).distances.to_polars(), expected)
    with pytest.raises(cs.Error, match="nothing says their values"):
        cs.run(scene, progress=False)
    assert_frame_equal(rows(scene, np.asfortranarray(VALUES), joints=names), expected)
    assert_frame_equal(rows(scene, VALUES[:, ::-1, ::-1][:, ::-1], joints=names[::-1]), expected)
    assert_frame_equal(rows(scene, VALUES[1], joints=names), rows(scene, table(VALUES[1:])))
    single = VALUES.astype("float32")
    assert_frame_equal(rows(scene, single, joints=names), rows(scene, single.astype("float64"), joints=names))
    degrees = VALUES * [180 / np.pi, 1000]
    found = rows(scene, degrees, joints=names, columns={"angles": "deg", "lengths": "mm"})
    assert_frame_equal(found, expected, abs_tol=1e-9)
    with cs.stream(scene, VALUES, joints=names) as stream:
        assert sum(batch.num_rows for batch in stream) == expected.height


def test_times_belong_to_the_samples(scene: pathlib.Path, tmp_path: pathlib.Path) -> None:
    times = np.arange(14) * 0.5
    cs.run(scene, VALUES, joints=["arm", "rail"], times=times, out=tmp_path / "out", progress=False)
    samples = pl.read_parquet(tmp_path / "out" / "samples.parquet")
    assert samples["time_s"].to_list() == [*times, *times]
    assert samples["arm"].to_list() == [*ARM, *ARM]


def test_what_does_not_fit_is_refused_by_name(scene: pathlib.Path) -> None:
    def refused(values: Any, **options: Any) -> str:
        with pytest.raises(cs.Error) as caught:
            rows(scene, values, **options)
        return f"{caught.value.place} {caught.value.problem} {caught.value.help}"

    names = ["arm", "rail"]
    assert "`rali` is no joint" in refused(np.zeros((3, 3)), joints=["arm", "rail", "rali"])
    assert "2 joints are named" in refused(np.zeros((3, 3)), joints=names)
    assert "has 1 axes" in refused(np.zeros(3), joints=names)
    assert "joints carry the bodies" in refused(np.zeros((3, 1, 7)), bodies=["ball"])
    assert "`joints=[...]`" in refused(VALUES)
    assert "belongs to another kind" in refused(VALUES, joints=names, bodies=["ball"])
    assert "belongs to another kind" in refused(table(VALUES), joints=names)
    wrong = VALUES.copy()
    wrong[1, 3, 0] = 4.0
    told = refused(wrong, joints=names)
    assert "run 1, frame 3" in told and "outside of the range of the joint `arm`" in told
    assert "unknown unit" in refused(VALUES, joints=names, columns={"angles": "mm"})
