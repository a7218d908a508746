"""Measures the cost of a report: python3 benches/report.py PROGRAM WORK

Writes a scene of 5,000 bodies of 40 shapes (turned prisms and tubes of up to 1,500 triangles) in which 1,000 pairs of neighbours come nearer than
required, each pair an issue of its own, moves half of them over 60 frames, runs it, and makes a page with 200 and with 1,000 issues in full. Prints
seconds (the least of five) and bytes, for comparison those of the run. Needs PROGRAM and Python's own library.
"""

import csv
import json
import math
import random
import subprocess
import sys
import time
from pathlib import Path

SHAPES, PAIRS, BODIES, FRAMES = 40, 1000, 5000, 60


def tube(sides, radius, hole, length):
    """An OBJ of a tube, or of a prism where the hole is none."""
    lines, faces = [], []
    for r, z in [(radius, 0), (radius, length)] + ([(hole, 0), (hole, length)] if hole else []):
        angles = [2 * math.pi * k / sides for k in range(sides)]
        lines += [f"v {r * math.cos(angle)} {r * math.sin(angle)} {z}" for angle in angles]

    def at(ring, k):
        return ring * sides + k % sides + 1

    for k in range(sides):
        faces.append((at(0, k), at(0, k + 1), at(1, k + 1), at(1, k)))
        if hole:
            faces.append((at(2, k), at(3, k), at(3, k + 1), at(2, k + 1)))
            faces.append((at(0, k), at(2, k), at(2, k + 1), at(0, k + 1)))
            faces.append((at(1, k), at(1, k + 1), at(3, k + 1), at(3, k)))
    if not hole:
        faces += [tuple(at(0, k) for k in reversed(range(sides))), tuple(at(1, k) for k in range(sides))]
    return "\n".join(lines + ["f " + " ".join(map(str, face)) for face in faces]) + "\n"


def write(work):
    draw = random.Random(1)
    sizes = []
    for shape in range(SHAPES):
        sides, radius = draw.randrange(6, 180), draw.uniform(0.05, 0.2)
        sizes.append(radius)
        (work / f"shape-{shape}.obj").write_text(tube(sides, radius, radius * 0.6 if shape % 2 else 0, draw.uniform(0.3, 2)))
    moving, tables = [], []
    for body in range(BODIES):
        cell, second = divmod(body, 2)
        x, y = 3.0 * (cell % 50), 3.0 * (cell // 50)
        shape = draw.randrange(SHAPES)
        if second:
            gap = 0.02 if cell < PAIRS else 0.5
            x += sizes[shape] + sizes[tables[-1][1]] + gap
        tables.append((f"part-{body:05}", shape, x, y))
        if second and cell % 2:
            moving.append(body)
    is_moving = set(moving)
    with open(work / "bodies.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["body", "geometry", "static", "x", "y", "z"])
        for body, (name, shape, x, y) in enumerate(tables):
            rows.writerow([name, f"shape-{shape}.obj"] + (["false", "", "", ""] if body in is_moving else ["true", x, y, 0]))
    with open(work / "poses.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["frame", "body", "x", "y", "z", "qw", "qx", "qy", "qz"])
        for frame in range(FRAMES):
            for body in moving:
                name, _, x, y = tables[body]
                rows.writerow([frame, name, x + 0.01 * math.sin(frame / 9), y, 0.002 * frame, 1, 0, 0, 0])
    (work / "scene.toml").write_text(
        '[scene]\nlength_unit = "m"\ntrajectories = "poses.csv"\nframe_rate = 10.0\n[query]\nwithin = 0.2\nrequire = 0.05\nstatic_pairs = true\n'
        '[[bodies]]\ntable = "bodies.csv"\n[report]\ngroup = "pair"\n'
    )


def timed(words, rounds, codes):
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        code = subprocess.run(words, stdout=subprocess.DEVNULL).returncode
        times.append(time.perf_counter() - begin)
        assert code in codes, (words, code)
    return min(times)


def main():
    program, work = sys.argv[1], Path(sys.argv[2])
    work.mkdir(parents=True, exist_ok=True)
    write(work)
    out = work / "out"
    run = timed([program, "run", str(work / "scene.toml"), "--out", str(out), "--force", "--progress", "none"], 1, [3])
    summary = json.loads((out / "manifest.json").read_text())["summary"]
    print(f"run: {run:.2f} s, {summary['bodies']} bodies, {sum(summary['issues'].values())} issues")
    for most in [200, 1000]:
        page = work / f"report-{most}.html"
        took = timed([program, "report", str(out), "--html", str(page), "--max-issues", str(most), "--force"], 5, [0])
        print(f"report --html --max-issues {most}: {took:.2f} s, {page.stat().st_size / 1e6:.2f} MB")


main()
