"""Measures the cost of intervals: python3 benches/between_cost.py PROGRAM WORK [SCENE ...]

Generates a crowd, a Monte Carlo sweep and a plant under WORK, and takes further scenes as they are. Runs each with and without
`--between linear`, in turns, on one thread, and prints medians: the time of the whole job; microseconds of the narrow phase beyond that of the samples,
for each interval of a candidate pair, with a row or without; and the shares of these intervals: decided by the direction of a row, ruled out by a
direction that holds for several intervals of a block, ruled out alone without a distance, all else. *Bisection* is the share among the rows.
"""

import json
import statistics
import subprocess
import sys
from pathlib import Path

ROUNDS = 7
DATA = [
    ("crowd", ["crowd", "--bodies", "100", "--frames", "2000"]),
    ("separation", ["separation", "--runs", "200"]),
    ("pipe-rack", ["pipe-rack", "--frames", "20000"]),
]


def manifest(program, scene, out, between):
    command = [program, "run", scene, "--out", out, "--between", between, "--threads", "1", "--progress", "none", "--force"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 3, 4):
        sys.exit(done.stderr)
    return json.loads((Path(out) / "manifest.json").read_text())


def main():
    program, work = sys.argv[1], Path(sys.argv[2])
    work.mkdir(parents=True, exist_ok=True)
    scenes = []
    for name, words in DATA:
        folder = work / name
        if not folder.exists():
            subprocess.run([program, "generate", *words, "--out", folder], check=True, capture_output=True)
        scenes.append((name, str(folder / "scene.toml")))
    scenes += [(Path(scene).parent.name, scene) for scene in sys.argv[3:]]
    print("| scene | rows | intervals | job, s: without | with | ratio | us an interval | by its row | by the block | alone beyond | else | bisection |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for name, scene in scenes:
        rounds = [[manifest(program, scene, str(work / f"out-{name}-{b}"), b) for b in ("none", "linear")] for _ in range(ROUNDS)]
        total = [statistics.median(r[k]["timings"]["total_s"] for r in rounds) for k in (0, 1)]
        narrow = [statistics.median(r[k]["timings"]["narrow_busy_s"] for r in rounds) for k in (0, 1)]
        counts, routes = rounds[0][1]["counts"], rounds[0][1]["routes"]
        asked = routes["intervals"]
        ways = [routes[way] for way in ("intervals_by_row", "intervals_by_block", "intervals_beyond")]
        ways.append(asked - sum(ways))
        share = [f"{100 * way / max(asked, 1):.1f} %" for way in ways]
        methods = counts["intervals_by_method"]
        share.append(f"{100 * (methods['bisection'] + methods['motion']) / max(sum(methods.values()), 1):.1f} %")
        each = 1e6 * (narrow[1] - narrow[0]) / max(asked, 1)
        row = [name, rounds[0][0]["summary"]["rows"], asked, f"{total[0]:.3f}", f"{total[1]:.3f}", f"{total[1] / total[0]:.2f}", f"{each:.2f}"]
        print("| " + " | ".join(map(str, row + share)) + " |")


if __name__ == "__main__":
    main()
