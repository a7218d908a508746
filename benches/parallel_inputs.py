"""Writes inputs with parallel faces for the peers' harness.

PX_WORK=DIR DIR/v/bin/python benches/parallel_inputs.py PEERS FLOORS

PX_WORK: the work folder of the harness after its `setup`. PEERS: the harness itself, from which the formats are taken.
FLOORS: a folder with `aligned/`, `headings/` and `noisy/`, each written by `clearsweep generate shop-floor --poses ...`.

Into `$PX_WORK/in` go the shapes `par.pxs` and these queries, 10 sequences of 1,000 frames each:
- par_box_KIND: a box of 1.2 x 0.8 x 0.5 m on another one, turning about the common normal by 1 degree a frame;
- par_cuboid_KIND: the same queries on shapes that peers know as boxes;
- par_prism_KIND: a prism of 24 sides slides over a plate of 4 x 3 x 0.1 m and partly over its edge;
- par_pipe_touch, par_pipe_apart: two prisms of 24 sides end to end, turning about their common axis.
KIND is touch (gap 0), apart (gap 0.3 m) or over (depth 0.05 m). A sequence has a rigid pose of its own for both bodies, in
general position: faces are parallel up to rounding only.

par_floor_POSES: the 15 pairs of the shop floor, a sequence each, over the first 4,000 frames; par_cuboid_POSES: the same
queries on shapes that peers know as boxes.
"""

import os
import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

SEQUENCES, FRAMES, FLOOR_FRAMES = 10, 1000, 4000
BOX, PLATE, SIDES = (1.2, 0.8, 0.5), (4.0, 3.0, 0.1), 24
PRISM_RADIUS, PRISM_HEIGHT = 0.3, 0.5
PIPE_RADIUS, PIPE_HEIGHT = 0.1, 2.0
GAPS = {"touch": 0.0, "apart": 0.3, "over": -0.05}
CONVEX, CUBOID = 0, 2  # kinds of shapes in the harness
BOX_HULL, BOX_CUBOID, PLATE_HULL, PRISM, PIPE = range(5)  # shapes, by their place in the file


def box(kind, size):
    """A box around the origin."""
    half = np.array(size) / 2
    corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * half
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return kind, half, corners, [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]


def prism(radius, height):
    """A prism around the origin, its axis along z."""
    angle = 2 * np.pi * np.arange(SIDES) / SIDES
    ring = np.c_[radius * np.cos(angle), radius * np.sin(angle)]
    corners = np.r_[np.c_[ring, np.full(SIDES, height / 2)], np.c_[ring, np.full(SIDES, -height / 2)]]
    n = SIDES
    caps = [t for i in range(1, n - 1) for t in ((0, i, i + 1), (n, n + i + 1, n + i))]
    sides = [t for i in range(n) for j in [(i + 1) % n] for t in ((i, n + i, n + j), (i, n + j, j))]
    return CONVEX, (0, 0, 0), corners, caps + sides


def product(p, q):
    """The product of quaternions w, x, y, z: first q, then p."""
    a, b, c, d = np.moveaxis(p, -1, 0)
    e, f, g, h = np.moveaxis(q, -1, 0)
    return np.stack(
        [
            a * e - b * f - c * g - d * h,
            a * f + b * e + c * h - d * g,
            a * g - b * h + c * e + d * f,
            a * h + b * g - c * f + d * e,
        ],
        axis=-1,
    )


def rotate(q, v):
    """Vectors turned by a unit quaternion."""
    t = 2 * np.cross(q[1:], v)
    return v + q[0] * t + np.cross(q[1:], t)


def stacked(x, y, z, angle):
    """Poses of the second body in the frame of the first one: a place, and a turn about z (radians)."""
    x, y, z, angle = np.broadcast_arrays(x, y, z, angle)
    none = np.zeros(len(angle))
    return np.stack([x, y, z], axis=-1), np.stack([np.cos(angle / 2), none, none, np.sin(angle / 2)], axis=-1)


def box_path(random, gap):
    x, y = random.uniform(-0.3, 0.3), random.uniform(-0.2, 0.2)
    angle = random.uniform(0, 2 * np.pi) + np.radians(1.0) * np.arange(FRAMES)
    return stacked(x, y, BOX[2] + gap, angle)


def prism_path(random, gap):
    phase = random.uniform(0, 2 * np.pi) + 2 * np.pi * np.arange(FRAMES) / 500
    # The prism reaches 0.45 m over the edge at x = 2, and its middle 0.15 m.
    x, y = 1.2 + 0.95 * np.cos(phase), random.uniform(-0.8, 0.8) + 0.3 * np.sin(phase / 2)
    return stacked(x, y, (PLATE[2] + PRISM_HEIGHT) / 2 + gap, random.uniform(0, 2 * np.pi))


def pipe_path(random, gap):
    angle = random.uniform(0, 2 * np.pi) + np.radians(0.2) * np.arange(FRAMES)
    return stacked(0.0, 0.0, PIPE_HEIGHT + gap, angle)


def stack_queries(dtype, shapes, path, gap, seed):
    """Queries of two bodies on each other; the same for all gaps but for the gap."""
    random = np.random.default_rng(seed)
    queries = np.zeros(SEQUENCES * FRAMES, dtype)
    queries["a"], queries["b"] = shapes
    for sequence in range(SEQUENCES):
        part = queries[sequence * FRAMES : (sequence + 1) * FRAMES]
        q = random.normal(size=4)
        q /= np.linalg.norm(q)
        position = random.uniform(-5, 5, size=3)
        place, turn = path(random, gap)
        part["seq"] = sequence
        part["pa"] = [*position, *q]
        part["pb"][:, :3] = position + rotate(q, place)
        part["pb"][:, 3:] = product(q, turn)
    return queries


def floor_queries(dtype, shape, file):
    """Queries of all pairs of a shop floor, pair by pair."""
    table = pq.read_table(file)
    names = table["body"].to_pylist()
    count = len(set(names))
    assert names == names[:count] * (len(names) // count), "every frame has all boxes in the same order"
    assert len(names) >= count * FLOOR_FRAMES, f"{file}: fewer than {FLOOR_FRAMES} frames"
    columns = [table[name].to_numpy() for name in ("x", "y", "z", "qw", "qx", "qy", "qz")]
    poses = np.stack(columns, axis=-1)[: count * FLOOR_FRAMES].reshape(FLOOR_FRAMES, count, 7)
    pairs = list(combinations(range(count), 2))
    queries = np.zeros((len(pairs), FLOOR_FRAMES), dtype)
    queries["a"] = queries["b"] = shape
    for sequence, (a, b) in enumerate(pairs):
        queries[sequence]["seq"] = sequence
        queries[sequence]["pa"], queries[sequence]["pb"] = poses[:, a], poses[:, b]
    return queries.reshape(-1)


def main():
    peers, floors = (Path(argument) for argument in sys.argv[1:])
    sys.path.insert(0, str(peers / "gen"))
    sys.dont_write_bytecode = True  # the harness is not ours
    import pxio

    folder = Path(os.environ["PX_WORK"]) / "in"
    shapes = [box(CONVEX, BOX), box(CUBOID, BOX), box(CONVEX, PLATE)]
    shapes += [prism(PRISM_RADIUS, PRISM_HEIGHT), prism(PIPE_RADIUS, PIPE_HEIGHT)]
    pxio.write_shapes(folder / "par.pxs", shapes)
    stacks = {
        "box": ((BOX_HULL, BOX_HULL), box_path, 1),
        "cuboid": ((BOX_CUBOID, BOX_CUBOID), box_path, 1),
        "prism": ((PLATE_HULL, PRISM), prism_path, 2),
        "pipe": ((PIPE, PIPE), pipe_path, 3),
    }
    for name, (pair, path, seed) in stacks.items():
        for kind, gap in GAPS.items():
            if (name, kind) != ("pipe", "over"):
                queries = stack_queries(pxio.QD, pair, path, gap, seed)
                pxio.write_queries(folder / f"par_{name}_{kind}.pxq", queries)
    for poses in ("aligned", "headings", "noisy"):
        for name, shape in (("floor", BOX_HULL), ("cuboid", BOX_CUBOID)):
            queries = floor_queries(pxio.QD, shape, floors / poses / "trajectories.parquet")
            pxio.write_queries(folder / f"par_{name}_{poses}.pxq", queries)


if __name__ == "__main__":
    main()
