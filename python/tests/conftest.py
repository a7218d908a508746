"""Data sets and the program, for all tests."""

from __future__ import annotations

import os
import pathlib
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from unittest import mock

import clearsweep as cs
import numpy as np
import numpy.typing as npt
import polars as pl
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def shared(folder: str, name: str) -> pathlib.Path:
    """A file of the data beside the repository. Without it the test is skipped, or fails if the data are required."""
    path = ROOT.parent / "shared" / "data" / folder / name
    if not path.exists():
        if os.environ.get("CLEARSWEEP_REQUIRE_DATA"):
            pytest.fail(f"{path} is missing")
        pytest.skip(f"{path} is missing")
    return path


# gRPC, which Sail brings, watches forks of the process, and may abort one on its way to another program, such as Spark's.
os.environ["GRPC_ENABLE_FORK_SUPPORT"] = "false"

# A shell that starts the tests in the background has them ignore interrupts, which some tests send.
signal.signal(signal.SIGINT, signal.default_int_handler)

Program = Callable[[Sequence[object]], "subprocess.CompletedProcess[str]"]
F64 = npt.NDArray[np.float64]


class Motion:
    """A data set as a scene, a table of poses, and an array `(runs, frames, bodies, 7)`."""

    def __init__(self, scene: pathlib.Path) -> None:
        self.scene = scene
        self.path = scene.parent / "trajectories.parquet"
        self.table = pl.read_parquet(self.path)
        # A directory of files, one a run.
        self.parts = scene.parent / "parts"
        self.parts.mkdir()
        for (run,), part in self.table.group_by("run", maintain_order=True):
            part.write_parquet(self.parts / f"run-{run}.parquet")
        self.bodies: list[str] = self.table["body"].unique(maintain_order=True).cast(pl.String).to_list()
        runs, frames = self.table["run"].n_unique(), self.table["frame"].n_unique()
        columns = self.table.select("x", "y", "z", "qw", "qx", "qy", "qz").to_numpy().astype("float64")
        self.array: F64 = columns.reshape(runs, frames, len(self.bodies), 7)
        self.times: list[float] = self.table["time_s"].to_numpy().reshape(runs, frames, -1)[0, :, 0].tolist()


@pytest.fixture(scope="session")
def motion(tmp_path_factory: pytest.TempPathFactory) -> Motion:
    """Three runs of tumbling bodies."""
    out = tmp_path_factory.mktemp("crowd") / "set"
    made = cs.generate("crowd", out, bodies=12, runs=3, frames=40)
    return Motion(pathlib.Path(made["scene"]))


@pytest.fixture(scope="session")
def program() -> Program:
    """Runs the program in the root of the repository: that of `CLEARSWEEP_PROGRAM`, else the one of the wheel."""
    given = os.environ.get("CLEARSWEEP_PROGRAM")
    command = [given] if given else [sys.executable, "-m", "clearsweep"]

    def run(words: Sequence[object]) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*command, *map(str, words)], cwd=ROOT, capture_output=True, text=True)

    return run


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@pytest.fixture(scope="session")
def store() -> Iterator[Any]:
    """A client of a server of S3 on this machine, with a bucket `clear`; the environment leads to it."""
    pytest.importorskip("moto.server")
    boto3: Any = pytest.importorskip("boto3")
    address = f"http://127.0.0.1:{(port := free_port())}"
    keys = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "us-east-1"}
    told = {**keys, "AWS_ENDPOINT_URL": address, "AWS_ALLOW_HTTP": "true", "AWS_DEFAULT_REGION": "us-east-1"}
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    with mock.patch.dict(os.environ, told):
        server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(600):
            try:
                urllib.request.urlopen(address).close()
                break
            except OSError:
                time.sleep(0.1)
        client = boto3.client("s3")
        client.create_bucket(Bucket="clear")
        yield client
        server.terminate()
        server.wait()


def objects(store: Any, prefix: str) -> dict[str, bytes]:
    """The objects below a prefix, by name."""

    def read(key: str) -> bytes:
        return store.get_object(Bucket="clear", Key=key)["Body"].read()

    found = store.list_objects_v2(Bucket="clear", Prefix=f"{prefix}/").get("Contents", [])
    return {item["Key"].removeprefix(f"{prefix}/"): read(item["Key"]) for item in found}


@pytest.fixture(autouse=True)
def at_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths of tests and examples begin at the root of the repository."""
    monkeypatch.chdir(ROOT)


def spheres(count: int = 2, **options: Any) -> cs.Scene:
    """Unit spheres that move, within 10 m."""
    scene = cs.Scene(within=10, **options)
    for index in range(count):
        scene.add(f"ball-{index}", sphere=1)
    return scene


def apart(frames: int, *distances: float) -> F64:
    """Poses of two unit spheres whose surfaces are so far apart, one distance a frame, again and again."""
    poses = np.zeros((frames, 2, 7))
    poses[..., 3] = 1
    poses[:, 1, 0] = 2 + np.resize(distances, frames)
    return poses


NAMES = ["ball-0", "ball-1"]
