"""Cost of `answer = "overlap"` beside `"depth"` and coal.collide: python3 benches/overlap.py PROGRAM WORK [--poses N]

Two equal bodies at N random poses (64 by default, one frame each, so that little is to be remembered): apart by a share of their size, or
through each other by as much (below 0). Bodies:
  sphere, bumpy  closed meshes of 20,480 triangles: a sphere, and one with bumps of a tenth of its radius
  hull           the convex hull of 642 points of the sphere
A gap is set by coal's distance along the line between the middles; through each other, by moving the body back from where it touches.

Columns, microseconds a pose on one thread: processor time of the narrow phase of a job, least of three executions. Poses that the boxes of the
bodies rule out reach no narrow phase; coal's call has its own test of boxes. `boxes`: these rule out all poses. `contradicted`: poses of which coal and this program say otherwise.
Needs coal, numpy and pyarrow.
"""

import argparse
import sys
import time
from pathlib import Path

import coal
import conforming
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

GAPS = [1.0, 0.1, 0.01, -0.02, -0.2]


def sphere(divisions):
    """Vertices and triangles of an icosahedron whose faces are divided in four so many times, on a sphere of radius 0.5."""
    golden = (1 + 5**0.5) / 2
    corners = [(s * a, t * b, 0) for s in (1, -1) for t in (1, -1) for a, b in [(1, golden)]]
    vertices = [np.roll(corner, shift) for shift in range(3) for corner in corners]
    vertices = [v / np.linalg.norm(v) for v in vertices]
    edge = min(np.linalg.norm(vertices[0] - v) for v in vertices[1:]) * 1.01
    near = lambda i, j: np.linalg.norm(vertices[i] - vertices[j]) < edge
    faces = [(i, j, k) for i in range(12) for j in range(i) for k in range(j) if near(i, j) and near(j, k) and near(i, k)]
    outward = lambda i, j, k: np.dot(np.cross(vertices[j] - vertices[i], vertices[k] - vertices[i]), vertices[i]) > 0
    faces = [face if outward(*face) else (face[0], face[2], face[1]) for face in faces]
    for _ in range(divisions):
        halves, divided = {}, []
        for face in faces:
            middles = [half_way(vertices, halves, face[k], face[(k + 1) % 3]) for k in range(3)]
            divided += [(face[k], middles[k], middles[k - 1]) for k in range(3)] + [tuple(middles)]
        faces = divided
    return 0.5 * np.array(vertices), np.array(faces)


def half_way(vertices, known, i, j):
    """The vertex on the sphere over the middle of an edge."""
    key = (min(i, j), max(i, j))
    if key not in known:
        middle = vertices[i] + vertices[j]
        known[key] = len(vertices)
        vertices.append(middle / np.linalg.norm(middle))
    return known[key]


def bumpy():
    vertices, faces = sphere(5)
    x, y, z = 2 * vertices.T
    return vertices * (1 + 0.1 * np.sin(7 * x) * np.sin(6 * y + 1) * np.sin(8 * z + 2))[:, None], faces


def coal_model(mesh, is_hull):
    vertices, faces = mesh
    model = coal.BVHModelOBBRSS()
    model.beginModel(len(faces), len(vertices))
    model.addVertices(vertices)
    model.addTriangles(faces)
    model.endModel()
    if is_hull:
        model.buildConvexHull(True, "Qt")
        return model.convex
    return model


def poses_at(model, gap, count):
    """Poses of the second body, count x 7: the first is at the origin."""
    random = np.random.default_rng(7)
    found = np.empty((count, 7))
    for pose in found:
        direction, turn = (v / np.linalg.norm(v) for v in (random.normal(size=3), random.normal(size=4)))
        rotation, far = coal.Quaternion(*map(float, turn)), 3.0
        for _ in range(12):
            distance = coal.distance(
                model, coal.Transform3s.Identity(), model, coal.Transform3s(rotation, far * direction), coal.DistanceRequest(), coal.DistanceResult()
            )
            far -= max(distance, 0.0) - max(gap, 0.0)
        pose[:3], pose[3:] = (far + min(gap, 0.0)) * direction, turn
    return found


def ask_coal(model, poses):
    """Returns which poses overlap, and seconds a pose."""
    request, best = coal.CollisionRequest(), float("inf")
    places = [coal.Transform3s(coal.Quaternion(*map(float, pose[3:])), pose[:3]) for pose in poses]
    for _ in range(3):
        results = [coal.CollisionResult() for _ in places]
        begun = time.thread_time()
        overlaps = [coal.collide(model, coal.Transform3s.Identity(), model, at, request, result) > 0 for at, result in zip(places, results)]
        best = min(best, time.thread_time() - begun)
    return np.array(overlaps), best / len(places)


def write_scene(folder, mesh, poses, is_hull, answer):
    folder.mkdir(parents=True, exist_ok=True)
    vertices, faces = mesh
    lines = ["v %r %r %r" % tuple(map(float, v)) for v in vertices] + ["f %d %d %d" % tuple(t + 1) for t in faces]
    (folder / "mesh.obj").write_text("\n".join(lines) + "\n")
    columns = {"body": pa.array(["b"] * len(poses)).dictionary_encode(), "frame": np.arange(len(poses))}
    columns |= {key: poses[:, k] for k, key in enumerate(conforming.POSE)}
    pq.write_table(pa.table({"run": 0 * np.arange(len(poses)), **columns}), folder / "poses.parquet")
    text = '[scene]\nname = "overlap"\nlength_unit = "m"\ntrajectories = "poses.parquet"\n[query]\n'
    text += f'answer = "{answer}"\n' + ("within = 1e-6\n" if answer != "overlap" else "")
    model = "hull" if is_hull else "mesh"
    text += "".join(f'[[body]]\nname = "{name}"\ngeometry = "mesh.obj"\nmodel = "{model}"\n' for name in "ab")
    text = text.replace('name = "a"\n', 'name = "a"\nstatic = true\nposition = [0, 0, 0]\n')
    (folder / f"{answer}.toml").write_text(text)


def ours(program, folder, answer, count):
    """Returns which poses overlap, and seconds a pose."""
    best = float("inf")
    for _ in range(3):
        rows, _, narrow = conforming.execute(program, folder, answer)
        best = min(best, narrow)
    frames = rows.filter(pa.compute.equal(rows["status"], "penetrating"))["frame"].to_numpy()
    overlaps = np.zeros(count, bool)
    overlaps[frames] = True
    return overlaps, best / count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("work")
    parser.add_argument("--poses", type=int, default=64)
    options = parser.parse_args()
    columns = ["body", "gap", "coal.collide, us", "overlap, us", "coal to it", "depth, us", "depth to overlap", "contradicted"]
    print("| " + " | ".join(columns) + " |\n| --- |" + " --- |" * (len(columns) - 1), flush=True)
    for name, mesh in [("sphere", sphere(5)), ("bumpy", bumpy()), ("hull", sphere(3))]:
        model = coal_model(mesh, name == "hull")
        for gap in GAPS:
            poses = poses_at(model, gap, options.poses)
            folder = Path(options.work).resolve() / f"overlap-{name}-{gap}"
            for answer in ["overlap", "depth"]:
                write_scene(folder, mesh, poses, name == "hull", answer)
            expected, peer_s = ask_coal(model, poses)
            (overlaps, overlap_s), (_, depth_s) = (ours(options.program, folder, answer, len(poses)) for answer in ["overlap", "depth"])
            ratio = lambda of, to: f"{of / to:.1f}" if to > 0 else "boxes"
            words = [f"{1e6 * peer_s:.1f}", f"{1e6 * overlap_s:.1f}", ratio(peer_s, overlap_s)]
            words += [f"{1e6 * depth_s:.1f}", ratio(depth_s, overlap_s)]
            print("| " + " | ".join([name, f"{gap}", *words, str((overlaps != expected).sum())]) + " |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
