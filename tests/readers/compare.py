"""Holds what clearsweep's readers see in geometry files against trimesh, an independent reader.

    python tests/readers/compare.py generate DIR
    cargo xtask mesh-facts PATH... > facts.jsonl
    python tests/readers/compare.py compare facts.jsonl [--up-y]

`generate` writes meshes of known volume in every encoding of every format, by code of its own that neither reader
shares. `compare` reads the files that the facts name with trimesh, prints a table, and fails if anything differs that
may not. Needs trimesh, numpy and scipy (the hull).

What may differ, and is taken into account here:
- trimesh renumbers the vertices of an OBJ file by their (position, texture, normal) and drops those that no face uses;
  clearsweep keeps the file's own. Vertices are compared where trimesh keeps them, boxes by the vertices of triangles.
- trimesh's `is_watertight` wants every edge to belong to exactly two triangles; clearsweep takes solids that touch
  along an edge for closed too, and wants both directions equally often. Only a disagreement in that one direction is
  allowed, and counted.
- trimesh hands the triangle strips of a PLY file through as lists; its function for strips turns them into triangles.
- In single precision (STL, glTF) both read the same numbers; sums run in another order, so volumes agree to 1e-9.
- Qhull joins points of a hull that lie within its tolerance; clearsweep's hulls are exact. Volumes agree to 1e-9.
"""

import argparse
import base64
import collections
import json
import pathlib
import struct
import sys

import numpy as np

# ---------------------------------------------------------------------------------------------------------------------
# Files of known meshes.


def torus(n=24, m=11, major=2.0, minor=0.7):
    """Vertices and triangles, counter-clockwise from outside, of a ring of m-sided polygons."""
    u, v = np.meshgrid(np.arange(n) * 2 * np.pi / n, np.arange(m) * 2 * np.pi / m, indexing="ij")
    radius = major + minor * np.cos(v)
    vertices = np.stack([radius * np.cos(u), radius * np.sin(u), minor * np.sin(v)], axis=-1).reshape(-1, 3)
    faces = []
    for i in range(n):
        for j in range(m):
            a, b = i * m + j, (i + 1) % n * m + j
            c, d = (i + 1) % n * m + (j + 1) % m, i * m + (j + 1) % m
            faces += [[a, b, c], [a, c, d]]
    return vertices.astype(np.float32), np.array(faces)


def ply(kind, vertices, faces):
    """ASCII or binary of either byte order, with properties that no reader needs in between."""
    head = (
        f"ply\nformat {kind} 1.0\ncomment made for a comparison of readers\nelement vertex {len(vertices)}\n"
        "property float x\nproperty float y\nproperty uchar red\nproperty float z\n"
        f"element face {len(faces)}\nproperty uchar flag\nproperty list uchar int vertex_indices\nend_header\n"
    ).encode()
    if kind == "ascii":
        lines = [f"{float(x)!r} {float(y)!r} 9 {float(z)!r}" for x, y, z in vertices]
        lines += [f"1 3 {a} {b} {c}" for a, b, c in faces]
        return head + "\n".join(lines).encode() + b"\n"
    order = ">" if kind == "binary_big_endian" else "<"
    body = b"".join(struct.pack(order + "ffBf", x, y, 9, z) for x, y, z in vertices)
    return head + body + b"".join(struct.pack(order + "BBiii", 1, 3, *face) for face in faces)


def strips(vertices, n=24, m=11):
    """The torus as one list of triangle strips, each around the ring and closed, -1 between them."""
    indices = []
    for j in range(m):
        for i in range(n + 1):
            indices += [i % n * m + (j + 1) % m, i % n * m + j]
        indices.append(-1)
    head = (
        f"ply\nformat binary_little_endian 1.0\nelement vertex {len(vertices)}\nproperty float x\nproperty float y\n"
        "property float z\nelement tristrips 1\nproperty list int int vertex_indices\nend_header\n"
    ).encode()
    return head + vertices.astype("<f4").tobytes() + struct.pack(f"<i{len(indices)}i", len(indices), *indices)


def obj(vertices, faces, quads=False):
    lines = [f"v {float(x)!r} {float(y)!r} {float(z)!r}" for x, y, z in vertices]
    if quads:  # two triangles of the torus share the diagonal a-c
        pairs = faces.reshape(-1, 6)
        lines += [f"f {p[0] + 1} {p[1] + 1} {p[2] + 1} {p[5] + 1}" for p in pairs]
    else:
        lines += [f"f {a - len(vertices)} {b - len(vertices)} {c - len(vertices)}" for a, b, c in faces]
    return "\n".join(lines).encode() + b"\n"


def stl(vertices, faces, text):
    if text:
        lines = ["solid torus"]
        for face in faces:
            lines += ["facet normal 0 0 0", "outer loop"]
            lines += [f"vertex {float(x):.9e} {float(y):.9e} {float(z):.9e}" for x, y, z in vertices[face]]
            lines += ["endloop", "endfacet"]
        return "\n".join(lines + ["endsolid torus"]).encode() + b"\n"
    body = b"".join(b"\0" * 12 + vertices[face].astype("<f4").tobytes() + b"\0\0" for face in faces)
    return b"solid, but binary".ljust(80) + struct.pack("<I", len(faces)) + body


def gltf(vertices, faces, nodes, roots, binary):
    """A mesh that nodes share."""
    buffer = vertices.astype("<f4").tobytes() + faces.astype("<u2").tobytes()
    buffer += b"\0" * (-len(buffer) % 4)
    cut = vertices.size * 4
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": roots}],
        "nodes": nodes,
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": len(vertices), "type": "VEC3",
             "min": vertices.min(axis=0).tolist(), "max": vertices.max(axis=0).tolist()},
            {"bufferView": 1, "componentType": 5123, "count": faces.size, "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": cut},
            {"buffer": 0, "byteOffset": cut, "byteLength": faces.size * 2},
        ],
        "buffers": [{"byteLength": len(buffer)}],
    }
    if not binary:
        document["buffers"][0]["uri"] = "data:application/octet-stream;base64," + base64.b64encode(buffer).decode()
        return json.dumps(document, indent=1).encode()
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(buffer), b"BIN\0") + buffer
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


HALF = float(np.sqrt(0.5))
TREES = {
    "single": ([{"mesh": 0}], [0]),
    "hierarchy": (
        [{"children": [1, 2], "translation": [5, -1, 2], "rotation": [0, 0, HALF, HALF]},
         {"mesh": 0, "children": [3], "scale": [1, 2, 0.5]},
         {"mesh": 0, "translation": [0, 9, 0]},
         {"mesh": 0, "translation": [0, 0, 8], "rotation": [HALF, 0, 0, HALF]}],
        [0],
    ),
    "matrices": (
        [{"matrix": [0, 2, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1], "children": [1]},
         {"mesh": 0, "matrix": [1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 0, 3, 1]}],
        [0],
    ),
    "instances": ([{"mesh": 0, "translation": [6 * i, 0, 0]} for i in range(20)], list(range(20))),
    "mirrored": (
        [{"mesh": 0, "scale": [-1, 1, 1]},
         {"mesh": 0, "scale": [1, -2, -1], "translation": [9, 0, 0], "children": [2]},
         {"mesh": 0, "scale": [1, 1, -0.5], "translation": [9, 0, 0]}],
        [0, 1],
    ),
}


def generate(folder):
    folder.mkdir(parents=True, exist_ok=True)
    vertices, faces = torus()
    files = {f"{kind}.ply": ply(kind, vertices, faces) for kind in ("ascii", "binary_little_endian", "binary_big_endian")}
    files |= {"strips.ply": strips(vertices), "relative.obj": obj(vertices, faces), "quads.obj": obj(vertices, faces, True)}
    files |= {"ascii.stl": stl(vertices, faces, True), "binary.stl": stl(vertices, faces, False)}
    for name, (nodes, roots) in TREES.items():
        files[f"{name}.glb"] = gltf(vertices, faces, nodes, roots, True)
        files[f"{name}.gltf"] = gltf(vertices, faces, nodes, roots, False)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    print(f"{len(files)} files in {folder}")


# ---------------------------------------------------------------------------------------------------------------------
# The second reader.


def read(path, up_y):
    import trimesh

    loaded = trimesh.load(path, process=False, maintain_order=True, skip_materials=True)
    scene = isinstance(loaded, trimesh.Scene)
    if scene:
        for part in loaded.geometry.values():
            part.visual = trimesh.visual.ColorVisuals()  # textures need another library to be copied
    mesh = loaded.to_mesh() if scene else loaded
    if isinstance(mesh, trimesh.PointCloud):
        mesh = trimesh.Trimesh(mesh.vertices, strips_of(mesh), process=False)
    if up_y:
        mesh.apply_transform(trimesh.transformations.rotation_matrix(np.pi / 2, [1, 0, 0]))
    return mesh


def strips_of(cloud):
    """trimesh reads the strips of a PLY file, but makes no triangles of them: its own function for strips does."""
    import trimesh

    indices = cloud.metadata["_ply_raw"]["tristrips"]["data"]["vertex_indices"][0][1]
    strips = np.split(indices, np.flatnonzero(indices < 0))
    return trimesh.util.triangle_strips_to_faces([s[s >= 0] for s in strips if (s >= 0).sum() > 2])


def facts(path, up_y):
    import trimesh

    mesh = read(path, up_y)
    used = np.unique(mesh.faces)
    corners = mesh.vertices[used]
    # Equal positions are one vertex: exactly, not within a tolerance.
    distinct, inverse = np.unique(mesh.vertices + 0.0, axis=0, return_inverse=True)
    welded = trimesh.Trimesh(distinct, inverse.reshape(-1)[mesh.faces], process=False)
    a, b, c = welded.faces.T
    proper = welded.faces[(a != b) & (b != c) & (c != a)]
    welded = trimesh.Trimesh(distinct, proper, process=False)
    triangles = mesh.vertices[mesh.faces] - mesh.vertices[0]
    found = {
        "vertices": len(mesh.vertices),
        "triangles": len(mesh.faces),
        "box": [corners.min(axis=0), corners.max(axis=0)],
        "volume": float(np.einsum("ij,ij->i", triangles[:, 0], np.cross(triangles[:, 1], triangles[:, 2])).sum() / 6),
        "area": float(mesh.area),
        "watertight": bool(welded.is_watertight and welded.is_winding_consistent),
    }
    try:
        found["hull_volume"] = float(trimesh.convex.convex_hull(corners).volume)
    except Exception as error:  # Qhull gives up on flat bodies
        found["hull_volume"] = None if "QhullError" in type(error).__name__ else repr(error)
    return found


def close(a, b, scale):
    return abs(a - b) <= 1e-9 * scale


def compare(lines, up_y):
    table = collections.defaultdict(collections.Counter)
    failures = []
    for line in lines:
        ours = json.loads(line)
        path = pathlib.Path(ours["file"])
        row = table[(path.parent.name, path.suffix)]
        row["files"] += 1
        if "error" in ours:
            failures.append(f"{path}: refused by clearsweep: {ours['error']}")
            continue
        theirs = facts(path, up_y)

        def check(what, good, text):
            row[what] += bool(good)
            if not good:
                failures.append(f"{path}: {what}: {text}")

        size = float(np.linalg.norm(np.subtract(*theirs["box"])))
        if path.suffix != ".obj":
            check("vertices", ours["vertices"] == theirs["vertices"], f"{ours['vertices']} and {theirs['vertices']}")
        elif ours["vertices"] >= theirs["vertices"]:
            row["vertices"] += ours["vertices"] == theirs["vertices"]
        check("triangles", ours["triangles"] == theirs["triangles"], f"{ours['triangles']} and {theirs['triangles']}")
        # The hull's box is that of all vertices; the same, unless some belong to no triangle.
        offset = np.abs(np.array(ours["hull_box"]) - np.array(theirs["box"])).max()
        check("box", offset <= 1e-9 * size, f"off by {offset}")
        check("volume", close(ours["volume"], theirs["volume"], size**3), f"{ours['volume']} and {theirs['volume']}")
        check("area", close(ours["area"], theirs["area"], size**2), f"{ours['area']} and {theirs['area']}")
        same = ours["watertight"] == theirs["watertight"]
        row["closed"] += bool(ours["watertight"])
        row["touching"] += not same and bool(ours["watertight"])
        check("watertight", same or ours["watertight"], f"{ours['watertight']} and {theirs['watertight']}")
        if theirs["hull_volume"] is None:
            row["flat"] += 1
            check("hull", ours["hull_volume"] <= 1e-9 * size**3, f"{ours['hull_volume']}, where Qhull finds it flat")
        else:
            good = isinstance(theirs["hull_volume"], float) and close(ours["hull_volume"], theirs["hull_volume"], size**3)
            check("hull", good, f"{ours['hull_volume']} and {theirs['hull_volume']}")
    columns = ["files", "vertices", "triangles", "box", "volume", "area", "watertight", "hull", "closed", "touching", "flat"]
    print("| files of | " + " | ".join(columns) + " |\n" + "| --- " * (len(columns) + 1) + "|")
    for (folder, suffix), row in sorted(table.items()):
        print(f"| {folder} {suffix} | " + " | ".join(str(row[column]) for column in columns) + " |")
    print(f"\n{len(failures)} differences", *failures[:50], sep="\n", file=sys.stderr)
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("generate").add_argument("folder", type=pathlib.Path)
    comparing = commands.add_parser("compare")
    comparing.add_argument("facts", type=pathlib.Path)
    comparing.add_argument("--up-y", action="store_true", help="the facts were made with --up-y")
    arguments = parser.parse_args()
    if arguments.command == "generate":
        generate(arguments.folder)
        return 0
    return compare(arguments.facts.read_text().splitlines(), arguments.up_y)


if __name__ == "__main__":
    sys.exit(main())
