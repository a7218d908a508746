"""Object stores: input and output at addresses of S3, against a server on this machine."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
import time
from typing import Any

import clearsweep as cs
import polars as pl
import pytest
from conftest import free_port, objects

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

OPTIONS: dict[str, Any] = {"require": "50 mm", "between": "linear"}


class Sweep:
    """A Monte Carlo sweep in a store, and the tables of one machine."""

    def __init__(self, folder: pathlib.Path, store: Any) -> None:
        made = cs.generate("separation", folder / "set", runs=40, frames=60)
        self.scene = pathlib.Path(made["scene"])
        self.result = cs.run(self.scene, out=folder / "one", progress=False, **OPTIONS)
        self.tables = {
            str(path.relative_to(folder / "one")): path.read_bytes()
            for path in (folder / "one").rglob("*")
            if path.is_file() and path.name != "manifest.json"
        }
        store.upload_file(str(folder / "set" / "trajectories.parquet"), "clear", "in/t.parquet")
        self.poses = "s3://clear/in/t.parquet"


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory, store: Any) -> Sweep:
    return Sweep(tmp_path_factory.mktemp("sweep"), store)


def assert_is_one(store: Any, prefix: str, sweep: Sweep) -> None:
    found = objects(store, prefix)
    assert b"rows_digest" in found.pop("manifest.json")
    assert found == sweep.tables


def test_a_result_at_an_address_is_that_of_a_directory(store: Any, sweep: Sweep) -> None:
    result = cs.run(sweep.scene, sweep.poses, out="s3://clear/run", progress=False, **OPTIONS)
    assert_is_one(store, "run", sweep)
    assert result.path == "s3://clear/run" and result.verdict == sweep.result.verdict
    assert result.distances.to_polars().equals(sweep.result.distances.to_polars())
    again = cs.Result.open("s3://clear/run")
    assert again.pairs.to_polars().equals(sweep.result.pairs.to_polars())
    assert cs.verify("s3://clear/run")["equal"] and cs.verify("s3://clear/run", str(sweep.result.path))["equal"]
    assert cs.summary("s3://clear/run")["rows"] == len(sweep.result.distances)
    changes = cs.diff("s3://clear/run", str(sweep.result.path))["counts"]
    assert changes["new"] == changes["resolved"] == 0
    with pytest.raises(cs.Error, match="holds a result already"):
        cs.run(sweep.scene, sweep.poses, out="s3://clear/run", progress=False, **OPTIONS)
    cs.run(sweep.scene, sweep.poses, out="s3://clear/run", force=True, progress=False, **OPTIONS)
    assert_is_one(store, "run", sweep)
    frame = pl.read_parquet("s3://clear/run/pairs.parquet", storage_options={"endpoint_url": os.environ["AWS_ENDPOINT_URL"]})
    assert frame.height == len(sweep.result.pairs)


def test_shards_in_a_store_are_merged_from_there(store: Any, sweep: Sweep, tmp_path: pathlib.Path) -> None:
    words = ["--require", "50mm", "--between", "linear", "--trajectories", sweep.poses]
    command = [sys.executable, "-m", "clearsweep"]
    for index in (2, 0, 1, 1):
        place = ["--shard", f"{index}/3", "--out", "s3://clear/shards"]
        done = subprocess.run([*command, "run", sweep.scene, *words, *place], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    assert "stands already" in done.stdout
    # Killed at some moment, and run again.
    for delay in (0.02, 0.05, 0.1, 0.2, 0.4):
        place = ["--shard", "1/2", "--out", f"s3://clear/killed-{delay}"]
        worker = subprocess.Popen([*command, "run", sweep.scene, *words, *place], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        time.sleep(delay)
        worker.kill()
        worker.wait()
        for shard in ((1, 2), (0, 2)):
            cs.run_shard(sweep.scene, sweep.poses, shard=shard, out=f"s3://clear/killed-{delay}", **OPTIONS)
        cs.merge(f"s3://clear/killed-{delay}", f"s3://clear/merged-{delay}", scene=sweep.scene)
        assert_is_one(store, f"merged-{delay}", sweep)
    cs.merge("s3://clear/shards", "s3://clear/merged")
    assert_is_one(store, "merged", sweep)
    done = subprocess.run([*command, "merge", "s3://clear/shards", "--out", tmp_path / "m"], capture_output=True, text=True)
    assert {str(path.relative_to(tmp_path / "m")): path.read_bytes() for path in (tmp_path / "m").rglob("*.parquet")} == sweep.tables


def test_large_objects_are_written_and_read_in_parts(store: Any, tmp_path: pathlib.Path) -> None:
    # Beyond 8 MiB, the size of a part.
    made = cs.generate("crowd", tmp_path / "set", bodies=250, runs=2, frames=800)
    poses = pathlib.Path(made["scene"]).parent / "trajectories.parquet"
    assert poses.stat().st_size > 9 << 20
    store.upload_file(str(poses), "clear", "large/t.parquet")
    one = cs.run(made["scene"], out=tmp_path / "one", progress=False)
    cs.run(made["scene"], "s3://clear/large/*.parquet", out="s3://clear/large-out", progress=False)
    found = objects(store, "large-out")
    assert max(map(len, found.values())) > 9 << 20
    for name, content in found.items():
        if name != "manifest.json":
            assert content == (tmp_path / "one" / name).read_bytes(), name
    assert cs.verify("s3://clear/large-out", str(one.path))["equal"]


def test_what_is_wrong_with_a_store_is_named(sweep: Sweep, monkeypatch: pytest.MonkeyPatch) -> None:
    for poses, problem in (
        ("s3://clear/in/none.parquet", "names no object"),
        ("s3://nobucket/t.parquet", "bucket does not exist"),
        ("ftp://clear/t.parquet", "kind that is not known"),
        ("s3:///t.parquet", "names no bucket"),
    ):
        with pytest.raises(cs.Error, match=problem):
            cs.run(sweep.scene, poses, progress=False)
    with pytest.raises(cs.Error, match="holds no finished result"):
        cs.Result.open("s3://clear/nothing")
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{free_port()}")
    with pytest.raises(cs.Error, match="refused") as caught:
        cs.run(sweep.scene, sweep.poses, progress=False)
    assert caught.value.help is not None and "AWS_ENDPOINT_URL" in caught.value.help


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system forks no processes")
def test_a_forked_process_reaches_the_store(sweep: Sweep) -> None:
    rows = cs.run(sweep.scene, sweep.poses, progress=False, **OPTIONS).summary["rows"]
    child = os.fork()
    if child == 0:
        os._exit(0 if cs.plan(sweep.scene, sweep.poses, shards=2)[0]["poses"] > 0 else 1)
    deadline = time.monotonic() + 60
    while (ended := os.waitpid(child, os.WNOHANG)) == (0, 0) and time.monotonic() < deadline:
        time.sleep(0.05)
    if ended == (0, 0):
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert ended[0] == child and os.waitstatus_to_exitcode(ended[1]) == 0 and rows > 0


def test_a_directory_may_be_written_as_an_address(sweep: Sweep, tmp_path: pathlib.Path) -> None:
    poses = (sweep.scene.parent / "trajectories.parquet").as_uri()
    cs.run(sweep.scene, poses, out=(tmp_path / "out").as_uri(), progress=False, **OPTIONS)
    found = {str(path.relative_to(tmp_path / "out")): path.read_bytes() for path in (tmp_path / "out").rglob("*.parquet")}
    assert found == sweep.tables
    assert cs.Result.open((tmp_path / "out").as_uri()).verdict == sweep.result.verdict
