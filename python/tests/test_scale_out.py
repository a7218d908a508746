"""Shards by processes, Ray, Sail and Spark: the tables are those of one machine, byte for byte."""

from __future__ import annotations

import glob
import importlib
import importlib.util
import json
import os
import pathlib
import random
import re
import secrets
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

import clearsweep as cs
import clearsweep.ray
import clearsweep.spark
import numpy as np
import polars as pl
import pytest
from clearsweep import _scale_out
from clearsweep._scale_out import Job, SceneSource, ShardedResult
from clearsweep._work import WorkPlace
from conftest import objects
from polars.testing import assert_frame_equal

# It comes without types.
pa = pytest.importorskip("pyarrow")

# Warnings of the engines about their own code.
pytestmark = pytest.mark.filterwarnings(
    "ignore:PySpark does not yet fully support pandas:FutureWarning", "ignore::DeprecationWarning:ray.data.context"
)

OPTIONS: dict[str, Any] = {"require": "50 mm", "between": "linear"}

#: `clearsweep.ray.run`, or `clearsweep.spark.run` with its session.
Run = Callable[..., ShardedResult]


class Sweep:
    """A Monte Carlo sweep, and the tables of one machine."""

    def __init__(self, folder: pathlib.Path) -> None:
        made = cs.generate("separation", folder / "set", runs=40, frames=60)
        self.scene = pathlib.Path(made["scene"])
        self.poses = folder / "set" / "trajectories.parquet"
        self.result = cs.run(self.scene, out=folder / "one", progress=False, **OPTIONS)
        self.tables = tables(folder / "one")
        assert len(self.tables) >= 8


def tables(folder: pathlib.Path) -> dict[str, bytes]:
    """All files of a result but the manifest, which has times."""
    paths = (path for path in folder.rglob("*") if path.is_file() and path.name != "manifest.json")
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> Sweep:
    return Sweep(tmp_path_factory.mktemp("sweep"))


@pytest.fixture(scope="module", autouse=True)
def worker_environment() -> Iterator[None]:
    """Workers have this Python, and find this file."""
    paths = [str(pathlib.Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    changes = {"PYTHONPATH": os.pathsep.join(paths), "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    # Ray would write a token to the home directory.
    changes |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    with mock.patch.dict(os.environ, changes):
        yield


@pytest.fixture(scope="module")
def ray(store: Any) -> Iterator[Run]:
    """Ray on this machine, with two cores. Its workers know the store."""
    engine: Any = pytest.importorskip("ray")
    engine.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")

    def run(*arguments: Any, **options: Any) -> ShardedResult:
        return clearsweep.ray.run(*arguments, progress=False, **options)

    yield run
    engine.shutdown()


@pytest.fixture(scope="module")
def sail_session() -> Iterator[Any]:
    """A session of Spark Connect with a server of Sail in this process."""
    pytest.importorskip("pyspark", reason="PySpark is not installed")
    server: Any = pytest.importorskip("pysail.spark").SparkConnectServer(ip="127.0.0.1", port=0)
    server.start(background=True)
    address, port = server.listening_address
    # `pyspark.sql.SparkSession` would decide between Connect and the JVM for the whole process.
    connect: Any = importlib.import_module("pyspark.sql.connect.session")
    session = connect.SparkSession.builder.remote(f"sc://{address}:{port}").create()
    yield session
    session.stop()
    server.stop()


@pytest.fixture(scope="module")
def spark_session() -> Iterator[Any]:
    """A session of Spark on this machine, with two cores and four attempts of a task."""
    pyspark: Any = pytest.importorskip("pyspark", reason="PySpark is not installed")
    if importlib.util.find_spec("py4j") is None:
        pytest.skip("pyspark-client is installed, which has no Spark: `pip install pyspark`")
    home = os.environ.get("JAVA_HOME")
    if shutil.which("java") is None and not (home and os.path.exists(os.path.join(home, "bin", "java"))):
        pytest.skip("Spark needs Java, which is not installed: `apt install openjdk-17-jre-headless`")
    builder: Any = importlib.import_module("pyspark.sql").SparkSession.builder.master("local[2,4]")
    for key in ("spark.ui.enabled", "spark.ui.showConsoleProgress"):
        builder = builder.config(key, "false")
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    assert pyspark.__version__ == session.version
    yield session
    session.stop()


@pytest.fixture
def session(request: pytest.FixtureRequest) -> Any:
    return request.getfixturevalue(f"{request.param}_session")


@pytest.fixture
def engine(request: pytest.FixtureRequest) -> Run:
    """`run` of one of the engines."""
    if request.param == "ray":
        return request.getfixturevalue("ray")
    session = request.getfixturevalue(f"{request.param}_session")

    def run(*arguments: Any, **options: Any) -> ShardedResult:
        return clearsweep.spark.run(session, *arguments, **options)

    return run


every_engine = pytest.mark.parametrize("engine", ["ray", "sail", "spark"], indirect=True)

#: Sail runs tasks in the process of its server, which is this one: it cannot be killed.
every_engine_of_processes = pytest.mark.parametrize("engine", ["ray", "spark"], indirect=True)

#: Checks of arguments come after the import of the engine.
needs_ray = pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="ray is not installed")

every_session = pytest.mark.parametrize("session", ["sail", "spark"], indirect=True)


@every_engine
@pytest.mark.parametrize("shards", [7, 16])
def test_engines_write_the_tables_of_one_machine(
    engine: Run, sweep: Sweep, tmp_path: pathlib.Path, shards: int
) -> None:
    out = tmp_path / "out"
    result = engine(sweep.scene, shards=shards, out=out, **OPTIONS)
    assert tables(out) == sweep.tables
    assert result.verdict == sweep.result.verdict == "violated"
    assert result.attempts == dict.fromkeys(range(shards), 1) and result.retries == 0
    assert [task["shard"] for task in result.tasks] == list(range(shards))
    assert sum(task["frames"] for task in result.tasks) == result.summary["frames"] == 40 * 60
    assert not any(task["stood"] for task in result.tasks)
    assert os.listdir(tmp_path) == ["out"]  # the shards are gone


#: The task, also where `_scale_out.run_task` is replaced.
TASK = _scale_out.run_task
SHARD = _scale_out.run_shard


def dies_once(job: Job, shard: int) -> dict[str, Any]:
    """A task whose process is killed in the first attempts of shard 2, and of shard 5 when that is written."""

    def killed(*arguments: Any, shard: tuple[int, int], out: str, **options: Any) -> dict[str, Any]:
        is_first = len(job.work.marks(job.marks(shard[0]))) == 1
        if shard[0] == 2 and is_first:
            os.kill(os.getpid(), signal.SIGKILL)
        done = SHARD(*arguments, shard=shard, out=out, **options)
        if shard[0] == 5 and is_first:
            os.kill(os.getpid(), signal.SIGKILL)
        return done

    with mock.patch.object(_scale_out, "run_shard", killed):
        return TASK(job, shard)


def dies_always(job: Job, shard: int) -> dict[str, Any]:
    """A task whose process is killed in each attempt of shard 2."""

    def killed(*arguments: Any, shard: tuple[int, int], out: str, **options: Any) -> dict[str, Any]:
        if shard[0] == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        return SHARD(*arguments, shard=shard, out=out, **options)

    with mock.patch.object(_scale_out, "run_shard", killed):
        return TASK(job, shard)


def fails(job: Job, shard: int) -> dict[str, Any]:
    """A task that fails in shard 2, with an error that is none of clearsweep."""
    if shard == 2:
        # Other shards are given the time to be written.
        deadline = time.monotonic() + 10
        while not glob.glob(os.path.join(job.work.path, "shard-*")) and time.monotonic() < deadline:
            time.sleep(0.01)
        raise OverflowError("of shard 2")
    return TASK(job, shard)


@every_engine_of_processes
def test_a_shard_whose_worker_is_killed_is_begun_again(
    engine: Run, sweep: Sweep, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_scale_out, "run_task", dies_once)
    with pytest.warns(cs.Warning, match="attempts beyond the first"):
        result = engine(sweep.scene, shards=7, out=tmp_path / "out", **OPTIONS)
    assert tables(tmp_path / "out") == sweep.tables
    assert result.attempts[2] == result.attempts[5] == 2 and result.retries >= 2
    assert [result.tasks[shard]["attempt"] for shard in (2, 5)] == [2, 2]
    # The first attempt had written shard 5 already.
    assert [result.tasks[shard]["stood"] for shard in (2, 5)] == [False, True]


@every_engine_of_processes
def test_retries_are_bounded(
    engine: Run, sweep: Sweep, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_scale_out, "run_task", dies_always)
    with pytest.raises(cs.Error, match="in each of 2 attempts") as caught:
        engine(sweep.scene, shards=4, out=tmp_path / "out", retries=1, **OPTIONS)
    assert caught.value.kind == "internal" and caught.value.place == "shard 2 of 4"
    assert not (tmp_path / "out").exists()


@every_engine
def test_the_next_call_goes_on_with_whole_shards(
    engine: Run, sweep: Sweep, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    monkeypatch.setattr(_scale_out, "run_task", fails)
    with pytest.raises(Exception, match="of shard 2") as caught:
        engine(sweep.scene, shards=7, out=out, **OPTIONS)
    assert not isinstance(caught.value, cs.Error)
    assert f"stay in {out}.shards" in caught.value.__notes__[-1]
    monkeypatch.undo()
    with pytest.raises(cs.Error, match="of another plan, of 7"):
        engine(sweep.scene, shards=8, out=out, **OPTIONS)
    result = engine(sweep.scene, shards=7, out=out, **OPTIONS)
    assert tables(out) == sweep.tables
    assert any(task["stood"] for task in result.tasks) and result.retries == 0


@every_engine
def test_errors_of_tasks_reach_the_caller(engine: Run, sweep: Sweep, tmp_path: pathlib.Path) -> None:
    poses, last = tmp_path / "poses.parquet", pl.col("run") == 39
    table = pl.read_parquet(sweep.poses)
    table.with_columns(x=pl.when(last).then(float("nan")).otherwise(pl.col("x"))).write_parquet(poses)
    with pytest.raises(cs.Error) as expected:
        cs.run_shard(sweep.scene, poses, shard=(6, 7), out=tmp_path / "shards")
    with pytest.raises(cs.Error) as caught:
        engine(sweep.scene, poses, shards=7, out=tmp_path / "out", **OPTIONS)
    assert caught.value.args == expected.value.args and str(caught.value) == str(expected.value)
    assert caught.value.kind == "input" and caught.value.help
    assert re.match(r"in shard \d of 7, on node ", caught.value.__notes__[0])
    assert not (tmp_path / "out").exists()


@every_engine
def test_errors_of_the_input_are_found_before_the_first_task(engine: Run, sweep: Sweep, tmp_path: pathlib.Path) -> None:
    scene = tmp_path / "scene.toml"
    scene.write_text(sweep.scene.read_text())  # without its geometry
    for arguments in ((tmp_path / "none.toml",), (scene, sweep.poses), (sweep.scene, tmp_path / "none.parquet")):
        with pytest.raises(cs.Error) as expected:
            cs.run(*arguments, progress=False)
        with pytest.raises(cs.Error) as caught:
            engine(*arguments, shards=7, out=tmp_path / "out")
        assert caught.value.args == expected.value.args
    assert os.listdir(tmp_path) == ["scene.toml"]


@every_engine
def test_a_scene_in_code_and_poses_in_memory(
    engine: Run, sweep: Sweep, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The workers have another working directory.
    monkeypatch.chdir(sweep.scene.parent)
    scene = cs.Scene(within=0.5, require=0.4)
    scene.add("payload-1", geometry="geometry/payload-1.obj", unit="mm", model="pieces")
    scene.add("adapter", geometry=pathlib.Path("geometry/adapter.obj"), unit="mm", model="pieces", static=True)
    poses = pl.read_parquet("trajectories.parquet").filter(pl.col("body").cast(pl.String) == "payload-1")
    poses.write_parquet(tmp_path / "poses.parquet")
    cs.run(scene, tmp_path / "poses.parquet", out=tmp_path / "one", progress=False)
    engine(scene, poses, shards=7, out=tmp_path / "out")
    assert tables(tmp_path / "out") == tables(tmp_path / "one")
    assert sorted(os.listdir(tmp_path)) == ["one", "out", "poses.parquet"]


def test_an_engine_that_is_missing_is_named(
    sweep: Sweep, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray.data", None)
    monkeypatch.setattr(clearsweep.spark, "_datasource", None)
    with pytest.raises(cs.Error, match=r"clearsweep\[ray\]"):
        clearsweep.ray.run(sweep.scene, shards=2, out=tmp_path / "out")
    with pytest.raises(cs.Error, match=r"clearsweep\[spark\]"):
        clearsweep.spark.register(None)
    assert not os.listdir(tmp_path)


@needs_ray
def test_poses_that_cannot_be_shared_are_refused(sweep: Sweep, tmp_path: pathlib.Path) -> None:
    poses: Any = np.zeros((2, 3, 7))
    with pytest.raises(cs.Error, match="write it to Parquet files") as caught:
        clearsweep.ray.run(sweep.scene, poses, shards=2, out=tmp_path / "out")
    assert caught.value.kind == "usage" and not os.listdir(tmp_path)


@needs_ray
def test_folders_that_do_not_fit_are_refused_at_once(sweep: Sweep, tmp_path: pathlib.Path) -> None:
    out = tmp_path / "out"
    for work, match in ((out, "lies in"), (out / "shards", "lies in"), ("ftp://host/shards", "kind that is not known")):
        with pytest.raises(cs.Error, match=match) as caught:
            clearsweep.ray.run(sweep.scene, shards=2, out=out, work=work)
        assert caught.value.kind == "usage"
    out.mkdir()
    (out / "file").touch()
    with pytest.raises(cs.Error, match="not empty") as caught:
        clearsweep.ray.run(sweep.scene, shards=2, out=out)
    assert caught.value.kind == "output" and "force=True" in caught.value.help
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "out"]


@pytest.mark.parametrize("engine", ["ray"], indirect=True)
def test_the_folder_of_shards_is_kept_if_wanted(engine: Run, sweep: Sweep, tmp_path: pathlib.Path) -> None:
    out, work = tmp_path / "out", tmp_path / "work"
    engine(sweep.scene, shards=3, out=out, work=work, keep_shards=True, **OPTIONS)
    assert len(list(work.glob("shard-0000?-of-00003"))) == 3
    (work / "mine").touch()
    result = engine(sweep.scene, shards=3, out=out, work=work, force=True, **OPTIONS)
    assert tables(out) == sweep.tables and all(task["stood"] for task in result.tasks)
    assert os.listdir(work) == ["mine"]  # of somebody else


@pytest.mark.parametrize("engine", ["ray"], indirect=True)
def test_a_fast_merge_has_the_same_rows(engine: Run, sweep: Sweep, tmp_path: pathlib.Path) -> None:
    result = engine(sweep.scene, shards=3, out=tmp_path / "out", fast=True, **OPTIONS)
    assert os.listdir(tmp_path) == ["out"]  # linked parts outlive the shards
    for name in sweep.result._tables:
        found, expected = (getattr(one, name).to_polars() for one in (result, sweep.result))
        texts = [pl.col(column).cast(pl.String) for column in found.columns if found[column].dtype == pl.Categorical]
        assert_frame_equal(found.with_columns(texts), expected.with_columns(texts), check_exact=True)


def test_shards_may_lie_in_a_store(ray: Run, store: Any, sweep: Sweep) -> None:
    store.upload_file(str(sweep.poses), "clear", "sweep/t.parquet")
    arguments: dict[str, Any] = {"shards": 5, "out": "s3://clear/ray", **OPTIONS}
    result = ray(sweep.scene, "s3://clear/sweep", keep_shards=True, **arguments)
    assert [task["stood"] for task in result.tasks] == [False] * 5
    # Whole shards stand.
    result = ray(sweep.scene, "s3://clear/sweep", force=True, **arguments)
    assert [task["stood"] for task in result.tasks] == [True] * 5
    assert result.pairs.to_polars().equals(sweep.result.pairs.to_polars())
    found = objects(store, "ray")
    assert b"rows_digest" in found.pop("manifest.json")
    assert found == sweep.tables
    assert objects(store, "ray.shards") == {}, "it removes what it wrote"


def job(sweep: Sweep, work: pathlib.Path) -> Job:
    """A job of two shards, for tasks in this process."""
    return Job("call", SceneSource.of(sweep.scene), None, WorkPlace(str(work)), 2, 3, {"threads": 1, **OPTIONS})


def test_a_process_loads_the_scene_once(sweep: Sweep, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    extension: Any = importlib.import_module("clearsweep._clearsweep")
    loader = mock.Mock(wraps=extension.load_scene)
    monkeypatch.setattr(extension, "load_scene", loader)
    monkeypatch.setattr(_scale_out, "_scenes", type(_scale_out._scenes)())
    one = job(sweep, tmp_path)
    one.work.make_marks(one.call)
    rows = [_scale_out.run_task(one, shard) for shard in (0, 1, 0)]
    assert [(row["stood"], row["attempt"]) for row in rows] == [(False, 1), (False, 1), (True, 2)]
    assert loader.call_count == 1
    one.stop()
    assert _scale_out.run_task(one, 1)["stood"] is None


def test_tasks_of_one_process_share_its_cores(
    sweep: Sweep, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As Sail starts them: all at once, on threads of its server.
    running, most = 0, 0
    lock = threading.Lock()

    def slow(*arguments: Any, shard: tuple[int, int], **options: Any) -> dict[str, Any]:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.02)
        with lock:
            running -= 1
        return {"stood": False, "frames": 0, "rows": 0, "seconds": 0.0}

    monkeypatch.setattr(_scale_out, "run_shard", slow)
    monkeypatch.setattr(_scale_out, "_cores", lambda: 3)
    one = job(sweep, tmp_path)
    one.work.make_marks(one.call)
    threads = [threading.Thread(target=_scale_out.run_task, args=(one, index % 2)) for index in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 3


def test_a_node_without_the_folder_of_shards_is_named(sweep: Sweep, tmp_path: pathlib.Path) -> None:
    row = _scale_out.run_task(job(sweep, tmp_path / "none"), 0)
    assert row["kind"] == "output" and "is not there on node" in row["problem"]


@every_session
def test_the_data_source_reads_every_table(session: Any, sweep: Sweep) -> None:
    clearsweep.spark.register(session)
    folder = sweep.result.path
    assert folder is not None
    for name in sweep.result._tables:
        frame = session.read.format("clearsweep").option("table", name).load(folder)
        found = pl.DataFrame(frame.toArrow())
        texts = [pl.col(pl.Categorical).cast(pl.String), pl.col(pl.Enum).cast(pl.String)]
        expected: pl.DataFrame = getattr(sweep.result, name).to_polars().with_columns(texts)
        keys = [column for column, kind in expected.schema.items() if kind != pl.List(pl.String)]
        assert_frame_equal(found.sort(keys), expected.sort(keys), check_exact=True)
    frame = session.read.format("clearsweep").load(folder)
    assert frame.schema["lower_m"].metadata == {"unit": "m"}
    near = sweep.result.distances.to_polars().filter(pl.col("distance_m") < 0.05)
    assert frame.where("distance_m < 0.05").count() == near.height > 0


@every_session
def test_the_data_source_tells_what_is_missing(session: Any, sweep: Sweep, tmp_path: pathlib.Path) -> None:
    clearsweep.spark.register(session)
    reader = session.read.format("clearsweep")
    for option, folder, match in (
        ("table", sweep.result.path, "the result has no table `none`\n *help: give one of bodies, distances, events"),
        ("other", str(tmp_path), str(tmp_path)),
        ("other", None, "no directory is given"),
        ("other", "s3://clear/table", "is in an object store, which the executors read"),
    ):
        with pytest.raises(Exception, match=match):
            reader.option(option, "none").load(folder).collect()


def test_large_files_of_a_table_are_read_in_parts(
    sweep: Sweep, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyspark.sql.datasource")
    parquet: Any = pytest.importorskip("pyarrow.parquet")
    expected = sweep.result.distances.to_arrow()
    for part in (0, 1):
        parquet.write_table(expected, tmp_path / f"part-{part}.parquet", row_group_size=len(expected) // 3 + 1)
    reader = clearsweep.spark._Reader(sorted(map(str, tmp_path.iterdir())))
    for limit, count in ((1, 6), (1 << 30, 1)):
        monkeypatch.setattr(clearsweep.spark, "_PARTITION_BYTES", limit)
        parts = reader.partitions()
        assert len(parts) == count
        batches = [batch for part in parts for batch in reader.read(part)]
        found = pa.Table.from_batches(batches)
        assert found.equals(pa.concat_tables([expected, expected]).cast(found.schema))


#: A process that computes one shard.
PROCESS = """
import json, sys, clearsweep
scene, shard, out, options = json.loads(sys.argv[1])
print(json.dumps(clearsweep.run_shard(scene, shard=tuple(shard), out=out, **options)))
"""


@pytest.mark.parametrize("shards", [7, 16])
def test_processes_that_are_killed_at_random(sweep: Sweep, tmp_path: pathlib.Path, shards: int) -> None:
    out, choose = tmp_path / "shards", random.Random(shards)

    def start(shard: int) -> subprocess.Popen[str]:
        job = json.dumps([str(sweep.scene), [shard, shards], str(out), {**OPTIONS, "threads": 1}])
        return subprocess.Popen([sys.executable, "-c", PROCESS, job], stdout=subprocess.PIPE, text=True)

    def check(shard: int, process: subprocess.Popen[str]) -> None:
        told = json.loads(process.communicate()[0])
        assert process.returncode == 0 and (told["shard"], told["shards"]) == (shard, shards)
        assert os.path.isdir(told["path"])

    # One shard twice at once.
    began = time.monotonic()
    for process in [start(0), start(0)]:
        check(0, process)
    lifetime = time.monotonic() - began
    # The others twice each, two processes at a time, of which one is killed at some time.
    waiting = choose.sample([*range(1, shards)] * 2, 2 * (shards - 1))
    kills = 0
    while waiting or kills < 10:
        now = [waiting.pop() if waiting else choose.randrange(shards) for _ in range(2)]
        running = [(shard, start(shard)) for shard in now]
        if kills < 10:
            time.sleep(choose.uniform(0, lifetime))
            running[0][1].kill()
        for shard, process in running:
            if process.wait() == -signal.SIGKILL:
                kills += 1
                waiting.insert(0, shard)
            else:
                check(shard, process)
    merged = cs.merge(out, tmp_path / "out")
    assert tables(tmp_path / "out") == sweep.tables
    assert merged.summary["violating_pairs"] == sweep.result.summary["violating_pairs"]
    assert cs.run_shard(sweep.scene, shard=(0, shards), out=out, **OPTIONS)["stood"]
    assert [task["shard"] for task in cs.plan(sweep.scene, shards=shards, **OPTIONS)] == list(range(shards))


def test_a_shard_that_is_damaged_is_named(sweep: Sweep, tmp_path: pathlib.Path) -> None:
    shards = tmp_path / "shards"
    for shard in range(3):
        cs.run_shard(sweep.scene, shard=(shard, 3), out=shards, **OPTIONS)
    (part,) = (shards / "shard-00001-of-00003" / "distances").iterdir()
    damaged = bytearray(part.read_bytes())
    damaged[len(damaged) // 3] ^= 16
    part.write_bytes(damaged)
    with pytest.raises(cs.Error, match="shard-00001-of-00003") as caught:
        cs.merge(shards, tmp_path / "out")
    assert caught.value.kind == "input" and caught.value.help
    assert not (tmp_path / "out").exists()
