"""Solids of an IFC file that are known exactly: extrusions and turned circles, as shapes of the scene and as
faces to hold triangles against."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .ifc_model import Model
from .meshes import F64, Mesh
from .part21 import Ref
from .proof import distinct, prove
from .surfaces import Surface, nearest_surfaces, unit

#: Vectors are parallel, at right angles or of equal length if they are off by less than this share.
_EXACT = 1e-12

_ORIGIN = np.array([0.0, 0.0, 0.0, 1.0])


@dataclasses.dataclass
class Solid:
    """A solid about an origin, metres. ``shapes``: the same as shapes of a scene; None if they cannot express it.

    ``surfaces`` are those of its faces, ``volume`` is what it encloses.
    """

    shapes: list[dict[str, Any]] | None
    surfaces: list[Surface]
    volume: float
    #: Its box, if that is known.
    box: F64 | None = None

    def deviation(self, mesh: Mesh) -> float | None:
        """The proven deviation of a mesh from the solid; None: nothing is proven."""
        if not self.surfaces:
            return None
        size = float(np.linalg.norm(np.ptp(mesh.box(), axis=0)))
        firsts, alike = distinct(self.surfaces, size)
        surfaces = list({id(surface): surface for surface in firsts}.values())
        proof = prove(mesh, surfaces, nearest_surfaces(surfaces, mesh.corners()))
        if proof.deviation is None:
            return None
        deviation = proof.deviation + 4 * alike
        # A mesh that lies on all surfaces, and closes elsewhere than the solid does, has another
        # volume.
        within = 2 * mesh.area() * deviation + 1e-9 * self.volume
        return deviation if abs(abs(mesh.volume()) - self.volume) <= within else None


@dataclasses.dataclass
class _Profile:
    """A profile: loops of corners, the first of which is the outer one, or a circle with a wall, in units of
    the file."""

    loops: list[F64] = dataclasses.field(default_factory=list[F64])
    radius: float = 0.0
    #: Radius of the hole.
    inner: float = 0.0
    matrix: F64 = dataclasses.field(default_factory=lambda: np.eye(4))


def unlike(known: Sequence[Solid], mesh: Mesh, limit: float) -> str | None:
    """The difference of triangles from solids, if any: another volume or another box, by more than a layer as
    thick as the limit."""
    volume, made = sum(solid.volume for solid in known), abs(mesh.volume())
    if abs(made - volume) > 2 * mesh.area() * limit + 1e-6 * volume:
        return f"the triangles enclose {made:.3g} m3, the solid of the file {volume:.3g} m3"
    boxes = [solid.box for solid in known if solid.box is not None]
    if boxes and len(boxes) == len(known):
        box = np.array([np.min([one[0] for one in boxes], axis=0), np.max([one[1] for one in boxes], axis=0)])
        off = float(np.max(np.abs(box - mesh.box())))
        if off > 2 * limit:
            return f"the boxes of the triangles and of the solid of the file differ by {off:.3g} m"
    return None


def solids(model: Model, number: int, origin: F64) -> list[Solid] | None:
    """The solids of a product about an origin; None unless each of them is known."""
    placement, items = model.placement(model.file[number][5]), model.items(number)
    if placement is None or not items or model.is_cut(number):
        return None
    to_metres = np.diag([model.length] * 3 + [1.0])
    to_metres[:3, 3] = -origin
    found: list[Solid] = []
    for item in items:
        placed = to_metres @ placement
        more = _of_item(model, item, placed, 0)
        if more is None:
            return None
        found += more
    return found


def _of_item(model: Model, item: Ref, matrix: F64, depth: int) -> list[Solid] | None:
    """The solids of an item of a representation, or of what it maps."""
    kind, attributes = model.file.type(item), model.file[item]
    if kind == "IFCMAPPEDITEM" and depth < 16:
        source, target = model.file[attributes[0]], model.target(attributes[1])
        # Programs disagree about what an origin of its own means.
        if target is None or not np.array_equal(model.axes(source[0]), np.eye(4)):
            return None
        found: list[Solid] = []
        for mapped in [ref for ref in model.file[source[1]][3] if isinstance(ref, Ref)]:
            more = _of_item(model, mapped, matrix @ target, depth + 1)
            if more is None:
                return None
            found += more
        return found
    if kind not in ("IFCEXTRUDEDAREASOLID", "IFCREVOLVEDAREASOLID"):
        return None
    profile = _profile(model, attributes[0])
    if profile is None:
        return None
    placed = matrix @ model.axes(attributes[1])
    if kind == "IFCREVOLVEDAREASOLID":
        solid = _turned(model, profile, placed, attributes)
    else:
        direction = model.numbers(attributes[2])
        length = np.linalg.norm(direction)
        if length == 0:
            return None
        along = placed[:3, :3] @ (direction / length * float(attributes[3]))
        solid = _extruded(profile, placed @ profile.matrix, along)
    return None if solid is None else [solid]


def _profile(model: Model, ref: Any) -> _Profile | None:
    """A profile that has corners, or is a circle or a ring; None: it is another one."""
    attributes = model.file[ref]
    if attributes[0] != "AREA":
        return None
    kind = model.file.type(ref)
    if kind == "IFCRECTANGLEPROFILEDEF":
        x, y = float(attributes[3]) / 2, float(attributes[4]) / 2
        corners = np.array([[-x, -y], [x, -y], [x, y], [-x, y]])
        return _Profile([corners], matrix=model.axes(attributes[2]))
    if kind in ("IFCCIRCLEPROFILEDEF", "IFCCIRCLEHOLLOWPROFILEDEF"):
        radius = float(attributes[3])
        inner = radius - float(attributes[4]) if kind == "IFCCIRCLEHOLLOWPROFILEDEF" else 0.0
        return _Profile(radius=radius, inner=inner, matrix=model.axes(attributes[2])) if 0 <= inner < radius else None
    if kind in ("IFCARBITRARYCLOSEDPROFILEDEF", "IFCARBITRARYPROFILEDEFWITHVOIDS"):
        curves: list[Any] = [attributes[2], *(attributes[3] if kind == "IFCARBITRARYPROFILEDEFWITHVOIDS" else [])]
        loops = [_corners(model, curve) for curve in curves]
        whole = [loop for loop in loops if loop is not None]
        return _Profile(whole) if len(whole) == len(loops) else None
    return None


def _corners(model: Model, curve: Any) -> F64 | None:
    """The corners of a closed line in a plane, without those that repeat."""
    kind, attributes = model.file.type(curve), model.file[curve]
    if kind == "IFCPOLYLINE":
        points = [model.numbers(point)[:2] for point in attributes[0]]
    elif kind == "IFCINDEXEDPOLYCURVE" and model.file.type(attributes[0]) == "IFCCARTESIANPOINTLIST2D":
        listed: Any = model.file[attributes[0]][0]
        segments = attributes[1] or [("IFCLINEINDEX", list(range(1, len(listed) + 1)))]
        if any(name != "IFCLINEINDEX" for name, _ in segments):
            return None
        order = [index for _, indices in segments for index in indices]
        points = [np.array(listed[index - 1], dtype=np.float64) for index in order]
    else:
        return None
    kept = [point for index, point in enumerate(points) if not np.array_equal(point, points[index - 1])]
    return np.array(kept) if len(kept) >= 3 else None


def _area(loop: F64) -> float:
    """The signed area of a loop."""
    following = np.roll(loop, -1, axis=0)
    return float(np.sum(loop[:, 0] * following[:, 1] - loop[:, 1] * following[:, 0]) / 2)


def _is_convex(loop: F64) -> bool:
    """Whether a loop turns one way alone, and once around."""
    sides = np.roll(loop, -1, axis=0) - loop
    following = np.roll(sides, -1, axis=0)
    turns = sides[:, 0] * following[:, 1] - sides[:, 1] * following[:, 0]
    angles = np.arctan2(turns, np.einsum("ij,ij->i", sides, following))
    return bool((turns > 0).all() or (turns < 0).all()) and abs(abs(float(np.sum(angles))) - 2 * np.pi) < 1e-6


def _extruded(profile: _Profile, matrix: F64, along: F64) -> Solid | None:
    """An extrusion: ``matrix`` places the profile, ``along`` is the way of the extrusion."""
    x, y = matrix[:3, 0], matrix[:3, 1]
    normal = np.cross(x, y)
    rise = float(np.dot(along, normal))
    if abs(rise) <= _EXACT * np.linalg.norm(along) * np.linalg.norm(normal):
        return None
    ends = [Surface("plane", matrix[:3, 3] + way, normal) for way in (np.zeros(3), along)]
    if profile.radius:
        return _round_bar(profile, matrix, along, ends)
    surfaces, volume = ends, 0.0
    for place, loop in enumerate(profile.loops):
        corners = matrix[:3, 3] + loop @ np.stack([x, y])
        sides = np.roll(corners, -1, axis=0) - corners
        surfaces += [
            Surface("plane", at, np.cross(side, along).astype(np.float64))
            for at, side in zip(corners, sides, strict=True)
        ]
        volume += abs(_area(loop) * rise) * (1 if place == 0 else -1)
    outer = profile.loops[0]
    shapes = None
    if len(profile.loops) == 1 and _is_convex(outer):
        shapes = [_prism(matrix[:3, 3] + outer @ np.stack([x, y]), along)]
    corners = matrix[:3, 3] + outer @ np.stack([x, y])
    points = np.concatenate([corners, corners + along])
    return Solid(shapes, surfaces, volume, np.array([points.min(axis=0), points.max(axis=0)]))


def _prism(corners: F64, along: F64) -> dict[str, Any]:
    """A convex prism: a box if it is one."""
    middle = corners.mean(axis=0) + along / 2
    if len(corners) == 4:
        x, y = corners[1] - corners[0], corners[3] - corners[0]
        is_even = np.allclose(corners[2] - corners[1], y, rtol=0, atol=_EXACT * np.linalg.norm(y))
        if is_even and _are_square(x, y, along):
            return placed_shape({"box": [metres(np.linalg.norm(side)) for side in (x, y, along)]}, middle, x, y)
    points = np.concatenate([corners, corners + along]) - middle
    return placed_shape(
        {"points": [[metres(value) for value in point] for point in points]}, middle, np.eye(3)[0], np.eye(3)[1]
    )


def _round_bar(profile: _Profile, matrix: F64, along: F64, ends: list[Surface]) -> Solid:
    """A cylinder or a pipe, under a linear map if the matrix or the direction is not square."""
    x, y, middle = matrix[:3, 0] * profile.radius, matrix[:3, 1] * profile.radius, matrix[:3, 3] + along / 2
    radius, height = float(np.linalg.norm(x)), float(np.linalg.norm(along))
    share = profile.inner / profile.radius
    keys: dict[str, Any] = {"cylinder": [metres(radius), metres(height)]}
    if share:
        # A rectangle that is turned fully is a pipe.
        keys = {"rectangular_torus": [metres(radius * share), metres(radius), metres(height)]}
    reach = np.abs(along) / 2 + np.hypot(x, y)
    box = np.array([middle - reach, middle + reach])
    volume = np.pi * (1 - share * share) * abs(float(np.dot(np.cross(x, y), along)))
    if _are_square(x, y, along) and abs(np.linalg.norm(y) - radius) <= _EXACT * radius:
        surfaces = [*ends, Surface("cylinder", middle, along, radius)]
        surfaces += [Surface("cylinder", middle, along, radius * share)] if share else []
        return Solid([placed_shape(keys, middle, x, y)], surfaces, volume, box)
    columns = np.stack([x / radius, y / radius, along / height], axis=1)
    keys["matrix"] = columns.tolist()
    return Solid([placed_shape(keys, middle, np.eye(3)[0], np.eye(3)[1])], [], volume, box)


def _turned(model: Model, profile: _Profile, placed: F64, attributes: Sequence[Any]) -> Solid | None:
    """A circle or a ring turned about an axis in its plane: part of a torus, or of two."""
    angle = float(attributes[3]) * model.angle
    scale = float(np.linalg.norm(placed[:3, 0]))
    is_similar = _are_square(*placed[:3, :3].T) and np.allclose(
        np.linalg.norm(placed[:3, :3], axis=0), scale, rtol=_EXACT, atol=0
    )
    if not profile.radius or not is_similar or not 0 < angle < np.pi:
        return None
    location, direction = model.file[attributes[2]][:2]
    at = (placed @ (np.append(model.numbers(location), 1.0)))[:3]
    axis: F64 = placed[:3, :3] @ (model.numbers(direction) if direction is not None else np.array([0.0, 0.0, 1.0]))
    centre = (placed @ profile.matrix @ _ORIGIN)[:3]
    torus = Surface("torus", at, axis)
    torus.at = at + float(torus.heights(centre)) * torus.axis
    torus.arc, torus.radius = float(torus.radii(centre)), profile.radius * scale
    if abs(float(np.dot(unit(placed[:3, 2]), torus.axis))) > _EXACT or torus.arc <= torus.radius:
        return None
    hand = np.sign(float(np.linalg.det(placed[:3, :3])))
    start = unit(torus.across(centre))
    across = hand * np.cross(torus.axis, start)
    ends = [across, np.cos(angle) * across - np.sin(angle) * start]
    surfaces = [torus, *(Surface("plane", torus.at, normal) for normal in ends)]
    share = profile.inner / profile.radius
    if share:
        surfaces.append(Surface("torus", torus.at, torus.axis, torus.radius * share, torus.arc))
    turned = np.degrees(angle)
    keys = {"torus": [metres(torus.arc), metres(torus.radius)], "angle": f"{float(turned)!r}deg"}
    shape = placed_shape(keys, torus.at, start, across)
    volume = np.pi * torus.radius**2 * (1 - share * share) * torus.arc * angle
    return Solid(None if share else [shape], surfaces, float(volume))


def _are_square(x: F64, y: F64, z: F64) -> bool:
    """Whether three vectors are at right angles."""
    x, y, z = unit(x), unit(y), unit(z)
    return bool(max(abs(np.dot(x, y)), abs(np.dot(y, z)), abs(np.dot(z, x))) <= _EXACT)


def metres(length: Any) -> str:
    """A length as a text with its unit."""
    return f"{float(length)!r}m"


def placed_shape(keys: Mapping[str, Any], middle: F64, x: F64, y: F64) -> dict[str, Any]:
    """A shape at a place; its axes x and y are at right angles."""
    axes = np.stack([unit(x), unit(y), unit(np.cross(x, y))], axis=1)
    return {**keys, "position": [metres(value) for value in middle], "orientation": quaternion(axes)}


def quaternion(axes: F64) -> dict[str, float]:
    """The unit quaternion of a rotation matrix (Shepperd's method)."""
    (a, b, c), (d, e, f), (g, h, i) = axes.tolist()
    squares = [1 + a + e + i, 1 + a - e - i, 1 - a + e - i, 1 - a - e + i]
    rows = [
        [squares[0], h - f, c - g, d - b],
        [h - f, squares[1], b + d, c + g],
        [c - g, b + d, squares[2], f + h],
        [d - b, c + g, f + h, squares[3]],
    ]
    chosen = unit(np.array(rows[int(np.argmax(squares))]))
    return dict(zip(("qw", "qx", "qy", "qz"), (chosen + 0.0).tolist(), strict=True))
