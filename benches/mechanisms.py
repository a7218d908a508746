"""Cost of intervals of parts that interlock: python3 benches/mechanisms.py PROGRAM OTHER WORK SCENE ...

Runs each scene with `--between screw` by both programs in turn, and without intervals by the first, on one thread. Prints the least of three
processor times each, their ratios, and how the answers differ: intervals that one program alone has, brackets that have nothing in common,
other statuses, and the mean width of the brackets of bodies that are apart. Needs Polars.
"""

import os
import subprocess
import sys
from pathlib import Path

import polars

ROUNDS = 3
KEYS = ["run", "frame", "a_index", "b_index"]


def seconds(program, scene, out, between):
    before = os.times()
    command = [program, "run", scene, "--out", out, "--between", between, "--threads", "1", "--progress", "none", "--force"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 3, 4):
        sys.exit(done.stderr)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def main(program, other, work, *scenes):
    out = {name: Path(work) / name for name in ("rows", "one", "other")}
    jobs = {"rows": (program, "none"), "one": (program, "screw"), "other": (other, "screw")}
    print("| scene | rows, s | with intervals, s | by the other | ratio to rows | faster | alone | disjoint | other status | width, m | of the other |")
    print("| --- |" + " --- |" * 10)
    for scene in scenes:
        times = {name: [] for name in jobs}
        for _ in range(ROUNDS):
            for name, (path, between) in jobs.items():
                times[name].append(seconds(path, scene, out[name], between))
        least = {name: min(of) for name, of in times.items()}
        one, two = (polars.read_parquet(out[name] / "intervals" / "*.parquet") for name in ("one", "other"))
        both = one.join(two, on=KEYS, how="full", coalesce=True, suffix="_other")
        is_alone = polars.col("lower_m").is_null() | polars.col("lower_m_other").is_null()
        apart = (polars.col("lower_m") > polars.col("upper_m_other")) | (polars.col("lower_m_other") > polars.col("upper_m"))
        clear = both.filter(polars.col("lower_m") > 0, polars.col("lower_m_other") > 0)
        widths = [(clear[f"upper_m{of}"] - clear[f"lower_m{of}"]).mean() or 0.0 for of in ("", "_other")]
        differ = [both.filter(of).height for of in (is_alone, apart, polars.col("status") != polars.col("status_other"))]
        words = [
            Path(scene).parent.name,
            *(f"{least[name]:.2f}" for name in ("rows", "one", "other")),
            f"{least['one'] / least['rows']:.1f}",
            f"{least['other'] / least['one']:.1f}",
            *map(str, differ),
            *(f"{width:.2g}" for width in widths),
        ]
        print("| " + " | ".join(words) + " |")


if __name__ == "__main__":
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
