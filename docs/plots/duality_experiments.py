"""Brings docs/papers/duality.md and its plots up to date with the CSV files of

    cargo bench --bench duality_experiments -- OUT

python3 docs/plots/duality_experiments.py OUT [--conditions TEXT] [--png FOLDER]

Rewrites docs/images/duality_*.svg, and in the page what stands between `<!-- begin NAME -->` and `<!-- end -->`.
--conditions: where and how it was measured, which goes into the page too. --png: the plots as PNG as well, to be
looked at. Needs matplotlib.
"""

import argparse
import csv
import re
from pathlib import Path

import matplotlib

matplotlib.use("svg")
# The same bytes for the same figures; text as text.
matplotlib.rcParams["svg.hashsalt"] = "duality"
matplotlib.rcParams["svg.fonttype"] = "none"

import matplotlib.pyplot as plt  # noqa: E402

DOCS = Path(__file__).resolve().parent.parent
PAGE = DOCS / "papers" / "duality.md"

# Column, name, colour and dashes of each method.
METHODS = [
    ("dual_cold_ns", "CD-Dual, cold", "tab:red", "-"),
    ("dual_warm_ns", "CD-Dual, from 1 degree before", "tab:red", ":"),
    ("gjk_cold_ns", "GJK, cold", "tab:blue", "-"),
    ("gjk_warm_ns", "GJK, from 1 degree before", "tab:blue", ":"),
]
PHASES = [
    ("fv_ns", "SEARCH-FV", "tab:red"),
    ("vf_ns", "SEARCH-VF", "tab:orange"),
    ("ee_ns", "SEARCH-EE", "tab:blue"),
]


def read(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def save(figure, axes, name, png):
    """With one legend below all axes."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncols=4, fontsize=8, frameon=False)
    figure.tight_layout(rect=(0, 0.06, 1, 1))
    path = DOCS / "images" / f"{name}.svg"
    figure.savefig(path, metadata={"Date": None})
    # No trailing blanks: they would be noise in every later difference.
    path.write_text("\n".join(line.rstrip() for line in path.read_text().splitlines()) + "\n")
    if png:
        png.mkdir(parents=True, exist_ok=True)
        figure.savefig(png / f"{name}.png", dpi=110)
    plt.close(figure)


def plot_cases(rows, name, png):
    """A plot for each case: time over the distance."""
    cases = list(dict.fromkeys(row["case"] for row in rows))
    figure, all_axes = plt.subplots(1, len(cases), figsize=(3.2 * len(cases), 3.6), sharey=True)
    for axes, case in zip(all_axes, cases):
        own = [row for row in rows if row["case"] == case]
        for column, label, colour, dashes in METHODS:
            points = [(float(row["l"]), float(row[column]) / 1000) for row in own]
            axes.plot(*zip(*points), dashes, marker="o", ms=2.5, lw=1.3, color=colour, label=label)
        axes.set_title(case, fontsize=9)
        axes.set_xlabel("l")
        axes.grid(True, lw=0.3, alpha=0.5)
        axes.set_ylim(bottom=0)
    all_axes[0].set_ylabel("microseconds a query")
    save(figure, all_axes[0], name, png)


def plot_phases(rows, png):
    figure, axes = plt.subplots(figsize=(7, 4))
    places = [float(row["l"]) for row in rows]
    heights = [[float(row[column]) / 1000 for row in rows] for column, _, _ in PHASES]
    axes.stackplot(places, heights, labels=[p[1] for p in PHASES], colors=[p[2] for p in PHASES], alpha=0.8)
    axes.set_xlabel("l")
    axes.set_ylabel("microseconds a query")
    save(figure, axes, "duality_phases", png)


def table(names, rows):
    head = ["| " + " | ".join(names) + " |", "|" + " --- |" * len(names)]
    return "\n".join(head + ["| " + " | ".join(row) + " |" for row in rows])


def of_cases(rows):
    names = ["case", "l"] + [m[1] for m in METHODS] + ["GJK / CD-Dual, cold"]
    cells = []
    for row in rows:
        times = [f"{float(row[m[0]]):.0f}" for m in METHODS]
        ratio = float(row["gjk_cold_ns"]) / float(row["dual_cold_ns"])
        cells.append([row["case"], row["l"]] + times + [f"{ratio:.2f}"])
    return table(names, cells)


def of_phases(rows):
    names = ["l"] + [p[1] for p in PHASES] + ["faces FV", "faces VF", "pairs EE", "went back to a face"]
    columns = ["fv_faces", "vf_faces", "ee_pairs", "returns"]
    cells = [[r["l"]] + [f"{float(r[p[0]]):.0f}" for p in PHASES] + [r[c] for c in columns] for r in rows]
    return table(names, cells)


def fill(page, name, text):
    pattern = re.compile(rf"(<!-- begin {name} -->\n).*?(<!-- end -->)", re.S)
    assert pattern.search(page), name
    return pattern.sub(lambda m: m.group(1) + text + "\n" + m.group(2), page)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--conditions", default="")
    parser.add_argument("--png", type=Path)
    options = parser.parse_args()
    vertices, shapes, phases = (read(options.out / f"{name}.csv") for name in ("vertices", "shapes", "phases"))
    plot_cases(vertices, "duality_vertices", options.png)
    plot_cases(shapes, "duality_shapes", options.png)
    plot_phases(phases, options.png)
    page = PAGE.read_text()
    for name, text in [
        ("vertices", of_cases(vertices)),
        ("shapes", of_cases(shapes)),
        ("phases", of_phases(phases)),
        ("conditions", options.conditions),
    ]:
        if text:
            page = fill(page, name, text)
    PAGE.write_text(page)


main()
