"""A GLB of a plant to a list of clashes and of clearances below 50 mm.

    python plant_clashes.py [PLANT.glb] [--up y|z] [--between A B]
"""

from __future__ import annotations

import argparse
import pathlib
import time

import clearsweep as cs
import polars as pl

PLANT = pathlib.Path(__file__).resolve().parents[2] / "datasets" / "first-clash-check" / "plant.glb"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("plant", nargs="?", default=PLANT)
    parser.add_argument("--up", default="y")
    arguments = parser.parse_args()

    begun = time.perf_counter()
    scene = cs.Scene.from_file(arguments.plant, up=arguments.up, unit="mm", within=50, require=50)
    result = cs.run(scene, progress=False)
    pairs = result.pairs.to_polars().sort("upper_m")
    clashes = pairs.filter(pl.col("frames_penetrating") > 0)
    spent = time.perf_counter() - begun

    print(result)
    print(f"{len(scene.bodies)} bodies, {pairs.height} pairs nearer than 50 mm, {clashes.height} clashes, {spent:.2f} s")
    columns = ["body_a", "body_b", (1e3 * pl.col("min_distance_m")).round(1).alias("mm"), "place_x", "place_y", "place_z"]
    with pl.Config(tbl_rows=10, fmt_str_lengths=40):
        print(pairs.select(columns).head(10))


if __name__ == "__main__":
    main()
