"""Cost of rows of surfaces that conform, and of bodies that lie through each other, beside coal.

    python3 benches/conforming.py PROGRAM WORK [--frames N] [--most N] [sheets|sheets-frames|bin ...]

Parts (all by default). Their inputs are made here, the same every time, and written to WORK:
  sheets         ten sheets of 7,200 triangles, one frame. A sheet is an open height field of 60 x 60 cells on a side of 1 m with waves of 5 mm, and
                 has `inside = "surface"`. The sheets stand 1 mm above each other. Cut-off 10 mm: all 45 pairs have a row
  sheets-frames  the same over 256 frames: each sheet slides by 2 mm along x, every second one in the other direction
  bin            300 angle brackets at random poses in a cube of 0.3 m, 32 frames: each moves by 0.5 mm and turns by 0.5 degrees a frame. A bracket is
                 a closed solid of 20 triangles, with legs of 50 mm, 5 mm thick and 30 mm wide. Cut-off 10 mm

`cold`: each frame is a run of its own, so that no pair remembers an earlier frame. `coherent`: all frames are one run.
Columns of clearsweep (one thread, one execution):
  processor s  processor time of the whole job: geometry, reading, broad phase, proven rows (with depths of overlaps) and Parquet
  us a row     the same for each row
  narrow us    the share of the narrow phase in it, by `timings` of the manifest, for each row
Columns of coal (BVHModelOBBRSS, processor time of the calls alone, evenly chosen rows: 450 of the sheets, 20,000 of the bin, or --most N):
  distance us, collide us  a call of coal.distance and of coal.collide for the pair and the poses of a row. coal finds no depth of an overlap
  ratio                    narrow us to distance us
  bracket broken by        the most by which coal's distance leaves the bracket of a separated row, metres. coal is accurate to about 1e-6 m
  other overlap            rows in which coal.collide contradicts the status
An execution is killed after 200 s; --frames N shortens it to the first N frames. Needs coal, numpy and pyarrow.
"""

import argparse
import json
import math
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

import coal
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

LIMIT_S = 200
COLUMNS = ["rows", "overlapping", "processor s", "us a row", "narrow us", "coal rows", "distance us", "collide us", "ratio"]
COLUMNS += ["bracket broken by, m", "other overlap"]
POSE = ["x", "y", "z", "qw", "qx", "qy", "qz"]
WITHIN_M = 0.01


def sheet():
    """Vertices and triangles of an open height field, 1 m by 1 m, with three waves to the metre."""
    cells, amplitude, wave = 60, 0.005, 6 * math.pi
    side = np.arange(cells + 1) / cells - 0.5
    x, y = np.meshgrid(side, side, indexing="ij")
    vertices = np.stack([x, y, amplitude * np.sin(wave * x) * np.sin(wave * y)], -1).reshape(-1, 3)
    corner = (np.arange(cells)[:, None] * (cells + 1) + np.arange(cells)).ravel()
    right, up, across = corner + cells + 1, corner + 1, corner + cells + 2
    return vertices, np.concatenate([np.stack([corner, right, across], -1), np.stack([corner, across, up], -1)])


def bracket():
    """Vertices and triangles of a closed L profile about the middle of its box."""
    leg, thick, width = 0.05, 0.005, 0.03
    outline = np.array([[0, 0], [leg, 0], [leg, thick], [thick, thick], [thick, leg], [0, leg]]) - leg / 2
    vertices = np.array([[*point, z] for z in (-width / 2, width / 2) for point in outline])
    cap = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]
    triangles = [(a, c, b) for a, b, c in cap] + [(a + 6, b + 6, c + 6) for a, b, c in cap]
    for i in range(6):
        j = (i + 1) % 6
        triangles += [(i, j, j + 6), (i, j + 6, i + 6)]
    return vertices, np.array(triangles)


def sheet_poses(frames):
    """Poses of ten sheets, frames x bodies x 7."""
    poses = np.zeros((frames, 10, 7))
    poses[:, :, 2] = 0.001 * np.arange(10)
    poses[:, :, 3] = 1.0
    share = np.arange(frames) / max(frames - 1, 1)
    poses[:, :, 0] = 0.002 * share[:, None] * np.where(np.arange(10) % 2 == 0, 1.0, -1.0)
    return poses


def bin_poses(frames):
    """Poses of 300 brackets, frames x bodies x 7."""
    random = np.random.default_rng(20)
    start, turn = random.uniform(-0.15, 0.15, (300, 3)), unit(random.normal(size=(300, 4)))
    drift, axis = unit(random.normal(size=(300, 3))), unit(random.normal(size=(300, 3)))
    poses = np.empty((frames, 300, 7))
    for frame in range(frames):
        half = math.radians(0.5) * frame / 2
        poses[frame, :, :3] = start + 0.0005 * frame * drift
        poses[frame, :, 3:] = product(np.concatenate([np.full((300, 1), math.cos(half)), math.sin(half) * axis], 1), turn)
    return poses


def unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def product(p, q):
    """Products of quaternions, w first."""
    w = p[:, 0] * q[:, 0] - np.sum(p[:, 1:] * q[:, 1:], 1)
    return np.concatenate([w[:, None], p[:, :1] * q[:, 1:] + q[:, :1] * p[:, 1:] + np.cross(p[:, 1:], q[:, 1:])], 1)


def write_scene(folder, mesh, poses, is_sheet):
    """Writes the mesh, the scenes `cold.toml` and `coherent.toml`, and their trajectories."""
    folder.mkdir(parents=True, exist_ok=True)
    vertices, triangles = mesh
    lines = ["v %r %r %r" % tuple(map(float, v)) for v in vertices] + ["f %d %d %d" % tuple(t + 1) for t in triangles]
    (folder / "mesh.obj").write_text("\n".join(lines) + "\n")
    frames, bodies = poses.shape[:2]
    number = np.repeat(np.arange(frames), bodies)
    columns = {"body": pa.array([str(b) for b in range(bodies)] * frames).dictionary_encode()}
    columns |= {key: poses[:, :, k].ravel() for k, key in enumerate(POSE)}
    for name, run, frame in [("cold", number, 0 * number), ("coherent", 0 * number, number)]:
        pq.write_table(pa.table({"run": run, "frame": frame, **columns}), folder / f"{name}.parquet")
        text = f'[scene]\nname = "{name}"\nlength_unit = "m"\ntrajectories = "{name}.parquet"\n[query]\nwithin = {WITHIN_M}\n'
        for body in range(bodies):
            text += f'[[body]]\nname = "{body}"\ngeometry = "mesh.obj"\nmodel = "mesh"\n' + 'inside = "surface"\n' * is_sheet
        (folder / f"{name}.toml").write_text(text)


def processor_s():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def execute(program, folder, name):
    """Returns the rows, processor seconds and the narrow phase's part of them; None after the limit."""
    out = folder / name
    shutil.rmtree(out, ignore_errors=True)
    command = [program, "run", folder / f"{name}.toml", "--out", out, "--force", "--threads", "1", "--progress", "none"]
    before, begun = processor_s(), time.perf_counter()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode not in (0, 3, 4):
        sys.exit(done.stderr)
    spent, wall = processor_s() - before, time.perf_counter() - begun
    timings = json.loads((out / "manifest.json").read_text())["timings"]
    rows = pq.read_table(out / "distances", columns=["run", "frame", "a_index", "b_index", "lower_m", "upper_m", "status"])
    return rows, spent, spent * timings["narrow_busy_s"] / wall


def ask_coal(mesh, poses, rows):
    """Returns distances, overlaps, and processor seconds of both calls."""
    model = coal.BVHModelOBBRSS()
    vertices, triangles = mesh
    model.beginModel(len(triangles), len(vertices))
    model.addVertices(vertices)
    model.addTriangles(triangles)
    model.endModel()
    at = lambda pose: coal.Transform3s(coal.Quaternion(*map(float, pose[3:])).normalized(), pose[:3])
    queries = [(model, at(poses[frame, a]), model, at(poses[frame, b])) for frame, a, b in rows]
    request, results = coal.DistanceRequest(), [coal.DistanceResult() for _ in queries]
    begun = time.thread_time()
    distances = [coal.distance(*query, request, result) for query, result in zip(queries, results)]
    between = time.thread_time()
    request, results = coal.CollisionRequest(), [coal.CollisionResult() for _ in queries]
    ready = time.thread_time()
    overlaps = [coal.collide(*query, request, result) > 0 for query, result in zip(queries, results)]
    return np.array(distances), np.array(overlaps), between - begun, time.thread_time() - ready


def compare(rows, mesh, poses, most):
    """Asks coal for evenly chosen rows. Returns their number, seconds a distance and a collision, the worst violation, contradictions."""
    chosen = np.unique(np.linspace(0, rows.num_rows - 1, min(most, rows.num_rows)).astype(int))
    rows = rows.take(chosen)
    column = lambda name: rows[name].to_numpy()
    keys = list(zip(column("run") + column("frame"), column("a_index"), column("b_index")))
    distances, overlaps, distance_s, collide_s = ask_coal(mesh, poses, keys)
    status = np.array(rows["status"].to_pylist())
    apart = (status == "separated") & ~overlaps
    broken = np.maximum(column("lower_m") - distances, distances - column("upper_m"))[apart]
    other = np.sum(overlaps & (status == "separated")) + np.sum(~overlaps & (status == "penetrating"))
    return len(chosen), distance_s / len(chosen), collide_s / len(chosen), max(broken.max(initial=0.0), 0.0), other


def differing(one, other):
    """Counts the rows that differ between two executions, whose runs and frames are numbered differently."""
    if one.num_rows != other.num_rows:
        return f"{one.num_rows} and {other.num_rows} rows"
    is_other = np.zeros(one.num_rows, bool)
    for name in ["a_index", "b_index", "lower_m", "upper_m"]:
        is_other |= one[name].to_numpy() != other[name].to_numpy()
    return int(is_other.sum())


def measure(options, part, mesh, poses, is_sheet):
    folder = Path(options.work).resolve() / part
    write_scene(folder, mesh, poses, is_sheet)
    found, against = {}, None
    for name in ["cold", "coherent"][: 1 if len(poses) == 1 else 2]:
        title = f"{part}, {len(poses)} frame{'s' * (len(poses) > 1)}, {name}"
        result = execute(options.program, folder, name)
        if result is None:
            print(f"| {title} | over {LIMIT_S} s |" + " |" * (len(COLUMNS) - 1), flush=True)
            continue
        rows, spent, narrow = result
        against = against or compare(rows, mesh, poses, options.most or (450 if is_sheet else 20000))
        number, distance_s, collide_s, broken, other = against
        overlapping = rows["status"].to_pylist().count("penetrating")
        found[name] = rows
        words = [f"{rows.num_rows}", f"{overlapping}", f"{spent:.2f}", f"{1e6 * spent / rows.num_rows:.1f}", f"{1e6 * narrow / rows.num_rows:.1f}"]
        words += [f"{number}", f"{1e6 * distance_s:.1f}", f"{1e6 * collide_s:.1f}", f"{narrow / rows.num_rows / distance_s:.2f}"]
        print(f"| {title} | " + " | ".join([*words, f"{broken:.1e}", f"{other}"]) + " |", flush=True)
    return f"{part}: {differing(found['cold'], found['coherent'])} rows differ between cold and coherent" if len(found) == 2 else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("work")
    parser.add_argument("--frames", type=int, default=256)
    parser.add_argument("--most", type=int)
    parser.add_argument("parts", nargs="*")
    options = parser.parse_intermixed_args()
    known = {
        "sheets": lambda: (sheet(), sheet_poses(1), True),
        "sheets-frames": lambda: (sheet(), sheet_poses(256)[: options.frames], True),
        "bin": lambda: (bracket(), bin_poses(min(32, options.frames)), False),
    }
    unknown = [part for part in options.parts if part not in known]
    if unknown:
        sys.exit(f"no part `{unknown[0]}`; parts: {', '.join(known)}")
    print("| case | " + " | ".join(COLUMNS) + " |\n| --- |" + " --- |" * len(COLUMNS), flush=True)
    notes = [measure(options, part, *known[part]()) for part in options.parts or known]
    print("\n".join(["", *filter(None, notes)]))


if __name__ == "__main__":
    main()
