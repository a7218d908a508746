"""Poses as an Arrow stream from DuckDB, through clearsweep, into Polars: memory stays flat, whatever the length.

    python duckdb_to_polars.py POSES.parquet SCENE.toml
    python duckdb_to_polars.py                             # generates a small data set first
"""

from __future__ import annotations

import argparse
import pathlib
import tempfile
import time

import clearsweep as cs
import duckdb
import polars as pl


def peak_memory() -> str:
    """The most memory that this process has had."""
    status = pathlib.Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((line.split(":")[1].strip() for line in lines if line.startswith("VmHWM")), "unknown")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("poses", nargs="?")
    parser.add_argument("scene", nargs="?")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if arguments.poses is None:
            made = cs.generate("crowd", pathlib.Path(folder) / "set", bodies=50, frames=400)
            arguments.scene = made["scene"]
            arguments.poses = str(pathlib.Path(made["scene"]).with_name("trajectories.parquet"))

        begun = time.perf_counter()
        connection = duckdb.connect()
        stream = connection.sql(f"select * from '{arguments.poses}'").to_arrow_reader(100_000)
        rows = cs.stream(cs.Scene.load(arguments.scene), stream)
        least: list[pl.DataFrame] = []
        for batch in rows:
            frame = pl.DataFrame(batch)
            least.append(frame.group_by("body_a", "body_b").agg(pl.col("distance_m").min()))
        nearest = pl.concat(least).group_by("body_a", "body_b").agg(pl.col("distance_m").min()).sort("distance_m")
        spent = time.perf_counter() - begun

    assert rows.summary is not None
    print(nearest.head(5))
    print(f"{rows.summary['rows']:,} rows of {rows.summary['frames']:,} frames, {spent:.2f} s, peak memory {peak_memory()}")


if __name__ == "__main__":
    main()
