"""Brings docs/papers/gjk.md and its plots up to date with the CSV files of

    cargo bench --bench gjk_experiments -- OUT

python3 docs/plots/gjk_experiments.py OUT [--conditions TEXT] [--png FOLDER]

Rewrites docs/images/gjk_*.svg, and in docs/papers/gjk.md what stands between `<!-- begin NAME -->` and
`<!-- end -->`. --conditions: where and how it was measured, which goes into the page too. --png: the plots as PNG as
well, to be looked at. Needs matplotlib.
"""

import argparse
import csv
import re
import statistics
from pathlib import Path

import matplotlib

matplotlib.use("svg")
# The same bytes for the same figures; text as text.
matplotlib.rcParams["svg.hashsalt"] = "gjk_experiments"
matplotlib.rcParams["svg.fonttype"] = "none"

import matplotlib.pyplot as plt  # noqa: E402

DOCS = Path(__file__).resolve().parent.parent
PAGE = DOCS / "papers" / "gjk.md"

# Name, colour and mark of each sub-algorithm in plots.
ALGORITHMS = {
    "SV": ("signed volumes (SV)", "tab:blue", "o"),
    "JH": ("Johnson (JH)", "tab:red", "x"),
    "JB": ("Johnson and Backup (JB)", "tab:orange", "+"),
    "BK": ("Backup (BK)", "tab:green", "."),
}
REGIMES = ["distant", "close", "overlapping"]
# Supports and start of each way in the tables of hill climbing; colour and dashes.
WAYS = {
    ("scan", "false"): ("scan, cold", "tab:red", "--"),
    ("scan", "true"): ("scan, warm", "tab:red", "-"),
    ("climb", "false"): ("climb, cold", "tab:blue", "--"),
    ("climb", "true"): ("climb, warm", "tab:blue", "-"),
    ("by size", "false"): ("by size, cold", "tab:green", "--"),
    ("by size", "true"): ("by size, warm", "tab:green", "-"),
    ("enhanced", "true"): ("climb, warm, JB", "black", ":"),
}
# The value at which a distance of zero is plotted.
FLOOR = 1e-18


def read(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def table(names, rows):
    head = ["| " + " | ".join(names) + " |", "|" + " --- |" * len(names)]
    return "\n".join(head + ["| " + " | ".join(row) + " |" for row in rows])


def save(figure, axes, name, png):
    """With one legend below all axes."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncols=4, fontsize=8, frameon=False)
    figure.tight_layout(rect=(0, 0.1, 1, 1))
    store(figure, name, png)


def store(figure, name, png):
    path = DOCS / "images" / f"{name}.svg"
    figure.savefig(path, metadata={"Date": None})
    # No trailing blanks: they would be noise in every later difference.
    path.write_text("\n".join(line.rstrip() for line in path.read_text().splitlines()) + "\n")
    if png:
        png.mkdir(parents=True, exist_ok=True)
        figure.savefig(png / f"{name}.png", dpi=110)
    plt.close(figure)


# ------------------------------------------------------------------------------------------------------------- plots


def plot_gear(rows, png):
    """The worst error of each step; and the least and the largest determinant of the searches that rely on it."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 5))
    steps = sorted({int(r["step"]) for r in rows})
    by = {(a, step): pick(rows, algorithm=a, step=str(step)) for a in ALGORITHMS for step in steps}
    for algorithm, (label, colour, mark) in ALGORITHMS.items():
        x = [max(float(by[algorithm, step][0]["truth"]), FLOOR) for step in steps]
        y = [max(FLOOR, *(float(r["error"]) for r in by[algorithm, step])) for step in steps]
        left.plot(x, y, mark, ms=5, color=colour, label=label, alpha=0.8)
    left.set_xlabel("true distance (module 1)")
    left.set_ylabel("worst error of the distance, in sizes of the pair")
    bands = (("JH", "det_a", "|det A|, searches by JH", "tab:red"), ("SV", "det_m", "|det M|, searches by SV", "tab:blue"))
    for algorithm, column, label, colour in bands:
        values = [[max(float(r[column]), FLOOR) for r in by[algorithm, step]] for step in steps]
        right.fill_between(steps, [min(v) for v in values], [max(v) for v in values], color=colour, alpha=0.3, label=label)
    right.axhline(2.2e-16, color="black", lw=0.8)
    right.set_xlabel("step (the distance is halved in each)")
    right.set_ylabel("least determinant of a search, range over the approaches")
    left.set_xscale("log")
    for axes in (left, right):
        axes.set_yscale("log")
        axes.grid(True, lw=0.3, alpha=0.5)
    right.legend(fontsize=8, loc="center left")
    save(figure, left, "gjk_gear", png)


def plot_times(rows, png):
    figure, all_axes = plt.subplots(1, 3, figsize=(11, 4.6), sharey=True)
    for axes, regime in zip(all_axes, REGIMES):
        for algorithm, (label, colour, _) in ALGORITHMS.items():
            some = pick(rows, regime=regime, supports="climb", tolerance="1e-14", algorithm=algorithm)
            x = [int(r["vertices"]) for r in some]
            axes.plot(x, [float(r["sub_ns"]) for r in some], "-o", ms=3, color=colour, label=label)
            axes.plot(x, [float(r["gjk_ns"]) for r in some], ":", color=colour, label=f"GJK by {algorithm}")
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_title(regime, fontsize=10)
        axes.set_xlabel("vertices of a sphere")
        axes.grid(True, which="both", lw=0.3, alpha=0.5)
    all_axes[0].set_ylabel("nanoseconds a query")
    save(figure, all_axes[0], "gjk_times", png)


def plot_coherence(rows, png):
    figure, both = plt.subplots(1, 2, figsize=(11, 5))
    some = [r for r in rows if float(r["step"]) == 0.001]
    for axes, column, label_y in ((both[0], "ns", "nanoseconds a query"), (both[1], "dot_products", "dot products a query")):
        for way, (label, colour, dashes) in WAYS.items():
            points = [(int(r["vertices"]), float(r[column])) for r in some if (r["supports"], r["warm"]) == way]
            axes.plot(*zip(*points), dashes, color=colour, label=label)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("vertices of a sphere")
        axes.set_ylabel(label_y)
        axes.grid(True, which="both", lw=0.3, alpha=0.5)
    save(figure, both[0], "gjk_coherence", png)


def plot_maps(rows, png):
    """Time over tolerance and vertices, one scale of colours for both algorithms of a regime."""
    regimes, algorithms = ("distant", "overlapping"), ("JB", "SV")
    figure, all_axes = plt.subplots(2, 2, figsize=(10, 6.5), sharex=True, sharey=True)
    vertices = sorted({int(r["vertices"]) for r in rows})
    powers = sorted({float(r["tolerance"]) for r in rows})
    for line, regime in zip(all_axes, regimes):
        some = pick(rows, regime=regime)
        times = [float(r["ns"]) for r in some]
        colours = matplotlib.colors.LogNorm(min(times), max(times))
        for axes, algorithm in zip(line, algorithms):
            by = {(int(r["vertices"]), float(r["tolerance"])): float(r["ns"]) for r in pick(some, algorithm=algorithm)}
            grid = [[by[n, power] for power in powers] for n in vertices]
            drawn = axes.pcolormesh(powers, vertices, grid, norm=colours, cmap="viridis", shading="nearest")
            axes.set(xscale="log", yscale="log")
            axes.set_title(f"{regime}, GJK by {algorithm}", fontsize=10)
        figure.colorbar(drawn, ax=line, label="nanoseconds a query")
    for axes in all_axes[1]:
        axes.set_xlabel("tolerance")
    for axes in all_axes[:, 0]:
        axes.set_ylabel("vertices of a sphere")
    store(figure, "gjk_maps", png)


# ------------------------------------------------------------------------------------------------------------ tables


def pick(rows, **values):
    return [r for r in rows if all(r[k] == v for k, v in values.items())]


def least_distances(rows):
    """For each approach: the least distance measured before the first contact."""
    found = []
    for number in dict.fromkeys(r["approach"] for r in rows):
        least = float("inf")
        for r in pick(rows, approach=number):
            if r["end"] == "Overlap":
                break
            least = min(least, float(r["measured"]))
        found.append(least)
    return found


def gear(rows):
    lines = []
    for samples in dict.fromkeys(r["samples"] for r in rows):
        for algorithm in ALGORITHMS:
            some = pick(rows, samples=samples, algorithm=algorithm)
            contacts = [r for r in some if r["end"] == "Overlap"]
            # Above 16 units in the last place of the size of the pair.
            false = sum(float(r["truth"]) > 16 * 2.2e-16 * float(r["size"]) for r in contacts)
            errors = [float(r["error"]) for r in some]
            least = least_distances(some)
            lines.append([
                samples, algorithm, f"{len(some)}", f"{false}", f"{sum(e > 1e-12 for e in errors)}",
                f"{sum(int(r['nothing']) for r in some)}", f"{max(errors):.1e}",
                f"{statistics.median(least):.1e}",
                f"{max(least):.1e}" if max(least) < float("inf") else "contact in the first step",
            ])
    names = ["points a flank", "", "searches", "false contacts", "off by more than 1e-12", "nothing found", "worst error",
             "least distance, median", "worst"]
    return table(names, lines)


def ratio(rows, column, one, other):
    """The ratios of two algorithms over the sizes."""
    over = {r["vertices"]: float(r[column]) for r in rows if r["algorithm"] == one}
    under = {r["vertices"]: float(r[column]) for r in rows if r["algorithm"] == other}
    found = [over[n] / under[n] for n in over]
    return f"{min(found):.2f} to {max(found):.2f}, median {statistics.median(found):.2f}"


def ratios(rows):
    lines = []
    for supports in ("scan", "climb"):
        for tolerance in ("1e-8", "1e-14", "rounding"):
            for regime in REGIMES:
                some = pick(rows, regime=regime, supports=supports, tolerance=tolerance)
                of = [ratio(some, column, "SV", other) for column in ("sub_ns", "gjk_ns") for other in ("JB", "BK")]
                lines.append([supports, tolerance, regime] + of)
    names = ["supports", "tolerance", "", "sub-algorithm: SV / JB", "SV / BK", "GJK: SV / JB", "SV / BK"]
    return table(names, lines)


def times(rows):
    lines = []
    for regime in REGIMES:
        for n in sorted({int(r["vertices"]) for r in rows}):
            some = pick(rows, regime=regime, supports="climb", tolerance="1e-14", vertices=str(n))
            by = {r["algorithm"]: r for r in some}
            line = [regime, f"{n}"]
            line += [f"{float(by[a]['sub_ns']):.0f}" for a in ALGORITHMS]
            line += [f"{float(by[a]['gjk_ns']):.0f}" for a in ALGORITHMS]
            line += [f"{float(by[a]['iterations']):.2f}" for a in ("SV", "JB")]
            lines.append(line)
    names = ["", "vertices", "sub-algorithm, ns: SV", "JH", "JB", "BK", "GJK, ns: SV", "JH", "JB", "BK", "iterations: SV", "JB"]
    return table(names, lines)


def maps(rows):
    """The times of signed volumes, and the ratio to those of Johnson's with the Backup procedure."""
    lines = []
    vertices = sorted({int(r["vertices"]) for r in rows})
    for regime in REGIMES:
        for power in dict.fromkeys(r["tolerance"] for r in rows):
            some = pick(rows, regime=regime, tolerance=power)
            by = {(r["vertices"], r["algorithm"]): float(r["ns"]) for r in some}
            cell = [f"{by[str(n), 'SV']:.0f} ({by[str(n), 'SV'] / by[str(n), 'JB']:.2f})" for n in vertices]
            lines.append([regime, power] + cell)
    return table(["", "tolerance"] + [f"{n} vertices" for n in vertices], lines)


# The faces that one, two and three vertices carry.
FACES = {1: "vertex", 2: "edge", 3: "face"}


def carriers(rows):
    """Shares of the combinations of table I."""
    lines = []
    for bodies in dict.fromkeys(r["bodies"] for r in rows):
        for gap in dict.fromkeys(r["gap"] for r in rows):
            some = pick(rows, bodies=bodies, gap=gap)
            total = sum(int(r["count"]) for r in some)

            def share(a, b, some=some, total=total):
                found = sum(int(r["count"]) for r in some if (int(r["a"]), int(r["b"])) == (a, b))
                return f"{100 * found / total:.1f} %"

            on_triangle = sum(int(r["count"]) for r in some if int(r["difference"]) == 3) / total
            pairs = [(1, 1), (1, 2), (1, 3), (2, 2), (2, 3), (3, 3)]
            lines.append([bodies, gap, f"{total}"] + [share(a, b) for a, b in pairs] + [f"{100 * on_triangle:.1f} %"])
    combinations = [f"{FACES[a]} and {FACES[b]}" for a, b in [(1, 1), (1, 2), (1, 3), (2, 2), (2, 3), (3, 3)]]
    return table(["bodies", "gap", "pairs"] + combinations + ["on a triangle of the difference"], lines)


def coherence(rows):
    out = []
    for column, form in (("ns", "{:.0f}"), ("dot_products", "{:.0f}"), ("iterations", "{:.2f}")):
        lines = []
        for step in dict.fromkeys(r["step"] for r in rows):
            for n in dict.fromkeys(r["vertices"] for r in rows):
                some = {(r["supports"], r["warm"]): r for r in pick(rows, vertices=n, step=step)}
                lines.append([n, step] + [form.format(float(some[way][column])) for way in WAYS])
        title = {"ns": "Nanoseconds", "dot_products": "Dot products", "iterations": "Iterations"}[column]
        out.append(f"{title} a query:\n\n" + table(["vertices", "radians a step"] + [w[0] for w in WAYS.values()], lines))
    return "\n\n".join(out)


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
    names = ("gear", "times", "coherence", "maps", "carriers")
    teeth, spheres, passing, mapped, carried = [read(asked.source / f"{name}.csv") for name in names]
    page = PAGE.read_text()
    page = rewrite(page, "gear", gear(teeth))
    page = rewrite(page, "ratios", ratios(spheres))
    page = rewrite(page, "times", times(spheres))
    page = rewrite(page, "coherence", coherence(passing))
    page = rewrite(page, "maps", maps(mapped))
    page = rewrite(page, "carriers", carriers(carried))
    if asked.conditions:
        page = rewrite(page, "conditions", asked.conditions)
    PAGE.write_text(page)
    plot_gear(teeth, asked.png)
    plot_times(spheres, asked.png)
    plot_coherence(passing, asked.png)
    plot_maps(mapped, asked.png)


if __name__ == "__main__":
    main()
