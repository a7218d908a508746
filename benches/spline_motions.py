"""Splines of an arm's joints, proven as they are and as tables of values on lines.

    python benches/spline_motions.py [--program PATH] [--runs N] [--error RADIANS]

An arm of six links moves among posts along random cubic splines, 12 pieces of 0.5 s a run. The same motion is written as pieces, with frames at
their ends, and as a table of values whose lines are off by at most --error radians of each joint (1e-5). Printed are the seconds of both jobs, of three
the least, their frames, intervals, and how many pairs of a run each proves clear or in contact. Verdicts differ only if the lines are off by as much as it takes:
every contact of the table that is deeper than that is one along the spline. It needs numpy and a release build of the program.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import pathlib
import subprocess
import tempfile
import time

import numpy as np

JOINTS, PIECES, STEP = 6, 12, 0.5

HEAD = """[scene]
length_unit = "m"
joints = "{joints}"
[query]
within = "0.05m"
[motion]
between = "{between}"
"""


def scene() -> str:
    """Six links of 0.3 m, each turning about another axis, and twelve posts about them."""
    text = ""
    for joint in range(JOINTS):
        text += f'[[body]]\nname = "link-{joint}"\nshape = {{ box = [0.3, 0.08, 0.06] }}\nposition = [{0.15 + 0.3 * joint}, 0, 0]\n'
        parent = f'parent = "link-{joint - 1}"\norigin = [0.15, 0, 0]\n' if joint else "origin = [0, 0, 0]\n"
        axis = [[0, 0, 1], [0, 1, 0], [1, 0, 0]][joint % 3]
        text += f'[[joint]]\nname = "j{joint}"\ntype = "revolute"\nchild = "link-{joint}"\n{parent}axis = {axis}\n'
    for post in range(12):
        angle, away = 2 * math.pi * post / 12, 0.7 + 0.1 * (post % 5)
        at = [round(away * math.cos(angle), 4), round(away * math.sin(angle), 4), 0]
        text += f'[[body]]\nname = "post-{post}"\nstatic = true\nshape = {{ box = [0.06, 0.06, 2] }}\nposition = {at}\n'
    for joint in range(JOINTS - 1):
        text += f'[[ignore]]\na = "link-{joint}"\nb = "link-{joint + 1}"\nreason = "a joint joins them"\n'
    return text


def splines(runs: int) -> np.ndarray:
    """Coefficients (run, joint, piece, power) of natural cubic splines through random values."""
    random = np.random.default_rng(3)
    values = random.uniform(-0.9, 0.9, (runs, JOINTS, PIECES + 1))
    matrix = np.eye(PIECES + 1)
    right = np.zeros_like(values)
    for k in range(1, PIECES):
        matrix[k, k - 1 : k + 2] = [1, 4, 1]
        right[..., k] = 6 * (values[..., k - 1] - 2 * values[..., k] + values[..., k + 1]) / STEP**2
    bends = np.linalg.solve(matrix, right[..., None])[..., 0]
    low, high = bends[..., :-1], bends[..., 1:]
    slope = (values[..., 1:] - values[..., :-1]) / STEP - STEP * (2 * low + high) / 6
    return np.stack([values[..., :-1], slope, low / 2, (high - low) / (6 * STEP)], -1)


def write(folder: pathlib.Path, terms: np.ndarray, error: float) -> None:
    """Both scenes with their tables."""
    (folder / "spline.toml").write_text(HEAD.format(joints="pieces.csv", between="spline") + scene())
    (folder / "joint.toml").write_text(HEAD.format(joints="values.csv", between="joint") + scene())
    with open(folder / "pieces.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["run", "piece", "joint", "t0_s", "t1_s", "c0", "c1", "c2", "c3"])
        for run, joint, piece in np.ndindex(terms.shape[:3]):
            rows.writerow([run, piece, f"j{joint}", STEP * piece, STEP * (piece + 1), *map(repr, terms[run, joint, piece].tolist())])
    # A chord of a curve is off by its second derivative times an eighth of the square of the step.
    bend = np.abs(2 * terms[..., 2:3] + 6 * terms[..., 3:4] * np.array([0, STEP])).max()
    steps = math.ceil(STEP / math.sqrt(8 * error / bend))
    since = STEP * np.arange(steps) / steps
    with open(folder / "values.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["run", "frame", "time_s", *(f"j{joint}" for joint in range(JOINTS))])
        for run in range(terms.shape[0]):
            powers = since[:, None] ** np.arange(4)
            values = np.einsum("jpk,sk->jps", terms[run], powers).reshape(JOINTS, -1)
            last = terms[run, :, -1] @ (STEP ** np.arange(4))
            values = np.concatenate([values, last[:, None]], 1)
            for frame, row in enumerate(values.T.tolist()):
                rows.writerow([run, frame, repr(STEP * frame / steps), *map(repr, row)])


def job(program: str, folder: pathlib.Path, name: str) -> tuple[float, dict]:
    """The least seconds of three, and the summary."""
    seconds = []
    for _ in range(3):
        begun = time.perf_counter()
        args = [program, "run", f"{name}.toml", "--out", name, "--force", "--progress", "none"]
        done = subprocess.run(args, cwd=folder, capture_output=True, text=True)
        seconds.append(time.perf_counter() - begun)
        assert done.returncode in (0, 3, 4), done.stderr
    return min(seconds), json.loads((folder / name / "manifest.json").read_text())["summary"]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--program", default="target/release/clearsweep")
    options.add_argument("--runs", type=int, default=20)
    options.add_argument("--error", type=float, default=1e-5)
    chosen = options.parse_args()
    program = str(pathlib.Path(chosen.program).resolve())
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        write(folder, splines(chosen.runs), chosen.error)
        for name in ("joint", "spline"):
            seconds, summary = job(program, folder, name)
            intervals = summary["intervals"]
            print(f"{name:7} {seconds:8.3f} s, {summary['frames']} frames, {intervals['rows']} intervals {intervals['by_status']}, least {intervals['least']}")


if __name__ == "__main__":
    main()
