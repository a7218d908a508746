"""Brings docs/papers/two-phase.md and its plots up to date with the CSV files of

    cargo xtask two-phase OUT

python3 docs/plots/two_phase.py OUT [--conditions TEXT] [--png FOLDER]

Rewrites docs/images/two_phase_*.svg, and in docs/papers/two-phase.md what stands between `<!-- begin NAME -->` and
`<!-- end -->`. --conditions: where and how it was measured, which goes into the page too. --png: the plots as PNG as
well, to be looked at. Needs matplotlib.
"""

import argparse
import csv
import math
import re
from pathlib import Path

import matplotlib

matplotlib.use("svg")
# The same bytes for the same figures; text as text.
matplotlib.rcParams["svg.hashsalt"] = "two_phase"
matplotlib.rcParams["svg.fonttype"] = "none"

import matplotlib.pyplot as plt  # noqa: E402

DOCS = Path(__file__).resolve().parent.parent
PAGE = DOCS / "papers" / "two-phase.md"

# Name, colour and dashes of each method in plots.
METHODS = {
    "standard": ("standard hashing, a search each frame (published)", "tab:red", "-"),
    "coherent": ("coherent hashing with counters (published)", "tab:orange", "-"),
    "hash": ("hash, blocks of 64 frames", "tab:blue", "-"),
    "coherent-hash": ("coherent-hash, blocks of 64 frames", "tab:cyan", "-"),
    "sweep": ("sweep, blocks of 64 frames", "tab:green", "-"),
    "sweep-insertion-only": ("sweep, by insertion only", "black", ":"),
    "brute": ("brute, blocks of 64 frames", "tab:gray", "-"),
}
COUNTS = ["cells", "meetings", "tests", "swaps"]


def read(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


# ------------------------------------------------------------------------------------------------------------- plots


def lines(axes, rows, x, y):
    """A line for each method, in the order of the file."""
    for method in dict.fromkeys(row["method"] for row in rows):
        points = positive(rows, method, x, y)
        if points:
            label, colour, dashes = METHODS[method]
            axes.plot(*zip(*points), dashes, marker="o", ms=3, lw=1.4, color=colour, label=label)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.grid(True, which="both", lw=0.3, alpha=0.5)


def save(figure, axes, name, png):
    """With one legend below all axes."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncols=3, fontsize=8, frameon=False)
    figure.tight_layout(rect=(0, 0.1, 1, 1))
    path = DOCS / "images" / f"{name}.svg"
    figure.savefig(path, metadata={"Date": None})
    # No trailing blanks: they would be noise in every later difference.
    path.write_text("\n".join(line.rstrip() for line in path.read_text().splitlines()) + "\n")
    if png:
        png.mkdir(parents=True, exist_ok=True)
        figure.savefig(png / f"{name}.png", dpi=110)
    plt.close(figure)


def plot_scenes(rows, png):
    figure, axes = plt.subplots(figsize=(11, 5))
    names = [r["scene"].replace(" of ", "\nof ") + f"\n{r['rate']} Hz" for r in rows]
    bars = ["standard", "coherent", "hash", "coherent-hash", "sweep", "brute"]
    width = 0.8 / len(bars)
    for k, method in enumerate(bars):
        label, colour, _ = METHODS[method]
        heights = [float(r[method.replace("-", "_") + "_us"]) for r in rows]
        places = [i + (k - (len(bars) - 1) / 2) * width for i in range(len(rows))]
        axes.bar(places, heights, width, color=colour, label=label)
    for i, row in enumerate(rows):
        label = "bounding boxes alone" if i == 0 else None
        axes.plot([i - 0.4, i + 0.4], [float(row["boxes_us"])] * 2, color="black", lw=1.5, label=label)
    axes.set_yscale("log")
    axes.set_xticks(range(len(rows)), names, fontsize=8)
    axes.set_xlim(-0.6, len(rows) - 0.4)
    axes.set_ylabel("microseconds a frame")
    save(figure, axes, "two_phase_scenes", png)


def plot_pair(name, left, right, png):
    """Two plots side by side: (rows, x, y, label of x, label of y) each."""
    figure, both = plt.subplots(1, 2, figsize=(11, 5.2))
    for axes, (rows, x, y, label_x, label_y) in zip(both, (left, right)):
        lines(axes, rows, x, y)
        axes.set_xlabel(label_x)
        axes.set_ylabel(label_y)
    save(figure, both[0], name, png)


# ------------------------------------------------------------------------------------------------------------ tables


def table(names, rows):
    head = ["| " + " | ".join(names) + " |", "|" + " --- |" * len(names)]
    return "\n".join(head + ["| " + " | ".join(row) + " |" for row in rows])


def cells(row, columns):
    """Nothing where nothing was counted."""
    return [row[c] if c not in COUNTS + ["sorts"] or float(row[c]) else "" for c in columns]


def positive(rows, method, x, y):
    points = [(float(r[x]), float(r[y])) for r in rows if r["method"] == method]
    return [p for p in points if p[1] > 0]


def exponent(points):
    """p of y ~ x^p: least squares on logarithms."""
    logs = [(math.log(x), math.log(y)) for x, y in points]
    mean_x, mean_y = (sum(v) / len(logs) for v in zip(*logs))
    slope = sum((x - mean_x) * (y - mean_y) for x, y in logs) / sum((x - mean_x) ** 2 for x, _ in logs)
    return f"{round(slope, 2) + 0.0:.2f}"  # never -0.00


def exponents(rows, x, columns):
    """A row for each method: the exponents of its columns over x."""
    found = []
    for method in dict.fromkeys(row["method"] for row in rows):
        series = [positive(rows, method, x, column) for column in columns]
        found.append([method] + [exponent(points) if len(points) > 2 else "" for points in series])
    return found


def span(values):
    values = sorted(values)
    return f"{values[0]:g} to {values[-1]:g}" if values[0] != values[-1] else f"{values[0]:g}"


def ratios(rows):
    crowds = [r for r in rows if int(r["bodies"]) > 100]
    paper = [r for r in rows if int(r["bodies"]) <= 100]
    out = []
    for rate in sorted({int(r["rate"]) for r in rows}, reverse=True):
        for name, some in (("the paper's four", paper), ("crowds", crowds)):
            some = [r for r in some if int(r["rate"]) == rate]
            if some:
                of = [span(float(r[c]) for r in some) for c in ("ratio", "ratio_net", "ratio_cells")]
                hash_ = span(round(float(r["standard_us"]) / float(r["hash_us"]), 1) for r in some)
                out.append([name, f"{rate}"] + of + [hash_])
    return table(["scenes", "Hz", "standard / coherent", "net of boxes", "cells", "standard / `hash`"], out)


def tests_saved(rows):
    """How many more pairs are tested with counters than without, by the number of bodies."""
    tests = {(r["bodies"], r["method"]): float(r["tests"]) for r in rows}
    found = [tests[n, "coherent"] / tests[n, "coherent-hash"] for n, m in tests if m == "coherent"]
    return f"Tests of `coherent` for one of `coherent-hash`: {min(found):.0f} to {max(found):.0f}."


def exchanges(rows):
    swaps = [(float(r["bodies"]), float(r["swaps"])) for r in rows if r["method"] == "sweep-insertion-only"]
    shares = [n * n / s for n, s in swaps]
    return (
        f"Exchanges a frame by insertion only: n^{exponent(swaps)} over the table, "
        f"n^2 / {max(shares):.0f} to n^2 / {min(shares):.0f}."
    )


HASHES = ["standard", "coherent", "hash", "coherent-hash"]


def by_cells(rows):
    """A row for each alpha and beta: microseconds a frame of each method, and what is counted of the published schemes."""
    found = {}
    for r in rows:
        found.setdefault((r["beta"], r["alpha"]), {})[r["method"]] = r
    us = [[by[m]["us_per_frame"] for m in HASHES] for by in found.values()]
    counts = [[by["standard"]["cells"], by["coherent"]["cells"], by["coherent"]["tests"]] for by in found.values()]
    names = ["beta", "alpha"] + [f"`{m}`, us" for m in HASHES] + ["cells: standard", "coherent", "pairs that share a cell"]
    return table(names, [list(key) + times + counted for key, times, counted in zip(found, us, counts)])


def blocks(scenes, bodies, pairs, clusters, resolutions):
    """What goes between the marks of the page."""
    columns = ["scene", "bodies", "rate", "pairs", "boxes_us", "standard_us", "coherent_us", "ratio", "ratio_net",
               "standard_cells", "coherent_cells", "ratio_cells"]
    names = ["scene", "bodies", "Hz", "pairs a frame", "boxes, us", "standard, us", "coherent, us", "**ratio**", "net",
             "cells: standard", "coherent", "ratio"]
    yield "scenes", table(names, [[r[c] for c in columns] for r in scenes])
    columns = ["scene", "rate", "hash_us", "coherent_hash_us", "sweep_us", "brute_us"]
    names = ["scene", "Hz", "`hash`", "`coherent-hash`", "`sweep`", "`brute`"]
    yield "methods", table(names, [[r[c] for c in columns] for r in scenes])
    yield "ratios", ratios(scenes)
    columns = ["bodies", "method", "pairs", "us_per_frame", "ns_per_body"] + COUNTS
    sizes = sorted({int(r["bodies"]) for r in bodies})[::2]
    shown = [cells(r, columns) for r in bodies if int(r["bodies"]) in sizes]
    yield "bodies", table(["n", "method", "c", "us a frame", "ns a frame and body"] + COUNTS, shown)
    columns = ["pairs", "method", "us_per_frame", "ns_per_pair"] + COUNTS
    counts = sorted({float(r["pairs"]) for r in pairs})
    counts = {counts[0], counts[len(counts) // 2], counts[-1]}
    shown = [cells(r, columns) for r in pairs if float(r["pairs"]) in counts]
    shown = table(["c", "method", "us a frame", "ns a frame and pair"] + COUNTS, shown)
    yield "pairs", f"n = {pairs[0]['bodies']}, c growing:\n\n{shown}"
    columns = ["us_per_frame", "pairs"] + COUNTS
    over_n = table(["p of n^p", "us a frame", "c"] + COUNTS, exponents(bodies, "bodies", columns))
    columns = ["us_per_frame"] + COUNTS
    over_c = table(["p of c^p"] + ["us a frame"] + COUNTS, exponents(pairs, "pairs", columns))
    yield "exponents", f"{over_n}\n\n{over_c}\n\n{tests_saved(bodies)}"
    columns = ["bodies", "method", "us_per_frame", "swaps", "sorts", "cells"]
    sizes = sorted({int(r["bodies"]) for r in clusters})[::2]
    shown = [cells(r, columns) for r in clusters if int(r["bodies"]) in sizes]
    names = ["n", "method", "us a frame", "swaps", "frames sorted afresh", "cells"]
    yield "clusters", table(names, shown) + "\n\n" + exchanges(clusters)
    yield "cells", f"n = {resolutions[0]['bodies']}, c = {resolutions[0]['pairs']}:\n\n{by_cells(resolutions)}"


def rewrite(page, name, text):
    mark = re.compile(rf"(<!-- begin {name} -->\n).*?(<!-- end -->)", re.S)
    page, count = mark.subn(lambda found: f"{found[1]}{text}\n{found[2]}", page)
    if count != 1:
        raise SystemExit(f"{PAGE}: {count} places named {name!r}, there must be one")
    return page


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path, metavar="OUT")
    parser.add_argument("--conditions", metavar="TEXT")
    parser.add_argument("--png", type=Path, metavar="FOLDER")
    asked = parser.parse_args()
    files = [read(asked.source / f"{name}.csv") for name in ("scenes", "bodies", "pairs", "clusters", "cells")]
    scenes, bodies, pairs, clusters, _ = files
    page = PAGE.read_text()
    for name, text in blocks(*files):
        page = rewrite(page, name, text)
    if asked.conditions:
        page = rewrite(page, "conditions", asked.conditions)
    PAGE.write_text(page)
    us, label = "us_per_frame", "microseconds a frame"
    plot_scenes(scenes, asked.png)
    right = (pairs, "pairs", us, f"overlapping pairs c, n = {pairs[0]['bodies']}", label)
    plot_pair("two_phase_linear", (bodies, "bodies", us, "bodies n, at one density", label), right, asked.png)
    right = (clusters, "bodies", "swaps", "bodies on a table", "exchanges of end points a frame")
    plot_pair("two_phase_clusters", (clusters, "bodies", us, "bodies on a table", label), right, asked.png)


if __name__ == "__main__":
    main()
