"""Swept disks, such as bars and pipes along a line: cylinders and parts of tori, if the line has no kinks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .ifc_solids import metres, placed_shape
from .meshes import F64, Mesh
from .packages import package
from .surfaces import unit

#: Ends of neighbouring pieces that meet are nearer than this share of the radius, and their
#: directions as near in radians.
_MEETS = 1e-9

#: A kernel's triangles of a disk may be off by this share of the radius, and of the volume, before
#: its shapes are not believed.
_LIKE = 0.02


class Disk:
    """The pieces of swept disks of one product, about an origin, metres."""

    def __init__(self, radius: float, pieces: Sequence[Mapping[str, Any]], matrix: F64) -> None:
        self.scale = float(np.linalg.norm(matrix[:3, 0]))
        self.radius, self.matrix, self.pieces = radius * self.scale, matrix, pieces
        self.shapes: list[dict[str, Any]] = []
        self.length = 0.0
        self.line: list[F64] = []
        for piece in pieces:
            (self._straight if piece["type"] == "line" else self._bent)(piece)

    def _point(self, values: Sequence[float]) -> F64:
        return self.matrix[:3, :3] @ np.array(values, dtype=np.float64) + self.matrix[:3, 3]

    def _straight(self, piece: Mapping[str, Any]) -> None:
        start, end = self._point(piece["start"]), self._point(piece["end"])
        along = end - start
        across = unit(np.cross(along, np.eye(3)[int(np.argmin(np.abs(along)))]).astype(np.float64))
        self.length += float(np.linalg.norm(along))
        keys = {"cylinder": [metres(self.radius), metres(np.linalg.norm(along))]}
        self.shapes.append(placed_shape(keys, (start + end) / 2, across, np.cross(unit(along), across)))
        self.line += [start, end]

    def _bent(self, piece: Mapping[str, Any]) -> None:
        turn = self.matrix[:3, :3] / self.scale
        normal, x = turn @ _vector(piece["normal"]), turn @ _vector(piece["x_axis"])
        hand = float(np.sign(np.linalg.det(turn)))
        y = hand * np.cross(normal, x)
        begin, sweep, arc = piece["start_angle"], piece["sweep_angle"], piece["radius"] * self.scale
        centre = self._point(piece["center"])
        start = np.cos(begin) * x + np.sin(begin) * y
        across = np.sign(sweep) * (np.cos(begin) * y - np.sin(begin) * x)
        keys = {"torus": [metres(arc), metres(self.radius)], "angle": f"{float(np.degrees(abs(sweep)))!r}deg"}
        self.length += arc * abs(sweep)
        self.shapes.append(placed_shape(keys, centre, start, across))
        for angle in np.linspace(0, abs(sweep), 33):
            self.line.append(centre + arc * (np.cos(angle) * start + np.sin(angle) * across))

    def off(self, points: F64) -> F64:
        """Distances of points from the line, in radii."""
        line = np.array(self.line)
        nearest = np.full(len(points), np.inf)
        for start, way in zip(line[:-1], np.diff(line, axis=0), strict=True):
            share = np.clip((points - start) @ way / max(float(way @ way), 1e-300), 0, 1)
            nearest = np.minimum(nearest, np.linalg.norm(points - start - share[:, None] * way, axis=1))
        return nearest / self.radius


def disks_unlike(parts: Sequence[Disk], mesh: Mesh) -> str | None:
    """The difference of triangles from disks, if any: a vertex outside of all disks, or another volume."""
    off = float(np.max(np.min([disk.off(mesh.vertices) for disk in parts], axis=0)))
    volume = sum(np.pi * disk.radius**2 * disk.length for disk in parts)
    if off > 1 + _LIKE:
        return f"the triangles reach {off:.3g} radii from the line of the swept disk"
    if abs(abs(mesh.volume()) - volume) > _LIKE * volume:
        return f"the triangles enclose {abs(mesh.volume()):.3g} m3, the swept disk {volume:.3g} m3"
    return None


def _vector(values: Sequence[float]) -> F64:
    return np.array(values, dtype=np.float64)


def disks(data: bytes, origins: Mapping[int, F64]) -> dict[int, list[Disk]]:
    """The disks of products that are nothing but whole disks without kinks, each about its origin."""
    told = package("ifclite_geom", "ifc").swept_disk_definitions(data, set(origins))
    sources = {repr(source["key"]): source for source in told["sources"]}
    found: dict[int, list[Disk]] = {}
    for number, instances in told["instances"].items():
        made = [_disk(instance, sources[repr(instance["source"])], origins[number]) for instance in instances]
        whole = [disk for disk in made if disk is not None]
        if whole and len(whole) == len(made):
            found[number] = whole
    return found


def _disk(instance: Mapping[str, Any], source: Mapping[str, Any], origin: F64) -> Disk | None:
    """A disk that is complete, solid and tangent at its joints, under a matrix that scales all axes alike."""
    if source["status"]["type"] != "complete" or instance["source_modified"] or source["InnerRadius"]:
        return None
    matrix = np.array(instance["world_from_source"], dtype=np.float64).reshape(4, 4).T
    matrix[:3, 3] -= origin
    scale = np.linalg.norm(matrix[:3, 0])
    is_similar = np.allclose(
        matrix[:3, :3].T @ matrix[:3, :3], scale * scale * np.eye(3), rtol=0, atol=1e-12 * scale * scale
    )
    pieces = source["Directrix"]
    if not is_similar or not pieces or not _is_smooth(pieces, source["Radius"]):
        return None
    return Disk(source["Radius"], pieces, matrix)


def _ends(piece: Mapping[str, Any]) -> tuple[F64, F64, F64, F64]:
    """Start, end, and the directions there."""
    if piece["type"] == "line":
        start, end = np.array(piece["start"]), np.array(piece["end"])
        return start, end, unit(end - start), unit(end - start)
    x, normal = np.array(piece["x_axis"]), np.array(piece["normal"])
    y, sense = np.cross(normal, x), np.sign(piece["sweep_angle"])
    places: list[F64] = []
    for angle in (piece["start_angle"], piece["start_angle"] + piece["sweep_angle"]):
        ray = np.cos(angle) * x + np.sin(angle) * y
        places += [np.array(piece["center"]) + piece["radius"] * ray, sense * (np.cos(angle) * y - np.sin(angle) * x)]
    return places[0], places[2], places[1], places[3]


def _is_smooth(pieces: Sequence[Mapping[str, Any]], radius: float) -> bool:
    """Whether each piece goes on where the one before ends, and no arc is tighter than the disk."""
    ends = [_ends(piece) for piece in pieces]
    for (_, end, _, leaving), (start, _, entering, _) in zip(ends, ends[1:], strict=False):
        if np.linalg.norm(end - start) > _MEETS * radius or np.linalg.norm(leaving - entering) > _MEETS:
            return False
    arcs = [piece["radius"] for piece in pieces if piece["type"] != "line"]
    return all(arc >= radius for arc in arcs) and all(abs(piece.get("sweep_angle", 1)) < 2 * np.pi for piece in pieces)
