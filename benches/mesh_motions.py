"""Motions of pairs of meshes for benches/mesh_narrow.sh: mesh_motions.py PEERS PX_WORK.

From the first 25 queries of each case of N3, twenty samples each, a step of 1 % of the size a sample and a turn of 0.01 rad:

- n3s_CASE: B slides past A. Each step is perpendicular to the line of nearest points, and then B is moved along that line until the gap is
  what it was, to a quarter of it, so that the bodies stay apart. The distances are coal's.
- n3c_CASE: B keeps a random direction. At small gaps about half of the pairs run into each other.
"""

import os
import subprocess
import sys

peers, work = map(os.path.abspath, sys.argv[1:])
sys.path.insert(0, os.path.join(peers, "gen"))
import numpy as np  # noqa: E402
import pxio  # noqa: E402

PAIRS, SAMPLES, STEP, TURN = 25, 20, 0.02, 0.01
CASES = [(name, gap) for name in ["ico", "bumpy"] for gap in ["0.01", "0.1", "1"]]
PASSES = 12


def unit(v):
    return v / np.linalg.norm(v, axis=-1, keepdims=True)


def turned(q, axis, angle):
    """Quaternions turned about a unit axis in the world."""
    w, v = np.cos(angle / 2), axis * np.sin(angle / 2)
    a, u = q[:, :1], q[:, 1:]
    return np.hstack([w * a - np.sum(v * u, 1, keepdims=True), w * u + a * v + np.cross(v, u)])


def distances(queries):
    """Distances, and unit vectors from A to B along the lines of nearest points, of the queries of all cases."""
    names = [f"n3t_{name}_{gap}" for name, gap in CASES]
    for name, rows in zip(names, queries):
        pxio.write_queries(f"{work}/in/{name}.pxq", rows)
    command = [os.path.join(peers, "peers"), "run", "coal", "default", *(f"n3:{name}" for name in names)]
    environment = {**os.environ, "PX_WORK": work, "PX_REPS": "1"}
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    found = [pxio.read_out(f"{work}/out/coal@default@{name}.bin") for name in names]
    for name in names:
        os.remove(f"{work}/in/{name}.pxq")
        os.remove(f"{work}/out/coal@default@{name}.bin")
    between = [rows[:, 4:7] - rows[:, 1:4] for rows in found]
    return [rows[:, 0] for rows in found], [d / np.maximum(np.linalg.norm(d, axis=1, keepdims=True), 1e-300) for d in between]


def sliding(first, draw):
    """The samples of all cases: by case, sample and pair."""
    now = [rows.copy() for rows in first]
    heading = [draw.normal(size=(PAIRS, 3)) for _ in CASES]
    axis = [unit(draw.normal(size=(PAIRS, 3))) for _ in CASES]
    samples = [[rows.copy()] for rows in now]
    _, normal = distances(now)
    for _ in range(SAMPLES - 1):
        for rows, h, n, spin in zip(now, heading, normal, axis):
            h[:] = unit(h - n * np.sum(h * n, 1, keepdims=True))
            rows["pb"][:, :3] += STEP * h
            rows["pb"][:, 3:] = turned(rows["pb"][:, 3:], spin, TURN)
        for _ in range(PASSES):
            apart, fresh = distances(now)
            done = True
            for (_, gap), rows, d, n, f in zip(CASES, now, apart, normal, fresh):
                off = d - float(gap)
                inside = d <= 0
                n[~inside] = f[~inside]
                moved = np.where(inside, STEP, -off) * (inside | (np.abs(off) > 0.25 * float(gap)))
                rows["pb"][:, :3] += moved[:, None] * n
                done = done and not moved.any()
            if done:
                break
        apart, _ = distances(now)
        assert all((d > 0).all() for d in apart), "a pair was not moved apart"
        for kept, rows in zip(samples, now):
            kept.append(rows.copy())
    return samples


def straight(first, draw):
    """The samples of one case: by sample and pair."""
    heading, axis = (unit(draw.normal(size=(PAIRS, 3))) for _ in range(2))
    samples = []
    for k in range(SAMPLES):
        rows = first.copy()
        rows["pb"][:, :3] += k * STEP * heading
        rows["pb"][:, 3:] = turned(rows["pb"][:, 3:], axis, k * TURN)
        samples.append(rows)
    return samples


def write(case, samples):
    """Pair after pair, each a sequence."""
    rows = np.stack(samples, axis=1).ravel()
    rows["seq"] = np.repeat(np.arange(PAIRS), SAMPLES)
    pxio.write_queries(f"{work}/in/{case}.pxq", rows)


draw = np.random.default_rng(5)
first = [pxio.read_queries(f"{work}/in/n3_{name}_{gap}.pxq")[:PAIRS] for name, gap in CASES]
for (name, gap), rows, slide in zip(CASES, first, sliding(first, draw)):
    write(f"n3s_{name}_{gap}", slide)
    write(f"n3c_{name}_{gap}", straight(rows, draw))
