"""Measures what an engine adds to a divided job: python python/benches/scale_out.py WORK [--runs 20000] [--shards 16]

Generates a Monte Carlo data set, and computes it in one process, by Ray, Sail and Spark (those that are installed; Spark with Java).
Prints a Markdown table: wall time from the call to the result with the engine started before and in the call, and the most memory that
this process and its descendants take together. All results are compared with that of one process. Linux only.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import os
import pathlib
import shutil
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import clearsweep as cs


class Memory(threading.Thread):
    """The most memory of this process and its descendants, sampled: proportional shares, so that what they share counts once."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.peak = 0
        self.ended = threading.Event()

    def run(self) -> None:
        while not self.ended.wait(0.1):
            self.peak = max(self.peak, sum(map(_share, _family(os.getpid()))))


def _family(root: int) -> list[int]:
    parents: dict[int, int] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                text = pathlib.Path("/proc", name, "stat").read_text()
            except OSError:
                continue
            parents[int(name)] = int(text.rpartition(")")[2].split()[1])
    found = [root]
    for pid in found:
        found.extend(child for child, parent in parents.items() if parent == pid)
    return found


def _share(pid: int) -> int:
    try:
        lines = pathlib.Path("/proc", str(pid), "smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=20_000)
    parser.add_argument("--shards", type=int, default=16)
    arguments = parser.parse_args()
    work, runs, shards = arguments.work.resolve(), arguments.runs, arguments.shards
    data = work / f"data-{runs}"
    if not data.exists():
        cs.generate("separation", data, runs=runs)
    scene, options = data / "scene.toml", {"require": "50 mm"}
    rows: list[tuple[str, float, float, float]] = []

    def measure(name: str, start: Callable[[], Any], compute: Callable[[Any, pathlib.Path], Any], stop: Callable[[Any], Any]) -> None:
        out = work / name
        shutil.rmtree(out, ignore_errors=True)
        memory = Memory()
        memory.start()
        begin = time.perf_counter()
        session = start()
        started = time.perf_counter()
        compute(session, out)
        ended = time.perf_counter()
        memory.ended.set()
        memory.join()
        stop(session)
        rows.append((name, started - begin, ended - started, memory.peak / 1e6))
        if name != "one process" and not cs.verify(work / "one process", out)["equal"]:
            raise SystemExit(f"{name}: other rows")

    nothing: Callable[[Any], None] = lambda _: None  # noqa: E731
    measure("one process", lambda: None, lambda _, out: cs.run(scene, out=out, progress=False, **options), nothing)
    if importlib.util.find_spec("ray"):
        ray: Any = importlib.import_module("ray")
        run: Any = importlib.import_module("clearsweep.ray").run
        measure(
            "Ray",
            lambda: ray.init(num_cpus=os.cpu_count(), log_to_driver=False, logging_level="error", include_dashboard=False),
            lambda _, out: run(scene, shards=shards, out=out, progress=False, **options),
            lambda _: ray.shutdown(),
        )
    if importlib.util.find_spec("pyspark"):
        spark_run: Any = importlib.import_module("clearsweep.spark").run
        sql: Any = importlib.import_module("pyspark.sql")
        compute: Callable[[Any, pathlib.Path], Any] = lambda spark, out: spark_run(spark, scene, shards=shards, out=out, **options)  # noqa: E731
        if importlib.util.find_spec("pysail"):
            sail: Any = importlib.import_module("pysail.spark")
            server = sail.SparkConnectServer(ip="127.0.0.1", port=0)

            def start() -> Any:
                server.start(background=True)
                address, port = server.listening_address
                # `pyspark.sql.SparkSession` would decide between Connect and the JVM for the whole process.
                connect: Any = importlib.import_module("pyspark.sql.connect.session")
                return connect.SparkSession.builder.remote(f"sc://{address}:{port}").create()

            measure("Sail", start, compute, lambda spark: (spark.stop(), server.stop()))
        if shutil.which("java"):
            os.environ["PYSPARK_PYTHON"] = sys.executable
            builder = sql.SparkSession.builder.master(f"local[{os.cpu_count()}]").config("spark.ui.enabled", "false")
            measure("Spark", builder.getOrCreate, compute, lambda spark: spark.stop())
    one = rows[0][2]
    print(f"{runs:,} runs, {shards} shards, {os.cpu_count()} cores\n")
    print("| by | start, s | computing, s | computing / one process | memory, MB |\n| --- | --- | --- | --- | --- |")
    for name, start, seconds, memory in rows:
        print(f"| {name} | {start:.1f} | {seconds:.2f} | {seconds / one:.2f} | {memory:,.0f} |")


main()
