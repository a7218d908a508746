"""Writes plants as one file each, and the same parts one by one.

python3 benches/plant_files.py OUT [DUPLEX]

OUT: a folder for the scenes. DUPLEX: a folder with `architecture_parts/` and `mep_parts/`, an OBJ file for each part of a
house. Needs nothing but Python. The files are the same at each call.

- plant-1000, plant-100000: `plant.glb`, nodes of four convex meshes below site, unit and rack, a valve below a pipe. Units and
  racks are turned; every fifth rack is mirrored, every seventh is larger; some pipes are stretched. Names repeat. One by one: a
  table of names, files and poses. The poses are composed in double precision from the numbers of single precision in the file,
  in the order of operations of the program, so that tables can be compared byte by byte. A mirrored or larger part has a
  file of its own with the vertices multiplied. Below a mirrored rack no part is turned: how the program splits such a
  transformation is tested elsewhere.
- objects-5000: `plant.obj`, parts as objects in the frame of the file, some of the same name. One by one: a file each.
- duplex: `plant.obj`, an object for each part of the house, as hulls since they are not convex. One by one: a file each.

Each folder has four scenes: `fly-file.toml` and `fly-parts.toml`, in which a ball and a crate fly through what stands still, and
`clash-file.toml` and `clash-parts.toml`, static clash checks.
"""

import json
import math
import random
import shutil
import struct
import sys
from pathlib import Path

RACK_PARTS, FRAMES = 100, 200
UNTURNED, IDENTITY = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)
PARTS_HEAD = "body,geometry,x,y,z,qw,qx,qy,qz\n"


def single(number):
    """The nearest number of single precision."""
    return struct.unpack("<f", struct.pack("<f", number))[0]


# Meshes: vertices of single precision, and triangles counter-clockwise from outside.


def prism(sides, radius, height, axis):
    """A prism around the origin, its axis along x (0) or z (2), metres."""
    ring = [(radius * math.cos(a), radius * math.sin(a)) for a in (2 * math.pi * k / sides for k in range(sides))]
    ends = [(u, v, end * height / 2) for end in (1, -1) for u, v in ring]
    corners = [(z, x, y) if axis == 0 else (x, y, z) for x, y, z in ends]
    caps = [t for i in range(1, sides - 1) for t in ((0, i, i + 1), (sides, sides + i + 1, sides + i))]
    nexts = [(i, (i + 1) % sides) for i in range(sides)]
    walls = [t for i, j in nexts for t in ((i, sides + i, sides + j), (i, sides + j, j))]
    return [tuple(map(single, corner)) for corner in corners], caps + walls


def box(x, y, z):
    """A box around the origin, metres."""
    half = (x / 2, y / 2, z / 2)
    signs = [(i, j, k) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]
    corners = [tuple(single(s * h) for s, h in zip(sign, half)) for sign in signs]
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return corners, [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]


def wedge(x, y, z):
    """A box cut along a diagonal, which differs from its mirror image, metres."""
    corners = [(0, 0, 0), (x, 0, 0), (0, 0, z), (0, y, 0), (x / 2, y, 0), (0, y, z)]
    triangles = [(0, 1, 2), (3, 5, 4), (0, 2, 5), (0, 5, 3), (0, 3, 4), (0, 4, 1), (1, 4, 5), (1, 5, 2)]
    return [tuple(map(single, corner)) for corner in corners], triangles


MESHES = {
    "pipe": prism(12, 0.1, 4.0, 0),
    "beam": box(0.2, 4.0, 0.2),
    "valve": prism(8, 0.2, 0.4, 2),
    "bracket": wedge(0.5, 0.1, 0.3),
}


# Poses: a position and a quaternion w, x, y, z. Sums and products stand in the order of `crates/geometry/src/pose.rs`.


def turn(axis, degrees):
    """The quaternion of a rotation about an axis of coordinates, rounded to single precision."""
    half = math.radians(degrees) / 2
    q = [math.cos(half), 0.0, 0.0, 0.0]
    q[1 + axis] = math.sin(half)
    return tuple(map(single, q))


def turned(q, v):
    """A vector turned by a quaternion."""
    w, x, y, z = q
    ww, xx, yy, zz = w * w, x * x, y * y, z * z
    s = 1.0 / (ww + xx + (yy + zz))
    two = s + s
    xy, xz, yz, wx, wy, wz = x * y, x * z, y * z, w * x, w * y, w * z
    rows = [
        ((ww + xx - (yy + zz)) * s, (xy - wz) * two, (xz + wy) * two),
        ((xy + wz) * two, (ww + yy - (xx + zz)) * s, (yz - wx) * two),
        ((xz - wy) * two, (yz + wx) * two, (ww + zz - (xx + yy)) * s),
    ]
    return [row[0] * v[0] + row[1] * v[1] + row[2] * v[2] for row in rows]


def product(p, c):
    """The unit quaternion of the rotation `c`, then `p`."""
    if c == IDENTITY or p == IDENTITY:
        return p if c == IDENTITY else c
    a = (p[0], -p[1], -p[2], -p[3])
    q = (
        a[0] * c[0] + a[1] * c[1] + (a[2] * c[2] + a[3] * c[3]),
        a[0] * c[1] - a[1] * c[0] + (a[3] * c[2] - a[2] * c[3]),
        a[0] * c[2] - a[2] * c[0] + (a[1] * c[3] - a[3] * c[1]),
        a[0] * c[3] - a[3] * c[0] + (a[2] * c[1] - a[1] * c[2]),
    )
    norm = math.sqrt(((q[0] * q[0] + q[1] * q[1]) + q[2] * q[2]) + q[3] * q[3])
    return tuple(component / norm for component in q)


class Place:
    """The place of a node in the frame of the file: a pose behind a scale along its axes."""

    def __init__(self, position=UNTURNED, q=IDENTITY, scale=(1.0, 1.0, 1.0)):
        self.position, self.q, self.scale = position, q, scale

    def below(self, position, q, scale):
        """The place of a child by its own numbers. A scale other than the same along all axes has unturned children."""
        assert q == IDENTITY or self.scale[0] == self.scale[1] == self.scale[2], "a mirrored rack has unturned parts"
        moved = tuple(s * c for s, c in zip(self.scale, position))
        if (self.position, self.q) != (UNTURNED, IDENTITY):
            moved = tuple(p + t for p, t in zip(self.position, turned(self.q, moved)))
        return Place(moved, product(self.q, q), tuple(a * b for a, b in zip(self.scale, scale)))


# One plant of nodes.


class Plant:
    """The nodes of a glTF file, and its bodies with their names, meshes and places."""

    def __init__(self):
        self.nodes, self.bodies, self.taken, self.repeats = [], [], set(), {}

    def add(self, parent, name, mesh=None, position=UNTURNED, q=IDENTITY, scale=(1.0, 1.0, 1.0)):
        """A node below another: (index, path, place). A node with a mesh is a body, and may go without a name."""
        position, scale = tuple(map(single, position)), tuple(map(single, scale))
        above, path, place = parent or (None, "", Place())
        node = {"name": name} if name else {}
        if mesh:
            node["mesh"] = list(MESHES).index(mesh)
        if position != UNTURNED:
            node["translation"] = position
        if q != IDENTITY:
            node["rotation"] = (*q[1:], q[0])
        if scale != (1.0, 1.0, 1.0):
            node["scale"] = scale
        index = len(self.nodes)
        self.nodes.append(node)
        if above is not None:
            self.nodes[above].setdefault("children", []).append(index)
        path = self.unique((path + "/" if path else "") + (name or mesh))
        place = place.below(position, q, scale)
        if mesh:
            self.bodies.append((path, mesh, place))
        return index, path, place

    def unique(self, path):
        """Returns a path that is not taken: the second of equal paths ends with #2."""
        found = path
        while found in self.taken:
            self.repeats[path] = self.repeats.get(path, 1) + 1
            found = f"{path}#{self.repeats[path]}"
        self.taken.add(found)
        return found

    def rack(self, unit, number, dice):
        """A rack of ten levels: 70 pipes, and 10 beams, valves and brackets each, depth first."""
        mirrored, larger = number % 5 == 4, number % 7 == 3
        scale = (1.0, -1.0, 1.0) if mirrored else (1.25, 1.25, 1.25) if larger else (1.0, 1.0, 1.0)
        corner = (9.0 * (number % 5), 9.0 * (number // 5), 0.0)
        rack = self.add(unit, f"rack-{number}", None, corner, turn(2, dice.uniform(-3, 3)), scale)
        for level in range(10):
            z = 0.6 * level
            for k in range(7):
                y, off = 0.35 * k, dice.uniform(-0.03, 0.03)
                lean = IDENTITY if mirrored else turn(2, dice.uniform(-0.5, 0.5))
                stretch = (1.25, 1.0, 1.0) if k == 3 and level % 2 else (1.0, 1.0, 1.0)
                pipe = self.add(rack, "pipe", "pipe", (off, y, z), lean, stretch)
                if k == 0:
                    self.add(pipe, "valve", "valve", (dice.uniform(-1, 1), 0.0, 0.02))
            self.add(rack, f"beam-{level}", "beam", (0.0, 1.0, z - 0.205))
            self.add(rack, None, "bracket", (0.15, -0.9, z - 0.3), scale=(-1.0 if level % 2 else 1.0, 1.0, 1.0))


def plant_of(count):
    """A plant of so many bodies: racks of 100, at most 50 in a unit."""
    plant, dice = Plant(), random.Random(15)
    racks = count // RACK_PARTS
    site = plant.add(None, "site", None, (120.0, -40.0, 2.0), turn(2, 30))
    for first in range(0, racks, 50):
        number = first // 50
        unit = plant.add(site, f"unit-{number}", None, (60.0 * (number % 5), 110.0 * (number // 5), 0.0), turn(2, 90))
        for rack in range(min(50, racks - first)):
            plant.rack(unit, rack, dice)
    assert len(plant.bodies) == count
    return plant


def write_glb(path, nodes):
    """A binary glTF file with the meshes of this program."""
    binary, views, accessors, meshes = b"", [], [], []

    def accessor(data, kind, component, items, **more):
        nonlocal binary
        views.append({"buffer": 0, "byteOffset": len(binary), "byteLength": len(data)})
        accessors.append(
            {"bufferView": len(views) - 1, "componentType": component, "count": items, "type": kind, **more}
        )
        binary += data + bytes(-len(data) % 4)
        return len(accessors) - 1

    for name, (vertices, triangles) in MESHES.items():
        low, high = ([pick(axis) for axis in zip(*vertices)] for pick in (min, max))
        floats = b"".join(struct.pack("<3f", *vertex) for vertex in vertices)
        shorts = b"".join(struct.pack("<3H", *triangle) for triangle in triangles)
        positions = accessor(floats, "VEC3", 5126, len(vertices), min=low, max=high)
        indices = accessor(shorts, "SCALAR", 5123, 3 * len(triangles))
        primitive = {"attributes": {"POSITION": positions}, "indices": indices, "material": 0}
        meshes.append({"name": name, "primitives": [primitive]})
    root = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "materials": [{"name": "steel"}],
        "buffers": [{"byteLength": len(binary)}],
        "bufferViews": views,
        "accessors": accessors,
        "meshes": meshes,
        "nodes": nodes,
    }
    text = json.dumps(root, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(binary), b"BIN\0") + binary
    path.write_bytes(struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks)


# Files.


def obj_text(vertices, triangles, first=1):
    """A mesh as OBJ; numbers are written so that they are read as the same ones."""
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in vertices]
    return "\n".join(lines + [f"f {a + first} {b + first} {c + first}" for a, b, c in triangles]) + "\n"


def scaled_file(folder, mesh, scale, known):
    """The name of the file of a mesh, multiplied along its axes; written when first asked for."""
    name = known.get((mesh, scale))
    if name is None:
        name = known[(mesh, scale)] = f"parts/{mesh}-{len(known)}.obj"
        vertices, triangles = MESHES[mesh]
        multiplied = [tuple(s * c for s, c in zip(scale, vertex)) for vertex in vertices]
        if scale[0] * scale[1] * scale[2] < 0:
            triangles = [(a, c, b) for a, b, c in triangles]  # inside out, if left as they are
        (folder / name).write_text(obj_text(multiplied, triangles))
    return name


def write_nodes(folder, count):
    plant, known = plant_of(count), {}
    (folder / "parts").mkdir(parents=True)
    write_glb(folder / "plant.glb", plant.nodes)
    with open(folder / "parts.csv", "w") as table:
        table.write(PARTS_HEAD)
        for name, mesh, place in plant.bodies:
            file = scaled_file(folder, mesh, place.scale, known)
            table.write(",".join([name, file, *(repr(number) for number in (*place.position, *place.q))]) + "\n")
    racks = [place.position for _, _, place in plant.bodies[::RACK_PARTS]]
    write_scenes(folder, 'geometry = "plant.glb"\neach = "node"', "", (racks[0], racks[-1]), 0.01)


def write_objects(folder, count):
    """Parts in the frame of the file, in cubes of 17 parts along each side."""
    dice, names = random.Random(5), Plant()
    (folder / "parts").mkdir(parents=True)
    with open(folder / "plant.obj", "w") as whole, open(folder / "parts.csv", "w") as table:
        table.write("body,geometry\n")
        first = 1
        for number in range(count):
            kind = list(MESHES)[number % len(MESHES)]
            vertices, triangles = MESHES[kind]
            q = product(turn(2, dice.uniform(0, 360)), turn(0, dice.uniform(0, 360)))
            at = [2.0 * (number // 17**axis % 17) + dice.uniform(-0.5, 0.5) for axis in range(3)]
            placed = [tuple(a + c for a, c in zip(at, turned(q, vertex))) for vertex in vertices]
            name = f"{kind}-{number // 8}"  # two of each name
            whole.write(f"o {name}\n{obj_text(placed, triangles, first)}")
            first += len(vertices)
            file = f"parts/{number}.obj"
            (folder / file).write_text(obj_text(placed, triangles))
            table.write(f"{names.unique(name)},{file}\n")
    write_scenes(folder, 'geometry = "plant.obj"\neach = "object"', "", ((0.0, 0.0, 0.0), (32.0, 32.0, 32.0)), 0.05)


def object_text(name, vertices, faces, before):
    """An object of OBJ behind so many vertices of others."""
    lines = [f"o {name}", *(" ".join(words) for words in vertices)]
    lines += [" ".join(["f", *(str(corner + before) for corner in face)]) for face in faces]
    return "\n".join(lines) + "\n"


def write_duplex(folder, source):
    """The numbers of the vertices are copied as they are written; faces count on."""
    (folder / "parts").mkdir(parents=True)
    files = [file for kind in ("architecture_parts", "mep_parts") for file in sorted((source / kind).glob("*.obj"))]
    assert files, f"{source} has no parts"
    with open(folder / "plant.obj", "w") as whole, open(folder / "parts.csv", "w") as table:
        table.write("body,geometry\n")
        first = 0
        for file in files:
            name = f"{file.parent.name.split('_')[0]}-{file.stem}"
            text = [line.split() for line in file.read_text().splitlines()]
            vertices = [words for words in text if words[:1] == ["v"]]
            faces = [[int(corner) for corner in words[1:]] for words in text if words[:1] == ["f"]]
            whole.write(object_text(name, vertices, faces, first))
            (folder / "parts" / f"{name}.obj").write_text(object_text(name, vertices, faces, 0))
            first += len(vertices)
            table.write(f"{name},parts/{name}.obj\n")
    line = ((1.0, -17.0, 1.2), (8.0, -1.0, 4.0))
    write_scenes(folder, 'geometry = "plant.obj"\neach = "object"', 'model = "hull"\n', line, 0.02)


def write_scenes(folder, section, model, line, clash_within):
    """The scenes, and a trajectory along a line through the plant (its ends in metres)."""
    parts = 'table = "parts.csv"'
    shapes = {"ball": "{ sphere = 0.3 }", "crate": "{ box = [0.5, 0.4, 0.3] }"}
    fliers = "".join(f'[[body]]\nname = "{name}"\nshape = {shape}\n\n' for name, shape in shapes.items())
    for kind, bodies in (("file", section), ("parts", parts)):
        bodies = f"[[bodies]]\n{bodies}\nstatic = true\n{model}"
        head = '[scene]\nlength_unit = "m"\n'
        flight = f'{head}trajectories = "fly.csv"\n\n[query]\nwithin = 0.2\n\n{fliers}{bodies}'
        (folder / f"fly-{kind}.toml").write_text(flight)
        (folder / f"clash-{kind}.toml").write_text(f"{head}\n[query]\nwithin = {clash_within}\n\n{bodies}")
    with open(folder / "fly.csv", "w") as file:
        file.write("frame,time_s,body,x,y,z,qw,qx,qy,qz\n")
        for frame in range(FRAMES):
            part = frame / (FRAMES - 1)
            for body, share, q in (("ball", part, IDENTITY), ("crate", 1 - part, turn(1, 2.0 * frame))):
                height = 1.2 + 0.9 * math.sin(0.1 * frame)
                x, y, z = (a + share * (b - a) for a, b in zip(*line))
                file.write(",".join(map(repr, (frame, 0.05 * frame))) + f",{body},")
                file.write(",".join(map(repr, (x, y, z + height, *q))) + "\n")


def main():
    out, duplex = Path(sys.argv[1]), sys.argv[2:]
    for name, write, given in (
        ("plant-1000", write_nodes, 1_000),
        ("plant-100000", write_nodes, 100_000),
        ("objects-5000", write_objects, 5_000),
        *(("duplex", write_duplex, Path(folder)) for folder in duplex),
    ):
        if not (out / name).exists():  # what is there already is taken as it is
            print(f"writing {name}", file=sys.stderr)
            unfinished = out / f"{name}.unfinished"
            shutil.rmtree(unfinished, ignore_errors=True)
            write(unfinished, given)
            unfinished.rename(out / name)


if __name__ == "__main__":
    main()
