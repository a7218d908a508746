"""The deviation of a closed mesh from the solid whose analytic faces it triangulates, proven after the fact.

Let M be the mesh, B the boundary of the solid. If a continuous map of M onto B moves no point by more than D,
and turns M once around B, then D bounds the deviation: on the straight ways of the points nothing is passed
that is farther than D from both surfaces, so that inside and outside agree there; and where they disagree,
the sum of both distances is at most D. The map is put together of three moves, each of which is bounded here:

1. A vertex moves to the point that lies on the surfaces of all faces around it (``_at_vertices``).
2. An edge between two faces moves from the chord to the arc in which their surfaces meet. These pairs of
   surfaces are known in closed form: lines, circles, and ellipses of planes that cut cylinders
   (``_at_edges``). For any other pair nothing is proven.
3. A point of a face moves to the surface of the face (``Surface.most_off``). On a cylinder and a cone it
   moves straight away from the axis, as the points of a circle about the axis do; then the moves 2 and 3 of
   such a face are one.

That the triangles of a face cover the face is what the mesher is believed for. It is checked that each face
has triangles, and that the mesh closes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from .meshes import F64, Ints, Mesh
from .surfaces import SAME, Surface, unit

#: Below this sine two surfaces are tangent: between them is less than what a point may be off both.
_TANGENT = 1e-3

#: A vertex may be so far off, in radii of a curved surface and in sizes, for the surface to be as
#: good as flat there.
_SMALL = 0.05


@dataclasses.dataclass
class Proof:
    """``deviation`` in metres, if it is proven; else ``why`` it is not. ``measured``: what is off the known
    faces in any case."""

    deviation: float | None
    measured: float
    why: str = ""


def prove(mesh: Mesh, surfaces: Sequence[Surface | None], faces: Ints) -> Proof:
    """Holds a mesh against its faces: ``faces`` has the number of the surface of each triangle; None is no
    analytic surface."""
    corners = mesh.corners()
    size = float(np.linalg.norm(np.ptp(mesh.box(), axis=0)))
    # Sums of a few products of coordinates are rounded.
    slack = 64 * np.finfo(np.float64).eps * float(np.max(np.abs(mesh.vertices), initial=size))
    known = [index for index, surface in enumerate(surfaces) if surface is not None]
    bare = sorted(set(range(len(surfaces))) - set(faces.tolist()))
    off = {index: _farthest(surfaces[index], corners[faces == index]) for index in known if index not in bare}
    measured = max(off.values(), default=0.0) + slack
    if len(known) < len(surfaces) or int(faces.max(initial=-1)) >= len(surfaces) or int(faces.min(initial=0)) < 0:
        return Proof(None, measured, "they have faces that are no planes, cylinders, cones, spheres or tori")
    if bare:
        return Proof(None, measured, "they have faces without triangles")
    if not mesh.is_closed():
        return Proof(None, measured, "their meshes are not closed")
    all_surfaces, alike = distinct([surface for surface in surfaces if surface is not None], size)
    welded = mesh.welded()
    moved, why = _at_vertices(welded, all_surfaces, faces)
    measured = max(measured, moved)
    if why:
        return Proof(None, measured, why)
    arcs, straight, why = _at_edges(welded, all_surfaces, faces, (size, 4 * moved + slack))
    if why:
        return Proof(None, measured, why)
    deviation = max(
        _across_axis(all_surfaces[index], off[index]) + arcs.get(id(all_surfaces[index]), 0.0) for index in off
    )
    return Proof(float(deviation + 2 * moved + straight + 4 * alike + slack) * (1 + 1e-9), measured)


def _farthest(surface: Surface | None, corners: F64) -> float:
    return 0.0 if surface is None else float(np.max(surface.most_off(corners), initial=0.0))


def _across_axis(surface: Surface, off: float) -> float:
    """The way to the surface across its axis, for a cone."""
    return off / float(np.cos(surface.angle)) if surface.kind == "cone" else off


def distinct(surfaces: Sequence[Surface], size: float) -> tuple[list[Surface], float]:
    """The surfaces, with one object for all that are the same; and how far these are off each other at most."""
    found: list[Surface] = []
    firsts: list[Surface] = []
    most = 0.0
    for one in surfaces:
        first = next((other for other in found if other.unlike(one, size) <= SAME * size), one)
        firsts.append(first)
        if first is one:
            found.append(one)
        else:
            most = max(most, first.unlike(one, size))
    return firsts, most


def _at_vertices(mesh: Mesh, surfaces: Sequence[Surface], faces: Ints) -> tuple[float, str]:
    """How far vertices are from the points in which the surfaces around them meet, to first order and rounded up."""
    numbers = {id(surface): index for index, surface in enumerate(surfaces)}
    whose: Ints = np.array([numbers[id(surface)] for surface in surfaces], dtype=np.int64)[faces]
    incident = np.unique(np.stack([mesh.triangles.reshape(-1), np.repeat(whose, 3)], axis=1), axis=0)
    off, normals = np.zeros(len(incident)), np.zeros((len(incident), 3))
    for index, surface in enumerate(surfaces):
        rows = incident[:, 1] == index
        points = mesh.vertices[incident[rows, 0]]
        off[rows], normals[rows] = surface.off(points), surface.normals(points)
    most = 0.0
    starts = np.flatnonzero(np.diff(incident[:, 0], prepend=-1))
    for start, end in zip(starts.tolist(), [*starts[1:].tolist(), len(incident)], strict=True):
        way = float(np.linalg.norm(np.linalg.lstsq(normals[start:end], off[start:end], rcond=_TANGENT)[0]))
        most = max(most, way, 2 * float(np.max(np.abs(off[start:end]))) if end - start > 1 else 0.0)
    curved = [surface.radius for surface in surfaces if surface.kind in ("cylinder", "sphere", "torus")]
    least_radius = min(curved, default=np.inf)
    if most > _SMALL * min(least_radius, float(np.max(np.ptp(mesh.box(), axis=0)))):
        return most, "they have vertices that are far off their faces"
    return most * (1 + 2 * most / least_radius), ""


def _at_edges(
    mesh: Mesh, surfaces: Sequence[Surface], faces: Ints, limits: tuple[float, float]
) -> tuple[dict[int, float], float, str]:
    """Bounds of the ways from chords to arcs: the largest of each surface, by id, and that of straight edges."""
    (size, straight), found, most_straight = limits, dict[int, float](), 0.0
    for (first, second), ends in _edges_between(mesh, surfaces, faces).items():
        f, g = surfaces[first], surfaces[second]
        points = np.stack([ends[:, 0], ends.mean(axis=1), ends[:, 1]], axis=1)
        off = np.max(np.maximum(np.abs(f.off(points)), np.abs(g.off(points))), axis=1)
        is_straight = off <= straight
        most_straight = max(most_straight, float(np.max(off[is_straight], initial=0.0)))
        if is_straight.all():
            continue
        ways = _arc(f, g, ends[~is_straight], size)
        if ways is None:
            return (
                found,
                most_straight,
                f"they have edges of a {f.kind} and a {g.kind} that are no lines, circles or ellipses",
            )
        for surface, way in zip((f, g), ways, strict=True):
            found[id(surface)] = max(found.get(id(surface), 0.0), way)
    return found, most_straight, ""


def _edges_between(mesh: Mesh, surfaces: Sequence[Surface], faces: Ints) -> dict[tuple[int, int], F64]:
    """The edges (k, 2, 3) between triangles of each two surfaces that differ."""
    edges, triangles = mesh.half_edges()
    ends = np.sort(edges, axis=1)
    order = np.lexsort((ends[:, 1], ends[:, 0]))
    ends, owner = ends[order], faces[triangles[order]].tolist()
    starts = np.flatnonzero(np.any(np.diff(ends, axis=0, prepend=-1), axis=1)).tolist()
    found: dict[tuple[int, int], list[list[int]]] = {}
    for start, end in zip(starts, [*starts[1:], len(ends)], strict=True):
        around = sorted(set(owner[start:end]))
        for place, first in enumerate(around):
            for second in around[place + 1 :]:
                if surfaces[first] is not surfaces[second]:
                    found.setdefault((first, second), []).append(ends[start].tolist())
    return {pair: mesh.vertices[np.array(edges)] for pair, edges in found.items()}


def _arc(f: Surface, g: Surface, ends: F64, size: float) -> tuple[float, float] | None:
    """How far arcs of both surfaces are from their chords (k, 2, 3), as ways that faces f and g have to go
    beside those of their own points; None: it is not known."""
    if g.kind == "plane":
        swapped = _arc(g, f, ends, size) if f.kind != "plane" else None
        return (swapped[1], swapped[0]) if swapped else None
    if f.kind == "plane" and g.kind == "sphere":
        centre = g.at - f.heights(g.at) * f.axis
        return (way := _sagitta(ends - centre)), way
    off_axis = f.off_axis(g, size)
    if off_axis <= SAME * size:
        turned = g if g.kind != "sphere" else f
        if turned.kind == "sphere":
            return None
        way = _sagitta(turned.across(ends)) + 4 * off_axis
        follows = [4 * off_axis if surface.kind in ("cylinder", "cone") else way for surface in (f, g)]
        return follows[0], follows[1]
    cosine = abs(float(np.dot(f.axis, g.axis)))
    if f.kind == "plane" and g.kind == "torus" and max(cosine, abs(float(f.heights(g.at))) / size) < 1e-9:
        # The plane holds the axis, and cuts the tube in a circle, which the ways to the torus do
        # not leave.
        return _sagitta(ends - g.at - g.arc * unit(g.across(ends.mean(axis=1)))[:, None]), 0.0
    if f.kind == "plane" and g.kind == "cylinder" and cosine > _TANGENT:
        # The ellipse is the circle, seen along the axis, stretched by at most 1 / cosine.
        return (way := _sagitta(g.across(ends)) / cosine), way
    return None


def _sagitta(rays: F64) -> float:
    """How far chords (k, 2, 3) of circles about the origin are from their arcs, at most."""
    along = unit(rays[:, 1] - rays[:, 0])
    share = np.clip(-np.einsum("ki,ki->k", rays[:, 0], along), 0, np.linalg.norm(rays[:, 1] - rays[:, 0], axis=1))
    nearest = np.linalg.norm(rays[:, 0] + share[:, None] * along, axis=1)
    return float(np.max(np.max(np.linalg.norm(rays, axis=2), axis=1) - nearest))
