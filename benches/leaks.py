"""Leaks: contacts between two samples that a checker does not see.

    python benches/leaks.py [WORK] [--run PROGRAM] [--quick] [--ccd-queries FOLDER] [--motions OUT] [--mechanisms FOLDER] [--plot FILE]

Asks clearsweep (`between`, on one thread) and other checkers whether bodies touch between two frames, and prints what each misses.
Peers: FCL, coal, Bullet, MuJoCo and parry (in `f32`, by the package rapier3d). Without coal and python-fcl no peer is asked; others that
are not installed are left out with a message. `--quick` asks clearsweep alone on the families that are made here. Exit code 1: a verdict
of clearsweep is wrong.

Data: `--ccd-queries` (or the variable CLEARSWEEP_CCD_QUERIES) is a folder with queries.parquet, the sample queries of the benchmark of
continuous collision detection by Wang et al. with exact answers (the README beside it tells the columns); `--motions` the folder that
`cargo bench --bench between_peers -- OUT` writes; `--mechanisms` a folder of scenes as those of `mechanism_peers.py`. A family without
its data is left out with a message. WORK gets scenes, results and leaks.json.

The table has a line for each family:
  queries     motions between two frames, with a truth; in brackets those left out: the least distance is positive and at most `touch`, or not known
  contacts    queries that touch in truth
  CHECKER     contacts that it calls clear / queries without contact that it calls contact / processor time of a query, ms; of clearsweep the
              number of queries that it leaves undecided. The time of clearsweep is that of the whole process, reading and writing included,
              that of a peer is that of its calls alone. `rows` are clearsweep's rows at the poses of 1, 10 or 100 steps
A checker of poses says contact if the distance at one of them is at most `touch`. Needs numpy; for the peers and the data: polars and the peers.
"""

import argparse
import csv
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from leaks_worlds import Family, Shape, Straight, IDENTITY, worlds

POSE = ["x", "y", "z", "qw", "qx", "qy", "qz"]


@dataclass
class Line:
    family: str
    source: str
    queries: int
    near: int
    contacts: int
    checker: str
    missed: int
    false: int
    undecided: int
    ms: float

    def cell(self):
        return f"{self.missed} / {self.false} / {self.ms:.2g}" + (f", {self.undecided} undecided" if self.undecided else "")


def line_of(family, checker, answers, seconds):
    """Compares the answers (True, False, or None for undecided) with the truth. Prints the queries that clearsweep decides wrongly."""
    judged = [(k, truth, answer) for k, (truth, answer) in enumerate(zip(family.truth, answers)) if truth is not None]
    missed = [k for k, truth, answer in judged if truth and answer is False]
    false = [k for k, truth, answer in judged if not truth and answer is True]
    if checker == "clearsweep" and missed + false:
        print(f"WRONG: {family.name}: missed {missed[:20]}, false {false[:20]}", file=sys.stderr)
    contacts, undecided = sum(truth for _, truth, _ in judged), sum(answer is None for *_, answer in judged)
    head = (family.name, family.source, len(judged), len(answers) - len(judged), contacts)
    return Line(*head, checker, len(missed), len(false), undecided, 1e3 * seconds / max(len(answers), 1))


def write_scene(family, folder, steps, between):
    """A run for each query, with `steps + 1` frames."""
    folder.mkdir(parents=True, exist_ok=True)
    text = '[scene]\nlength_unit = "m"\ntrajectories = "motion.csv"\nmissing = "absent"\n'
    text += f'[query]\nanswer = "overlap"\ntouch = {family.touch}\n[motion]\nbetween = "{between}"\n'
    for name, (shape, group) in family.bodies.items():
        text += f'[[body]]\nname = "{name}"\n{shape.text()}\n' + (f'group = "{group}"\n' if group else "")
    for group in dict.fromkeys(group for _, group in family.bodies.values() if group):
        text += f'[[ignore]]\na = "group:{group}"\nb = "group:{group}"\nreason = "not compared"\n'
    (folder / "scene.toml").write_text(text)
    with open(folder / "motion.csv", "w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["run", "frame", "body", *POSE])
        for run, query in enumerate(family.queries):
            poses = {name: path.many([frame / steps for frame in range(steps + 1)]) for name, path in query.items()}
            for frame in range(steps + 1):
                for name, path in poses.items():
                    position, q = path[frame]
                    table.writerow([run, frame, name, *map(float, (*position, *q))])


def processor(command):
    """Runs a command. Returns its processor seconds."""
    used = lambda: sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    before = used()
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode not in (0, 3, 4):
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr}")
    return used() - before


def rows(program, out, table):
    done = subprocess.run([program, "export", out, "--csv", "--table", table, "--to", "-"], capture_output=True, text=True, check=True)
    return csv.DictReader(done.stdout.splitlines())


def own(family, program, work, steps=0):
    """Answers of clearsweep and processor seconds: proven between the frames, or of rows alone at the frames of `steps` steps."""
    folder = work / family.name.replace(" ", "-") / (f"rows-{steps}" if steps else "proven")
    if family.joints and not steps:
        folder.mkdir(parents=True, exist_ok=True)
        family.joints(folder)
    else:
        write_scene(family, folder, steps or 1, "none" if steps else family.between)
    spent = processor([program, "run", folder / "scene.toml", "--out", folder / "out", "--threads", 1, "--progress", "none", "--force"])
    answers = [False] * len(family.queries)
    if steps:
        for row in rows(program, folder / "out", "distances"):
            answers[int(row["run"])] |= float(row["upper_m"]) <= family.touch
        return answers, spent
    for row in rows(program, folder / "out", "intervals"):
        run = int(row["run"])
        if row["status"] == "contact":
            answers[run] = True
        elif row["status"] == "undecided" and not answers[run]:
            answers[run] = None
    return answers, spent


def ccd_queries(folder):
    """The queries whose primitives move without turning, as hulls of one to three points. Second poses are rounded to f64."""
    import polars

    bodies, queries, truth = {}, [], []
    table = polars.read_parquet(Path(folder) / "queries.parquet").filter("translation")
    for k, row in enumerate(table.iter_rows(named=True)):
        point = lambda p, t: tuple(row[f"p{p}_t{t}_{axis}"] for axis in "xyz")
        query = {}
        for side, corners in zip("ab", ([0, 1], [2, 3]) if row["kind"] == "edge-edge" else ([0], [1, 2, 3])):
            start, end = point(corners[0], 0), point(corners[0], 1)
            bodies[f"{side}{k}"] = (Shape("points", points=tuple(point(p, 0) for p in corners)), "")
            query[f"{side}{k}"] = Straight(((0.0, 0.0, 0.0), IDENTITY), (tuple(b - a for a, b in zip(start, end)), IDENTITY))
        queries.append(query)
        truth.append(True if row["hit"] else None if row["min_distance_upper"] <= CCD_TOUCH else False)
    return Family("points, edges and triangles (ccd_queries)", "exact", bodies, queries, truth, touch=CCD_TOUCH)


#: The least distances of misses in these queries go down to 1e-18 m.
CCD_TOUCH = 1e-12


def families(args, program, work, peers):
    """Yields all families whose data are there."""
    yield from worlds(200 if args.quick else args.count, args.only or "")
    if args.quick:
        return
    for path, word, make in [
        (args.ccd_queries, "--ccd-queries", lambda: [ccd_queries(args.ccd_queries)]),
        (args.motions, "--motions", lambda: peers.motions(Path(args.motions))),
        (args.mechanisms, "--mechanisms", lambda: peers.mechanisms(program, Path(args.mechanisms), work, args.intervals)),
    ]:
        if not path:
            print(f"skipped: no {word}", file=sys.stderr)
        elif peers is None and word != "--ccd-queries":
            print(f"skipped: {word} needs coal and python-fcl for its truth", file=sys.stderr)
        else:
            yield from make()


def print_table(lines):
    checkers = list(dict.fromkeys(line.checker for line in lines))
    print("| " + " | ".join(["family", "truth", "queries", "contacts", *checkers]) + " |\n|" + " --- |" * (4 + len(checkers)))
    for name in dict.fromkeys(line.family for line in lines):
        cells = {line.checker: line for line in lines if line.family == name}
        first = next(iter(cells.values()))
        queries = f"{first.queries:,}" + (f" ({first.near})" if first.near else "")
        words = [name, first.source, queries, f"{first.contacts:,}"]
        print("| " + " | ".join(words + [cells[checker].cell() if checker in cells else "-" for checker in checkers]) + " |")


def plot(lines, path):
    """Shares of the contacts that are missed, by family and checker."""
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt
    import numpy as np

    matplotlib.rcParams["svg.hashsalt"] = "clearsweep"
    names, checkers = (list(dict.fromkeys(getattr(line, key) for line in lines if line.contacts)) for key in ("family", "checker"))
    shares = np.full((len(names), len(checkers)), np.nan)
    for line in lines:
        if line.contacts:
            # Undecided contacts are not missed: nobody takes them for clear.
            shares[names.index(line.family), checkers.index(line.checker)] = line.missed / line.contacts
    figure, axes = plt.subplots(figsize=(1.5 + 0.62 * len(checkers), 1.2 + 0.36 * len(names)))
    axes.imshow(shares, cmap="Reds", vmin=0, vmax=1.3, aspect="auto")
    for (row, column), share in np.ndenumerate(shares):
        word = "" if np.isnan(share) else "0" if share == 0 else f"{100 * share:.2g} %" if share < 0.0995 else f"{100 * share:.0f} %"
        axes.text(column, row, word, ha="center", va="center", fontsize=7)
    axes.set_yticks(range(len(names)), names, fontsize=8)
    axes.set_xticks(range(len(checkers)), checkers, fontsize=8, rotation=40, ha="left")
    axes.xaxis.tick_top()
    axes.set_title("Contacts that are missed", fontsize=10)
    figure.savefig(path, metadata={"Date": None}, bbox_inches="tight")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("work", nargs="?", type=Path)
    parser.add_argument("--run", metavar="PROGRAM", default="target/release/clearsweep")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--ccd-queries", default=os.environ.get("CLEARSWEEP_CCD_QUERIES"))
    parser.add_argument("--motions")
    parser.add_argument("--mechanisms")
    parser.add_argument("--count", type=int, default=500, help="queries of a family that is made here; a tenth of it of arms")
    parser.add_argument("--intervals", type=int, default=20, help="intervals of a mechanism")
    parser.add_argument("--only", help="families whose name contains this")
    parser.add_argument("--plot", type=Path)
    args = parser.parse_args()
    work = (args.work or Path(tempfile.mkdtemp())).resolve()
    work.mkdir(parents=True, exist_ok=True)
    program = Path(args.run).resolve()
    if not program.is_file():
        sys.exit(f"{args.run}: there is no program\nhelp: `cargo build --release`, or name another one by --run PROGRAM")
    peers = None
    if not args.quick:
        try:
            import leaks_peers as peers
        except ImportError as missing:
            print(f"skipped: peers ({missing})", file=sys.stderr)
    lines = []
    for family in families(args, program, work, peers):
        if args.only and args.only not in family.name:
            continue
        begun = time.perf_counter()
        checkers = [("clearsweep", lambda: own(family, program, work))]
        for steps in (1, 10, 100):
            checkers.append((f"rows, {steps} step{'s' * (steps > 1)}", lambda steps=steps: own(family, program, work, steps)))
        checkers += peers.checkers(family) if peers else []
        for name, ask in checkers:
            answered = ask()
            if answered is None:
                print(f"not run: {name} on {family.name}", file=sys.stderr)
                continue
            lines.append(line_of(family, name, *answered))
            print(f"{family.name}: {name}: {lines[-1].cell()}", file=sys.stderr)
            (work / "leaks.json").write_text(json.dumps([asdict(line) for line in lines], indent=1))
        print(f"{family.name}: {time.perf_counter() - begun:.1f} s", file=sys.stderr)
    print_table(lines)
    if args.plot:
        plot(lines, args.plot)
    wrong = [line for line in lines if line.checker == "clearsweep" and line.missed + line.false]
    sys.exit(f"{len(wrong)} families with wrong verdicts" if wrong else 0)


if __name__ == "__main__":
    main()
