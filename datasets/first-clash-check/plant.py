"""Writes plant.glb: a small hall of ten parts in five branches, as a CAD program exports it (metres, y up).

    python3 plant.py

World coordinates are given with z up; glTF is y up, so (x, y, z) is written as (x, z, -y).
"""

import json
import math
import pathlib
import struct


def prism(outline, length):
    """A prism along y: outline of (x, z), counter-clockwise seen from -y; vertices and triangles, outward."""
    n, half = len(outline), length / 2
    vertices = [(x, -half, z) for x, z in outline] + [(x, half, z) for x, z in outline]
    triangles = [t for i in range(n) for j in [(i + 1) % n] for t in [(i, n + j, j), (i, n + i, n + j)]]
    caps = ears(outline)
    return vertices, triangles + caps + [(n + a, n + c, n + b) for a, b, c in caps]


def ears(outline):
    """Triangles of an outline: a fan, or for the L of the pump two rectangles."""
    if len(outline) == 6:
        return [(0, 1, 2), (0, 2, 3), (0, 3, 5), (3, 4, 5)]
    return [(0, i, i + 1) for i in range(1, len(outline) - 1)]


def box(x, y, z):
    return prism([(-x / 2, -z / 2), (x / 2, -z / 2), (x / 2, z / 2), (-x / 2, z / 2)], y)


def pipe(radius, length, sides=16):
    turns = [(k - 0.5) * 2 * math.pi / sides - math.pi / 2 for k in range(sides)]
    return prism([(radius * math.cos(t), radius * math.sin(t)) for t in turns], length)


FLAT = math.cos(math.pi / 16)  # from the axis of a pipe to its lowest side, in radii
R100, R200 = 0.0572, 0.1096

PARTS = {  # branch: {part: (mesh, place)}
    "civil": {"floor": (box(8, 4, 0.2), (3, 0, -0.1))},
    "steel": {
        "column-1": (box(0.2, 0.2, 4), (0, 0, 2)),
        "column-2": (box(0.2, 0.2, 4), (6, 0, 2)),
        "beam-1": (box(5.8, 0.2, 0.2), (3, 0, 3.1)),
    },
    "supports": {"shoe-1": (box(0.1, 0.2, 0.1), (2, 0, 3.25))},
    "piping": {
        "line-100": (pipe(R100, 3), (2, 0, 3.3 + R100 * FLAT)),
        "line-200": (pipe(R200, 3), (4, 0, 3.15)),
    },
    "electrical": {
        "tray-1": (box(0.3, 3, 0.06), (2, 0, 3.3 + 2 * R100 * FLAT + 0.03 + 0.03)),
    },
    "equipment": {
        "cabinet": (box(0.6, 0.4, 1.8), (1, 0.6, 0.9)),
        "pump-1": (prism([(0, 0), (0.8, 0), (0.8, 0.3), (0.3, 0.3), (0.3, 0.6), (0, 0.6)], 0.5), (4.98, 0, 0)),
    },
}


def y_up(v):
    return v[0], v[2], -v[1]


def main():
    nodes, meshes, views, accessors, data = [{"name": "plant", "children": []}], [], [], [], b""
    for branch, parts in PARTS.items():
        at = len(nodes)
        nodes.append({"name": branch, "children": []})
        nodes[0]["children"].append(at)
        for name, ((vertices, triangles), place) in parts.items():
            points = [struct.unpack("<3f", struct.pack("<3f", *y_up(v))) for v in vertices]
            for content, count, kind, component in [
                (b"".join(struct.pack("<3f", *p) for p in points), len(points), "VEC3", 5126),
                (b"".join(struct.pack("<3H", *t) for t in triangles), 3 * len(triangles), "SCALAR", 5123),
            ]:
                views.append({"buffer": 0, "byteOffset": len(data), "byteLength": len(content)})
                accessors.append({"bufferView": len(views) - 1, "componentType": component, "count": count, "type": kind})
                data += content + b"\0" * (-len(content) % 4)
            accessors[-2] |= {"min": [min(c) for c in zip(*points)], "max": [max(c) for c in zip(*points)]}
            attributes = {"POSITION": len(accessors) - 2}
            meshes.append({"primitives": [{"attributes": attributes, "indices": len(accessors) - 1}]})
            nodes[at]["children"].append(len(nodes))
            nodes.append({"name": name, "mesh": len(meshes) - 1, "translation": [c + 0.0 for c in y_up(place)]})
    scene = {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": nodes, "meshes": meshes,
        "accessors": accessors, "bufferViews": views, "buffers": [{"byteLength": len(data)}],
    }
    text = json.dumps(scene, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(data), b"BIN\0") + data
    path = pathlib.Path(__file__).with_name("plant.glb")
    path.write_bytes(struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks)


if __name__ == "__main__":
    main()
