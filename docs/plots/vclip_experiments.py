"""Brings docs/papers/features.md, its plots and docs/guide/choosing.md up to date with the CSV files of

    cargo bench --bench vclip_experiments -- OUT

python3 docs/plots/vclip_experiments.py OUT [--conditions TEXT] [--png FOLDER]

Rewrites docs/images/features_*.svg, and in both pages what stands between `<!-- begin NAME -->` and
`<!-- end -->`. --conditions: where and how it was measured, which goes into the page too. --png: the plots as PNG as
well, to be looked at. Needs matplotlib.
"""

import argparse
import csv
import re
from pathlib import Path

import matplotlib

matplotlib.use("svg")
# The same bytes for the same figures; text as text.
matplotlib.rcParams["svg.hashsalt"] = "vclip_experiments"
matplotlib.rcParams["svg.fonttype"] = "none"

import matplotlib.pyplot as plt  # noqa: E402

DOCS = Path(__file__).resolve().parent.parent
PAGE = DOCS / "papers" / "features.md"
CHOOSING = DOCS / "guide" / "choosing.md"

# Name, colour and dashes of each search in plots.
SEARCHES = {
    "vclip": ("V-Clip", "tab:blue", "-"),
    "lin-canny": ("Lin-Canny", "tab:red", "-"),
    "enhanced-gjk": ("enhanced GJK (hill climbing)", "tab:green", "-"),
    "gjk": ("GJK of `--narrow gjk`", "tab:gray", "--"),
}
BODIES = {"cube": "cubes", "icosahedron": "icosahedra", "disk": "disks of 60 sides", "sphere642": "spheres, 642 vertices"}
FIGURES = {"cube": 9, "icosahedron": 10, "disk": 11, "sphere642": 12}


def read(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def save(figure, axes, name, png):
    """With one legend below all axes."""
    for each in figure.axes:
        each.set_ylim(bottom=0)
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


def lines(axes, rows, x, y):
    """A line for each search, in the order of the file."""
    for search in dict.fromkeys(row["search"] for row in rows):
        label, colour, dashes = SEARCHES[search]
        points = [(float(r[x]), float(r[y])) for r in rows if r["search"] == search]
        axes.plot(*zip(*points), dashes, marker="o", ms=2.5, lw=1.3, color=colour, label=label)
    axes.grid(True, lw=0.3, alpha=0.5)


def plot_coherence(rows, png):
    figure, all_axes = plt.subplots(2, 4, figsize=(13, 6.4))
    for column, (body, title) in enumerate(BODIES.items()):
        of_body = [r for r in rows if r["body"] == body]
        for axes, y, label in zip(all_axes[:, column], ("steps", "ns"), ("steps a call", "nanoseconds a call")):
            lines(axes, of_body, "omega", y)
            axes.set_xlabel("omega, degrees a call")
            if column == 0:
                axes.set_ylabel(label)
        all_axes[0, column].set_title(f"{title} (Figure {FIGURES[body]})", fontsize=9)
    save(figure, all_axes[0, 0], "features_coherence", png)


def plot_tessellation(rows, png):
    faces = list(dict.fromkeys(r["faces"] for r in rows))
    figure, all_axes = plt.subplots(1, len(faces), figsize=(12, 4), sharey=True)
    for axes, count in zip(all_axes, faces):
        lines(axes, [r for r in rows if r["faces"] == count], "degrees", "ns")
        axes.set_title(f"{count} faces", fontsize=9)
        axes.set_xlabel("degrees a call")
    all_axes[0].set_ylabel("nanoseconds a call")
    save(figure, all_axes[0], "features_tessellation", png)


# ------------------------------------------------------------------------------------------------------------ tables


def table(names, rows):
    head = ["| " + " | ".join(names) + " |", "|" + " --- |" * len(names)]
    return "\n".join(head + ["| " + " | ".join(row) + " |" for row in rows])


def grouped(number):
    return f"{int(number):,}"


def coherence(rows):
    """Ratios of time and steps at some omegas."""
    out = []
    for body, title in BODIES.items():
        for search in [s for s in SEARCHES if any(r["search"] == s for r in rows)]:
            of = {int(r["omega"]): r for r in rows if r["body"] == body and r["search"] == search}
            cells = [f"{float(of[o]['steps']):.2f}" for o in (0, 1, 5, 10, 25) if o in of]
            cells += [f"{float(of[o]['ns']):.0f}" for o in (0, 1, 5, 10, 25) if o in of]
            out.append([title, f"`{search}`"] + cells)
    at = [o for o in (0, 1, 5, 10, 25) if any(int(r["omega"]) == o for r in rows)]
    return table(["bodies", "search"] + [f"steps, {o}°" for o in at] + [f"ns, {o}°" for o in at], out)


def ratios(rows):
    """Time of each search in times of V-Clip, over all omegas but 0: least, middle, most."""
    out = []
    for body, title in BODIES.items():
        for search in ("lin-canny", "enhanced-gjk", "gjk"):
            of = sorted((float(r["ratio_to_vclip"]) for r in rows if r["body"] == body and r["search"] == search and r["omega"] != "0"))
            if of:
                out.append([title, f"`{search}`", f"{of[0]:.2f}", f"{of[len(of) // 2]:.2f}", f"{of[-1]:.2f}"])
    return table(["bodies", "search", "least", "median", "most"], out)


def accuracy(rows):
    out = []
    for search in SEARCHES:
        of = [r for r in rows if r["search"] == search]
        if of:
            counts = [sum(int(r[c]) for r in of) for c in ("calls", "above_1e6", "above_1e12", "cycles", "stalls", "overlaps")]
            worst = [max(float(r[c]) for r in of) for c in ("worst", "worst_of_truth")]
            asked, differ = (sum(int(r[c]) for r in of) for c in ("rows", "rows_that_differ"))
            rows_cell = f"{grouped(differ)} of {grouped(asked)}" if asked else ""
            out.append([f"`{search}`"] + [grouped(c) for c in counts] + [f"{w:.0e}" for w in worst] + [rows_cell])
    names = ["search", "calls", "above 1e-6", "above 1e-12", "cycles", "stalls", "overlaps", "worst", "worst, of the proven", "rows that differ"]
    return table(names, out)


def where(rows):
    """At which omegas distances differ by more than 1e-12, and cycles occur."""
    out = []
    for body, title in BODIES.items():
        for search in SEARCHES:
            bad = [r for r in rows if r["body"] == body and r["search"] == search and (int(r["above_1e12"]) or int(r["cycles"]) or int(r["stalls"]) or int(r["overlaps"]))]
            if bad:
                cells = [", ".join(r["omega"] for r in bad[:12]) + (" ..." if len(bad) > 12 else "")]
                cells += [grouped(sum(int(r[c]) for r in bad)) for c in ("above_1e12", "cycles", "stalls", "overlaps")]
                out.append([title, f"`{search}`"] + cells)
    return table(["bodies", "search", "omega", "above 1e-12", "cycles", "stalls", "overlaps"], out) if out else "None."


def degeneracy(rows):
    columns = ["trials_with_cycles", "cycles", "stalls", "overlaps", "trials_off_1e6", "off_1e9", "off_1e12"]
    out = []
    for r in rows:
        out.append([f"`{r['search']}`", r["tolerance"], grouped(r["calls"]), r["steps"]] + [grouped(r[c]) for c in columns] + [r["worst"]])
    names = ["search", "tolerance", "calls", "steps", "trials with a cycle", "cycles", "stalls", "false overlaps", "trials off by 1e-6", "calls off by 1e-9", "by 1e-12", "worst"]
    return f"{grouped(rows[0]['trials'])} trials each.\n\n" + table(names, out)


def tessellation(rows):
    out = []
    for search in [s for s in SEARCHES if any(r["search"] == s for r in rows)]:
        for faces in dict.fromkeys(r["faces"] for r in rows):
            of = {int(r["degrees"]): r for r in rows if r["search"] == search and r["faces"] == faces}
            at = sorted(of)
            low, high = of[at[0]], of[at[-1]]
            out.append([f"`{search}`", faces] + [f"{float(r['steps']):.2f}" for r in (low, high)] + [f"{float(r['ns']):.0f}" for r in (low, high)])
    return table(["search", "faces", "steps at 1°", "at the most", "ns at 1°", "at the most"], out)


def rows(of):
    """Nanoseconds a row of each method, a line for each situation."""
    methods = list(dict.fromkeys(r["method"] for r in of))
    out = []
    for situation, bodies in dict.fromkeys((r["situation"], r["bodies"]) for r in of):
        ns = {r["method"]: float(r["ns"]) for r in of if (r["situation"], r["bodies"]) == (situation, bodies)}
        best = min(ns.values())
        cells = [f"**{ns[m]:.0f}**" if ns[m] <= 1.05 * best else f"{ns[m]:.0f}" for m in methods]
        out.append([situation.replace(";", ","), bodies.replace(";", ",")] + cells)
    return table(["situation", "bodies"] + [f"`{m}`" for m in methods], out)


def rewrite(page, name, text):
    mark = re.compile(rf"(<!-- begin {name} -->\n).*?(<!-- end -->)", re.S)
    page, count = mark.subn(lambda found: f"{found[1]}{text}\n{found[2]}", page)
    if count != 1:
        raise SystemExit(f"{count} places named {name!r}, there must be one")
    return page


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path, metavar="OUT")
    parser.add_argument("--conditions", metavar="TEXT")
    parser.add_argument("--png", type=Path, metavar="FOLDER")
    asked = parser.parse_args()
    of_coherence, of_degeneracy, of_tessellation = (
        read(asked.source / f"{name}.csv") for name in ("coherence", "degeneracy", "tessellation")
    )
    page = PAGE.read_text()
    blocks = {
        "coherence": coherence(of_coherence),
        "ratios": ratios(of_coherence),
        "accuracy": accuracy(of_coherence),
        "where": where(of_coherence),
        "degeneracy": degeneracy(of_degeneracy),
        "tessellation": tessellation(of_tessellation),
    }
    for name, text in blocks.items():
        page = rewrite(page, name, text)
    if asked.conditions:
        page = rewrite(page, "conditions", asked.conditions)
    PAGE.write_text(page)
    choosing = rewrite(CHOOSING.read_text(), "rows", rows(read(asked.source / "rows.csv")))
    if asked.conditions:
        choosing = rewrite(choosing, "conditions", asked.conditions)
    CHOOSING.write_text(choosing)
    plot_coherence(of_coherence, asked.png)
    plot_tessellation(of_tessellation, asked.png)


if __name__ == "__main__":
    main()
