"""Plots the CSV files of `cargo run --release --example two_phase -- OUT`.

python3 docs/plots/two_phase.py OUT docs/images     # needs matplotlib
"""

import csv
import sys
from pathlib import Path

import matplotlib

matplotlib.use("svg")
# The same bytes for the same figures; text as text.
matplotlib.rcParams["svg.hashsalt"] = "two_phase"
matplotlib.rcParams["svg.fonttype"] = "none"
METADATA = {"Date": None}

import matplotlib.pyplot as plt  # noqa: E402

COLOURS = {
    "standard": "tab:red",
    "coherent": "tab:orange",
    "hash": "tab:blue",
    "coherent-hash": "tab:cyan",
    "sweep": "tab:green",
    "sweep-insertion-only": "tab:olive",
    "brute": "tab:gray",
}
LABELS = {
    "standard": "standard hashing, a search each frame (published)",
    "coherent": "coherent hashing with counters (published)",
    "hash": "hash, blocks of 64 frames",
    "coherent-hash": "coherent-hash, blocks of 64 frames",
    "sweep": "sweep, blocks of 64 frames",
    "sweep-insertion-only": "sweep, by insertion only",
    "brute": "brute, blocks of 64 frames",
}


def read(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def lines(axes, rows, x, y):
    """A line for each method, in the order of the file."""
    for method in dict.fromkeys(row["method"] for row in rows):
        points = [(float(r[x]), float(r[y])) for r in rows if r["method"] == method]
        points = [p for p in points if p[1] > 0]
        if points:
            axes.plot(*zip(*points), "o-", ms=3, lw=1.2, color=COLOURS[method], label=LABELS[method])
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.grid(True, which="both", lw=0.3, alpha=0.5)


def save(figure, path):
    figure.tight_layout()
    figure.savefig(path, metadata=METADATA)
    # No trailing blanks: they would be noise in every later difference.
    path.write_text("\n".join(line.rstrip() for line in path.read_text().splitlines()) + "\n")
    plt.close(figure)


def scenes(rows, out):
    figure, axes = plt.subplots(figsize=(9, 4))
    names = [f"{r['scene']}\n{r['rate']} Hz" for r in rows]
    at = range(len(rows))
    bars = [("standard_us", "standard"), ("coherent_us", "coherent"), ("hash_us", "hash"),
            ("coherent_hash_us", "coherent-hash"), ("sweep_us", "sweep"), ("brute_us", "brute")]
    width = 0.8 / len(bars)
    for k, (column, method) in enumerate(bars):
        axes.bar([i + (k - 2.5) * width for i in at], [float(r[column]) for r in rows], width,
                 color=COLOURS[method], label=LABELS[method])
    axes.scatter(at, [float(r["boxes_us"]) for r in rows], marker="_", s=900, color="black", label="boxes alone")
    axes.set_yscale("log")
    axes.set_xticks(list(at), names, fontsize=6)
    axes.set_ylabel("microseconds a frame")
    axes.legend(fontsize=6)
    save(figure, out / "two_phase_scenes.svg")


def costs(bodies, pairs, out):
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.5))
    lines(left, bodies, "bodies", "us_per_frame")
    left.set_xlabel("bodies n, at one density")
    left.set_ylabel("microseconds a frame")
    left.legend(fontsize=6)
    lines(right, pairs, "pairs", "us_per_frame")
    right.set_xlabel(f"overlapping pairs c, n = {pairs[0]['bodies']}")
    right.set_ylabel("microseconds a frame")
    save(figure, out / "two_phase_linear.svg")


def clusters(rows, out):
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.5))
    lines(left, rows, "bodies", "us_per_frame")
    left.set_xlabel("bodies on a table")
    left.set_ylabel("microseconds a frame")
    left.legend(fontsize=6)
    lines(right, rows, "bodies", "swaps")
    right.set_xlabel("bodies on a table")
    right.set_ylabel("exchanges of end points a frame")
    right.legend(fontsize=6)
    save(figure, out / "two_phase_clusters.svg")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    source, out = map(Path, sys.argv[1:])
    out.mkdir(parents=True, exist_ok=True)
    scenes(read(source / "scenes.csv"), out)
    costs(read(source / "bodies.csv"), read(source / "pairs.csv"), out)
    clusters(read(source / "clusters.csv"), out)


if __name__ == "__main__":
    main()
