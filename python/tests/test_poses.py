"""All kinds of poses give the same rows, and wrong ones are refused by name."""

from __future__ import annotations

import pathlib
from collections.abc import Callable
from typing import Any

import arro3.core
import clearsweep as cs
import numpy as np
import polars as pl
import pytest
from conftest import NAMES, Motion, apart, spheres
from polars.testing import assert_frame_equal

# They come without types.
pa = pytest.importorskip("pyarrow")
duckdb = pytest.importorskip("duckdb")

Kind = Callable[[Motion], Any]


def arrow(motion: Motion) -> Any:
    """The poses as a table of pyarrow."""
    return pa.table(motion.table)


def rows(motion: Motion, poses: Any, **options: Any) -> pl.DataFrame:
    return cs.run(motion.scene, poses, progress=False, **options).distances.to_polars()


@pytest.fixture(scope="session")
def expected(motion: Motion) -> pl.DataFrame:
    found = cs.run(motion.scene, progress=False).distances.to_polars()
    assert found.height > 200
    return found


TABLES: dict[str, Kind] = {
    "path": lambda motion: motion.path,
    "text": lambda motion: str(motion.path),
    "directory": lambda motion: motion.parts,
    "glob": lambda motion: str(motion.path.parent / "*.parquet"),
    "polars": lambda motion: motion.table,
    "pyarrow table": lambda motion: arrow(motion),
    "pyarrow reader": lambda motion: arrow(motion).to_reader(max_chunksize=100),
    "record batch": lambda motion: arrow(motion).combine_chunks().to_batches()[0],
    "arro3": lambda motion: arro3.core.Table.from_arrow(motion.table),
    "pandas": lambda motion: motion.table.to_pandas(),
    "duckdb": lambda motion: duckdb.sql(f"from '{motion.path}' order by run, frame"),
    "lazy frame": lambda motion: motion.table.lazy(),
    "scan": lambda motion: pl.scan_parquet(motion.path).filter(pl.col("frame") >= 0),
}


@pytest.mark.parametrize("kind", TABLES)
def test_tables_and_files(motion: Motion, expected: pl.DataFrame, kind: str) -> None:
    assert_frame_equal(rows(motion, TABLES[kind](motion)), expected)


def test_streams_within_bounds(motion: Motion, expected: pl.DataFrame) -> None:
    bounds = [[-1.0, -1.0, -1.0], [1.0, 1.0, 1.0]]  # too narrow: only slower
    assert_frame_equal(rows(motion, arrow(motion).to_reader(100), bounds=bounds), expected)


def strided(motion: Motion) -> Any:
    """Every second number of a larger array, backward along the axis of runs and in another order of axes."""
    runs, frames, bodies, _ = motion.array.shape
    large = np.full((frames, runs, bodies, 14), np.nan)
    large[:, ::-1, :, ::2] = motion.array.swapaxes(0, 1)
    return large[:, ::-1, :, ::2].swapaxes(0, 1)


ARRAYS: dict[str, Kind] = {
    "contiguous": lambda motion: motion.array,
    "fortran": lambda motion: np.asfortranarray(motion.array),
    "strided": strided,
    "read-only": lambda motion: np.frombuffer(motion.array.tobytes()).reshape(motion.array.shape),
    "big-endian": lambda motion: motion.array.astype(">f8"),
    "odd address": lambda motion: np.frombuffer(b"x" + motion.array.tobytes(), offset=1).reshape(motion.array.shape),
    "memoryview": lambda motion: memoryview(motion.array.data),
    "packed records": lambda motion: (
        np.ascontiguousarray(motion.array).view([("pose", "f8", 7)])["pose"].reshape(motion.array.shape)
    ),
}


@pytest.mark.parametrize("kind", ARRAYS)
def test_arrays(motion: Motion, expected: pl.DataFrame, kind: str) -> None:
    poses = ARRAYS[kind](motion)
    assert_frame_equal(rows(motion, poses, bodies=motion.bodies, times=motion.times), expected)


def test_order_of_components(motion: Motion, expected: pl.DataFrame) -> None:
    poses = motion.array[..., [0, 1, 2, 4, 5, 6, 3]]
    found = rows(motion, poses, bodies=motion.bodies, times=motion.times, order="xyz_xyzw")
    assert_frame_equal(found, expected)


def test_single_precision_is_widened_value_by_value(motion: Motion) -> None:
    single = motion.array.astype("float32")
    options: dict[str, Any] = {"bodies": motion.bodies, "times": motion.times}
    assert_frame_equal(rows(motion, single, **options), rows(motion, single.astype("float64"), **options))


def matrices(poses: Any) -> Any:
    """Rigid transforms of poses, by the formula of Rodrigues for unit quaternions."""
    w, x, y, z = (poses[..., k] / np.linalg.norm(poses[..., 3:], axis=-1) for k in (3, 4, 5, 6))
    m = np.zeros((*poses.shape[:-1], 4, 4))
    m[..., 0, :3] = np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], -1)
    m[..., 1, :3] = np.stack([2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)], -1)
    m[..., 2, :3] = np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], -1)
    m[..., :3, 3] = poses[..., :3]
    m[..., 3, 3] = 1
    return m


def test_matrices(motion: Motion, expected: pl.DataFrame) -> None:
    found = rows(motion, matrices(motion.array), bodies=motion.bodies, times=motion.times)
    keys = ["run", "frame", "a_index", "b_index"]
    assert_frame_equal(found.select(keys), expected.select(keys))
    assert np.allclose(found["distance_m"], expected["distance_m"], rtol=0, atol=1e-12)


def test_an_array_of_one_run(motion: Motion, expected: pl.DataFrame) -> None:
    found = rows(motion, motion.array[0], bodies=motion.bodies, times=motion.times)
    assert_frame_equal(found, expected.filter(pl.col("run") == 0))


def refused(poses: Any, **options: Any) -> cs.Error:
    with pytest.raises(cs.Error) as caught:
        options.setdefault("bodies", NAMES)
        cs.run(spheres(), poses, progress=False, **options)
    return caught.value


def changed(index: tuple[int, ...], value: float, array: Any = None) -> Any:
    poses = apart(5, 1.0) if array is None else array
    poses[index] = value
    return poses


def test_wrong_arrays_are_refused_by_name() -> None:
    poses = apart(5, 1.0)
    assert "int64" in refused(poses.astype("int64")).problem
    assert "float16" in refused(poses.astype("float16")).problem
    assert "object" in refused(poses.astype(object)).problem
    assert "(5, 2, 6)" in refused(poses[..., :6]).problem
    assert "1 bodies are named" in refused(poses, bodies=["ball-0"]).problem
    assert "3 bodies are named" in refused(poses, bodies=[*NAMES, "more"]).problem
    assert "named twice" in refused(poses, bodies=["ball-0", "ball-0"]).problem
    assert "0 bodies are named" in refused(poses, bodies=[]).problem
    assert "without names" in refused(poses, bodies=None).problem
    assert "zyx" in refused(poses, order="zyx").problem
    assert "axes" in refused(poses[0]).problem and "axes" in refused(poses[None, None]).problem
    assert "4 times" in refused(poses, times=[0.0] * 4).problem
    assert refused("poses.parquet", bodies=NAMES).kind == "usage"
    assert refused(object()).kind == "input"
    unknown = refused(poses, bodies=["ball-0", "bal-1"])
    assert "bal-1" in str(unknown) and "ball-1" in unknown.help


def test_wrong_numbers_are_refused_with_their_index_and_body() -> None:
    for value in (float("nan"), float("inf")):
        error = refused(changed((3, 1, 0), value))
        assert "sample 3" in error.place and "ball-1" in error.place, error
    error = refused(changed((0, 2, 1, 4), 0.5, apart(6, 1.0).reshape(2, 3, 2, 7)))
    assert "run 0, frame 2" in error.place and "ball-1" in error.place and "norm" in error.problem, error
    rigid = matrices(apart(4, 1.0))
    for index, value, word in (((2, 1, 0, 0), 1.1, "2.100e-1"), ((2, 1, 3, 0), 0.5, "last row"), ((2, 1, 2, 2), -1, "mirrors")):
        error = refused(changed(index, value, rigid.copy()))
        assert "frame 2" in error.place and "ball-1" in error.place and word in error.problem, error
    assert "leave `order` out" in refused(rigid, order="xyz_wxyz").problem


def test_arrays_without_frames_or_bodies() -> None:
    for shape, names in (((0, 2, 7), NAMES), ((2, 0, 2, 7), NAMES), ((0, 3, 2, 7), NAMES), ((3, 0, 7), [])):
        with pytest.warns(cs.Warning, match="no row"):
            result = cs.run(spheres(), np.zeros(shape), bodies=names, progress=False)
        assert (len(result.distances), len(result.pairs), result.summary["frames"]) == (0, 0, 0)


def test_wrong_tables_are_refused(motion: Motion) -> None:
    for table, word in (
        (motion.table.drop("qw"), "qw"),
        (motion.table.with_columns(x=pl.col("x").cast(pl.String)), "x"),
        (motion.table.reverse(), "order"),
        (motion.table.with_columns(body=pl.lit("nobody")), "nobody"),
    ):
        with pytest.raises(cs.Error) as caught:
            cs.run(motion.scene, table, progress=False)
        assert word in str(caught.value)
    with pytest.raises(cs.Error, match="record batch"):
        cs.run(motion.scene, pa.array([1, 2]), progress=False)


def test_columns_of_other_hands(motion: Motion) -> None:
    other = motion.table.select(
        pl.col("run"),
        step="frame",
        stamp=(pl.col("time_s") * 1e9).round().cast(pl.Int64),
        part="body",
        **{f"pos_{axis}": pl.col(axis) * 1000 for axis in "xyz"},
        **{f"rot_{c}": f"q{c}" for c in "wxyz"},
    )
    named: dict[str, str | dict[str, str]] = {"frame": "step", "body": "part", "time_s": {"name": "stamp", "unit": "ns"}}
    named |= {axis: {"name": f"pos_{axis}", "unit": "mm"} for axis in "xyz"}
    named |= {f"q{c}": f"rot_{c}" for c in "wxyz"}
    expected = cs.run(motion.scene, motion.table, progress=False).distances.to_polars()
    found = cs.run(motion.scene, other, columns=named, progress=False).distances.to_polars()
    key = ["run", "frame", "body_a", "body_b"]
    assert found.select(key).equals(expected.select(key)) and len(found) > 100
    # A thousand times a number, and a thousandth of that, may be rounded.
    assert np.allclose(found["distance_m"], expected["distance_m"], rtol=0, atol=1e-12)
    with cs.stream(motion.scene, other, columns=named) as rows:
        assert sum(batch.num_rows for batch in rows) == len(expected)


def test_columns_that_do_not_fit_are_refused(motion: Motion) -> None:
    for columns, word in (
        ({"body": "nothing"}, "nothing"),
        ({"bodi": "body"}, "did you mean `body`"),
        ({"time_s": {"name": "time_s", "unit": "h"}}, "unknown unit `h`"),
        ({"time_s": {"name": "time_s"}}, "unit"),
        ({"qw": "qw", "yaw": "qz"}, "yaw"),
    ):
        with pytest.raises(cs.Error) as caught:
            cs.run(motion.scene, motion.table, columns=columns, progress=False)
        assert word in str(caught.value), caught.value
    with pytest.raises(cs.Error, match="columns"):
        cs.run(spheres(), apart(2, 1.0), bodies=NAMES, columns={"x": "pos_x"}, progress=False)


def test_a_reader_that_fails_ends_the_job(motion: Motion) -> None:
    def batches() -> Any:
        yield arrow(motion).to_batches()[0].slice(0, 10)
        raise RuntimeError("the simulation broke")

    reader = pa.RecordBatchReader.from_batches(arrow(motion).schema, batches())
    with pytest.raises(cs.Error, match="simulation broke"):
        cs.run(motion.scene, reader, progress=False)


def test_an_array_stays_in_place_while_a_job_reads_it(tmp_path: pathlib.Path) -> None:
    numbers = bytearray(apart(50_000, 1.0).tobytes())
    poses = memoryview(numbers).cast("d", shape=[50_000, 2, 7])
    with cs.stream(spheres(), poses, bodies=NAMES, batch_rows=100) as stream:
        next(iter(stream))
        with pytest.raises(BufferError):
            poses.release()
        with pytest.raises(BufferError):
            numbers.clear()
    poses.release()
    numbers.clear()


def test_poses_that_change_meanwhile_break_nothing() -> None:
    poses = apart(30_000, 1.0)
    stream = cs.stream(spheres(), poses, bodies=NAMES, batch_rows=500)
    for batch in stream:
        poses[:, 1, 0] += 0.001
        assert batch.num_rows > 0
