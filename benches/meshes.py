#!/usr/bin/env python3
"""Bodies of exact triangles on real models and on surfaces that slide past each other.

    benches/meshes.py WORK [duplex|carried|robots|slide|load ...]

Parts (all by default):
  duplex   MEP against architecture of a two-flat house, at rest, as exact triangles and as hulls: clashes, and those that hulls invent
  carried  a body carried through the rooms of the house for 1,000 frames
  robots   the links of the Panda arm and of the Laikago robot in motion, each against all others but its neighbours
  slide    500 frames of two bodies of 20,480 triangles whose surfaces slide past each other at 1e-3 of their size
  load     a mesh of a million triangles, as STL, OBJ, PLY and GLB, with one and two threads. CLEARSWEEP_BEFORE names a program to take turns with

Real models lie in ../shared/data; parts that need them say so and are skipped where it is missing. Needs numpy and pyarrow. CLEARSWEEP names
another program than target/release/clearsweep.
"""

import glob
import json
import math
import os
import resource
import struct
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DATA = os.path.join(os.path.dirname(ROOT), "shared", "data")
PROGRAM = os.environ.get("CLEARSWEEP", os.path.join(ROOT, "target", "release", "clearsweep"))
KEYS = ["x", "y", "z", "qw", "qx", "qy", "qz"]


def data(*path):
    """A path of the real models, or None with a word."""
    path = os.path.join(DATA, *path)
    if os.path.exists(path):
        return path
    print(f"skipped: {path} is missing")
    return None


def run(folder, scene, out, *options):
    """One execution: its distances, penetrations, manifest, wall and processor seconds."""
    out = os.path.join(folder, out)
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = [PROGRAM, "run", os.path.join(folder, scene), "--out", out, "--force", "--progress", "none", *options]
    done = subprocess.run(command, capture_output=True, text=True)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 3):
        sys.exit(done.stderr)
    table = lambda name: pa.concat_tables(pq.read_table(f) for f in sorted(glob.glob(f"{out}/{name}/*.parquet")))
    with open(os.path.join(out, "manifest.json"), encoding="utf-8") as file:
        manifest = json.load(file)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return table("distances"), table("penetrations"), manifest, wall, cpu


def report(name, result, frames=1):
    """Prints what an execution found."""
    distances, penetrations, manifest, wall, cpu = result
    status = Counter(distances["status"].to_pylist())
    rows = ", ".join(f"{n:,} {word}" for word, n in sorted(status.items()))
    memory = manifest.get("memory", {}).get("peak_bytes") or manifest.get("peak_memory_bytes")
    peak = f"; {memory / 2**20:.0f} MiB" if memory else ""
    print(f"{name}: {rows}; {wall:.2f} s wall, {cpu:.2f} s of processor, {cpu / frames * 1e3:.2f} ms a frame{peak}")
    upper, lower = penetrations["depth_upper_m"].to_numpy(), penetrations["depth_lower_m"].to_numpy()
    if len(upper):
        open_by = (upper - lower) / upper
        print(f"  brackets of depths: median {np.median(open_by):.1e} of the depth, 90 % below {np.quantile(open_by, 0.9):.2g}; "
              f"no protrusion in {penetrations['protrusion_m'].null_count} of {len(upper)}")


def scene_text(name, within, bodies, ignored=(), trajectories=None):
    """A scene file; bodies are (name, file, model, static, group)."""
    lines = ["[scene]", f'name = "{name}"', 'length_unit = "m"']
    if trajectories:
        lines.append(f'trajectories = "{trajectories}"')
    lines += ["[query]", f"within = {within}", "static_pairs = true" if not trajectories else ""]
    for body, file, model, static, group in bodies:
        lines += ["[[body]]", f'name = "{body}"', f'geometry = "{file}"', f'model = "{model}"', f'group = "{group}"']
        lines += ["static = true"] if static else []
    for a, b in ignored:
        lines += ["[[ignore]]", f'a = "{a}"', f'b = "{b}"']
    return "\n".join(lines) + "\n"


def write(folder, name, text):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)


def write_poses(folder, name, rows):
    """Rows of (frame, body, seven numbers of a pose)."""
    frames, bodies = pa.array([r[0] for r in rows], pa.int64()), pa.array([r[1] for r in rows]).dictionary_encode()
    poses = np.array([r[2] for r in rows], dtype=float)
    columns = {"frame": frames, "body": bodies, **{key: poses[:, k] for k, key in enumerate(KEYS)}}
    pq.write_table(pa.table(columns), os.path.join(folder, name))


def house(model):
    """The bodies of the house, and the pairs that are left out."""
    bodies = []
    for group in ["mep", "architecture"]:
        for file in sorted(glob.glob(os.path.join(DATA, "duplex", f"{group}_parts", "*.obj"))):
            bodies.append((f"{group}/{os.path.basename(file)[:-4]}", file, model, True, group))
    return bodies, [(f"group:{group}", f"group:{group}") for group in ["mep", "architecture"]]


def duplex(folder):
    if not data("duplex"):
        return
    found = {}
    for model in ["mesh", "hull"]:
        write(folder, f"{model}.toml", scene_text("duplex", 0.05, *house(model)))
        result = run(folder, f"{model}.toml", f"duplex-{model}")
        report(f"duplex at rest, {model}", result)
        rows = result[0].select(["body_a", "body_b", "status", "lower_m", "upper_m"]).to_pylist()
        found[model] = {(row["body_a"], row["body_b"]): row for row in rows}
    clash = lambda model: {pair for pair, row in found[model].items() if row["status"] == "penetrating"}
    invented = clash("hull") - clash("mesh")
    nearer = [p for p, row in found["mesh"].items() if p in found["hull"] and row["upper_m"] < found["hull"][p]["lower_m"]]
    print(f"  {len(clash('mesh'))} clashes of triangles, {len(clash('hull'))} of hulls: {len(invented)} are invented by hulls, "
          f"{len(clash('mesh') - clash('hull'))} are missed; nearer than their hulls: {len(nearer)} (none can be)")


def carried(folder):
    if not data("duplex"):
        return
    bodies, ignored = house("mesh")
    name, file, model, _, _ = bodies[0]  # a radiator, 1.9 m long
    vertices = np.array([line.split()[1:4] for line in open(file, encoding="utf-8") if line.startswith("v ")], dtype=float)
    middle = (vertices.min(0) + vertices.max(0)) / 2
    others = [b for b in bodies if b[4] == "architecture"]
    ignored = [pair for pair in ignored if "architecture" in pair[0]]
    write(folder, "carried.toml", scene_text("carried", 0.5, [(name, file, model, False, "carried"), *others], ignored, "carried.parquet"))
    rows = []
    for frame in range(1000):
        s = frame / 1000
        # Through both flats and up, turning: the middle of the body goes there.
        at = np.array([4.4 - 4.0 * math.cos(3 * math.pi * s), -17.0 + 16.0 * s, 0.9 + 2.6 * s])
        half = 4 * math.pi * s / 2
        turn = np.array([[math.cos(2 * half), -math.sin(2 * half), 0], [math.sin(2 * half), math.cos(2 * half), 0], [0, 0, 1]])
        rows.append((frame, name, [*(at - turn @ middle), math.cos(half), 0.0, 0.0, math.sin(half)]))
    write_poses(folder, "carried.parquet", rows)
    report("carried through the rooms, 1,000 frames", run(folder, "carried.toml", "carried"), 1000)


def quaternion(r):
    """The quaternion (w, x, y, z) of a rotation matrix."""
    w = math.sqrt(max(0.0, 1 + r[0, 0] + r[1, 1] + r[2, 2])) / 2
    if w > 1e-3:
        return [w, (r[2, 1] - r[1, 2]) / (4 * w), (r[0, 2] - r[2, 0]) / (4 * w), (r[1, 0] - r[0, 1]) / (4 * w)]
    vector = np.linalg.svd(r - np.eye(3))[2][-1]
    return [0.0, *vector]


def transform(xyz, rpy=(0, 0, 0)):
    t = np.eye(4)
    t[:3, :3] = turn([0, 0, 1], rpy[2]) @ turn([0, 1, 0], rpy[1]) @ turn([1, 0, 0], rpy[0])
    t[:3, 3] = xyz
    return t


def turn(axis, angle):
    x, y, z = np.array(axis) / np.linalg.norm(axis)
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * k + (1 - math.cos(angle)) * (k @ k)


class Robot:
    """The joints and the meshes of a URDF."""

    def __init__(self, urdf, mesh_of):
        tree = ET.parse(urdf).getroot()
        numbers = lambda element, key: [float(x) for x in element.get(key, "0 0 0").split()]
        self.joints = []
        for joint in tree.findall("joint"):
            origin, axis = joint.find("origin"), joint.find("axis")
            place = transform(numbers(origin, "xyz"), numbers(origin, "rpy")) if origin is not None else np.eye(4)
            ends = joint.find("parent").get("link"), joint.find("child").get("link")
            self.joints.append((joint.get("type"), ends, place, numbers(axis, "xyz") if axis is not None else [0, 0, 1]))
        self.meshes = {}
        for link in tree.findall("link"):
            for kind in ["collision", "visual"]:
                mesh = link.find(f"{kind}/geometry/mesh")
                file = mesh_of(mesh.get("filename")) if mesh is not None else None
                if file and os.path.exists(file):
                    origin = link.find(f"{kind}/origin")
                    place = transform(numbers(origin, "xyz"), numbers(origin, "rpy")) if origin is not None else np.eye(4)
                    self.meshes[link.get("name")] = (file, place)
                    break

    def poses(self, root, angles):
        """The poses of all links with meshes. `root`: pose of the first link; `angles`: a value for each joint that moves."""
        children = {ends[1] for _, ends, _, _ in self.joints}
        at = {ends[0]: root for _, ends, _, _ in self.joints if ends[0] not in children}
        angles, left = iter(angles), list(self.joints)
        for kind, (parent, child), place, axis in left:
            move = np.eye(4)
            if kind in ("revolute", "continuous"):
                move[:3, :3] = turn(axis, next(angles, 0.0))
            elif kind == "prismatic":
                move[:3, 3] = np.array(axis) * next(angles, 0.0)
            at[child] = at[parent] @ place @ move
        found = {}
        for link, (_, place) in self.meshes.items():
            t = at[link] @ place
            found[link] = [*t[:3, 3], *quaternion(t[:3, :3])]
        return found

    def neighbours(self):
        """Pairs of links that share a joint, or a link without a mesh between them."""
        pairs = {ends for _, ends, _, _ in self.joints}
        twice = {(a, d) for a, b in pairs for c, d in pairs if b == c and b not in self.meshes}
        return [(a, b) for a, b in pairs | twice if a in self.meshes and b in self.meshes]


def robots(folder):
    panda, laikago = data("panda"), data("laikago")
    if panda:
        meshes = os.path.join(panda, "panda_description", "meshes", "collision")
        stl = lambda name: os.path.join(meshes, os.path.basename(name).replace(".dae", ".stl"))
        robot = Robot(os.path.join(panda, "panda_description", "urdf", "panda.urdf"), stl)
        low, high = [-2.8, -1.7, -2.8, -3.0, -2.8, 0.0, -2.8, 0.0, 0.0], [2.8, 1.7, 2.8, -0.1, 2.8, 3.7, 2.8, 0.04, 0.04]
        frames = [[l + (h - l) * (0.5 + 0.5 * math.sin(2 * math.pi * f * (k + 1.3) / 1000 + k)) for k, (l, h) in enumerate(zip(low, high))]
                  for f in range(1000)]
        self_check(folder, "panda", robot, [(np.eye(4), angles) for angles in frames])
    if laikago:
        meshes = os.path.join(laikago, "laikago_description", "meshes")
        robot = Robot(os.path.join(laikago, "laikago_description", "urdf", "laikago.urdf"), lambda n: os.path.join(meshes, os.path.basename(n)))
        frames = []
        for file in sorted(glob.glob(os.path.join(laikago, "motions", "*.txt"))):
            with open(file, encoding="utf-8") as text:
                for frame in json.load(text)["Frames"]:
                    x, y, z, w = frame[3:7]
                    root = np.eye(4)
                    root[:3, :3] = turn([x, y, z], 2 * math.atan2(math.hypot(x, y, z), w)) if (x, y, z) != (0, 0, 0) else np.eye(3)
                    root[:3, 3] = frame[:3]
                    frames.append((root, frame[7:]))
        self_check(folder, "laikago", robot, frames)


def self_check(folder, name, robot, frames):
    """All links of a robot against each other, but neighbours; as triangles and as hulls."""
    rows = []
    for number, (root, angles) in enumerate(frames):
        rows += [(number, link, pose) for link, pose in robot.poses(root, angles).items()]
    write_poses(folder, f"{name}.parquet", rows)
    for model in ["mesh", "hull"]:
        bodies = [(link, file, model, False, name) for link, (file, _) in robot.meshes.items()]
        write(folder, f"{name}-{model}.toml", scene_text(name, 0.05, bodies, robot.neighbours(), f"{name}.parquet"))
        report(f"{name}, {len(frames)} frames, {model}", run(folder, f"{name}-{model}.toml", f"{name}-{model}"), len(frames))


def bumpy_ball(path, phase, rings=101, sectors=102):
    """20,400 triangles of a ball with bumps, as OBJ."""
    theta = np.pi * np.arange(rings + 1) / rings
    phi = 2 * np.pi * np.arange(sectors) / sectors
    d = np.stack([np.outer(np.sin(theta), np.cos(phi)), np.outer(np.sin(theta), np.sin(phi)), np.outer(np.cos(theta), np.ones(sectors))], -1)
    radius = 1 + 0.02 * np.sin(9 * d[..., 0] + phase) * np.sin(8 * d[..., 1] + phase)
    v = (d * radius[..., None])[1:-1].reshape(-1, 3)
    poles = [np.array([0, 0, radius[0, 0]]), np.array([0, 0, -radius[-1, 0]])]
    at = lambda i, j: (i - 1) * sectors + j % sectors + 1
    north, south = len(v) + 1, len(v) + 2
    faces = [(north, at(1, j), at(1, j + 1)) for j in range(sectors)]
    faces += [(south, at(rings - 1, j + 1), at(rings - 1, j)) for j in range(sectors)]
    for i in range(1, rings - 1):
        for j in range(sectors):
            a, b, c, e = at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)
            faces += [(a, b, c), (a, c, e)]
    lines = ["v %r %r %r" % tuple(map(float, p)) for p in [*v, *poles]] + ["f %d %d %d" % f for f in faces]
    write(os.path.dirname(path), os.path.basename(path), "\n".join(lines) + "\n")
    return len(faces)


def slide(folder):
    triangles = bumpy_ball(os.path.join(folder, "ball-a.obj"), 0.0)
    bumpy_ball(os.path.join(folder, "ball-b.obj"), 1.0)
    bodies = [("a", "ball-a.obj", "mesh", True, "a"), ("b", "ball-b.obj", "mesh", False, "b")]
    for name, gap in [("1e-3", 2e-3), ("overlapping by 1e-3", -2e-3)]:
        # The middle of B goes around A; the distance of the middles is set frame by frame from the distance at the frame before it is moved.
        rows, reach = [], [2.1] * 500
        for _ in range(6):
            rows = []
            for frame in range(500):
                angle = frame / 500
                spin = 1.5 * angle
                at = [reach[frame] * math.cos(angle), reach[frame] * math.sin(angle), 0.2 * math.sin(5 * angle)]
                rows.append((frame, "b", [*at, math.cos(spin / 2), 0.0, math.sin(spin / 2), 0.0]))
            write_poses(folder, "slide.parquet", rows)
            write(folder, "slide.toml", scene_text("slide", 1.0, bodies, (), "slide.parquet"))
            result = run(folder, "slide.toml", "slide")
            distance = result[0]["distance_m"].to_numpy()
            reach = [r - (d - gap) for r, d in zip(reach, distance)]
        wrong = int(np.sum((distance < 0) != (gap < 0)))
        report(f"sliding at {name}, 2 x {triangles:,} triangles, 500 frames", result, 500)
        print(f"  distances {distance.min():.2e} .. {distance.max():.2e} m; of another sign than aimed for: {wrong}")


def torus(folder, n=708):
    """A bumpy torus of 2 n^2 triangles as STL, OBJ, PLY and GLB."""
    u = 2 * np.pi * np.arange(n) / n
    r = 0.3 * (1 + 0.1 * np.sin(9 * u)[None, :] * np.cos(7 * u)[:, None])
    p = np.stack([(1 + r * np.cos(u)) * np.cos(u)[:, None], (1 + r * np.cos(u)) * np.sin(u)[:, None], r * np.sin(u) * np.ones((n, 1))], -1).astype("<f4")
    i, j = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
    at = lambda i, j: (i % n) * n + j % n
    quads = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]
    faces = np.concatenate([np.stack([quads[0], quads[k], quads[k + 1]], -1).reshape(-1, 3) for k in (1, 2)])
    points = p.reshape(-1, 3)
    record = np.zeros(len(faces), dtype=[("n", "<f4", 3), ("v", "<f4", (3, 3)), ("a", "<u2")])
    record["v"] = points[faces]
    with open(os.path.join(folder, "torus.stl"), "wb") as file:
        file.write(b" " * 80 + struct.pack("<I", len(faces)) + record.tobytes())
    write(folder, "torus.obj", "\n".join("v %r %r %r" % tuple(map(float, v)) for v in points) + "\n"
          + "\n".join("f %d %d %d" % tuple(f + 1) for f in faces) + "\n")
    polygon = np.zeros(len(faces), dtype=[("n", "u1"), ("v", "<i4", 3)])
    polygon["n"], polygon["v"] = 3, faces
    header = (f"ply\nformat binary_little_endian 1.0\nelement vertex {len(points)}\nproperty float x\nproperty float y\nproperty float z\n"
              f"element face {len(faces)}\nproperty list uchar int vertex_indices\nend_header\n")
    with open(os.path.join(folder, "torus.ply"), "wb") as file:
        file.write(header.encode() + points.tobytes() + polygon.tobytes())
    binary = points.tobytes() + faces.astype("<u4").tobytes()
    views = [{"buffer": 0, "byteOffset": 0, "byteLength": points.nbytes}, {"buffer": 0, "byteOffset": points.nbytes, "byteLength": 12 * len(faces)}]
    accessors = [{"bufferView": 0, "componentType": 5126, "count": len(points), "type": "VEC3", "min": points.min(0).tolist(), "max": points.max(0).tolist()},
                 {"bufferView": 1, "componentType": 5125, "count": 3 * len(faces), "type": "SCALAR"}]
    text = json.dumps({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}], "bufferViews": views, "accessors": accessors,
                       "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}], "buffers": [{"byteLength": len(binary)}]}).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(binary), 0x004E4942) + binary
    with open(os.path.join(folder, "torus.glb"), "wb") as file:
        file.write(struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks)
    return len(faces)


def measured(command):
    """One program: wall seconds, seconds of processor, MiB at its peak."""
    start = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 3):
        sys.exit(f"failed: {' '.join(command)}")
    return time.perf_counter() - start, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def load(folder):
    triangles = torus(folder)
    programs = [PROGRAM] + [name for name in [os.environ.get("CLEARSWEEP_BEFORE")] if name]
    for kind in ["stl", "obj", "ply", "glb"]:
        bodies = [("torus", f"torus.{kind}", "mesh", True, "a")]
        text = scene_text("load", 0.5, bodies) + '[[body]]\nname = "ball"\nshape = { sphere = 0.2 }\nstatic = true\nposition = [0, 0, 0.1]\n'
        write(folder, f"load-{kind}.toml", text)
        for threads in ["1", "2"]:
            runs = {program: [] for program in programs}
            for _ in range(5):
                for program in programs:
                    out = os.path.join(folder, "load-out")
                    command = [program, "run", os.path.join(folder, f"load-{kind}.toml"), "--out", out, "--force", "--threads", threads]
                    runs[program].append(measured(command))
            for program in programs:
                wall, cpu, peak = (min(values) for values in zip(*runs[program]))
                name = "" if len(programs) == 1 else f" ({program})"
                print(f"load torus.{kind}, {triangles:,} triangles, {threads} threads{name}: {wall:.2f} s wall, {cpu:.2f} s of processor, "
                      f"peak {peak:.0f} MiB; least of {len(runs[program])} runs with one distance")


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    folder, parts = os.path.abspath(sys.argv[1]), sys.argv[2:] or ["load", "duplex", "carried", "robots", "slide"]
    os.makedirs(folder, exist_ok=True)
    known = {"duplex": duplex, "carried": carried, "robots": robots, "slide": slide, "load": load}
    for part in parts:
        if part not in known:
            sys.exit(f"no part `{part}`; parts: {', '.join(known)}")
        known[part](folder)


if __name__ == "__main__":
    main()
