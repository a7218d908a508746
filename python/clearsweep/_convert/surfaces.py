"""Analytic surfaces, and how far triangles are off them at most.

A triangle's largest distance from a surface is bounded from above, in closed form:

- Plane: the distance is a convex function, so that a corner is the farthest point.
- Cylinder, cone: ``cos(a) rho - sin(a) h - c`` is convex in the distance ``rho`` from the axis and the height
  ``h``. A corner is its largest value. Its least value is bounded by ``rho >= u . x`` for unit vectors ``u``
  across the axis: the right side is linear, so that a corner is its least value. With ``u`` towards the
  middle of a chord this is the sagitta.
- Sphere: likewise, with ``|x - c| >= u . (x - c)``.
- Torus: the distance from the arc is smooth. The triangle is cut into 256, whose corners are measured;
  between them the function is off the linear one by ``M L^2 / 6`` at most, for a second derivative of at most
  ``M`` and edges of at most ``L``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from .meshes import F64, Ints

#: Pieces along each edge of a triangle of a torus.
_CUTS = 16

#: Surfaces are the same, or about one axis, if they are off that by less than this share of the size
#: of the body.
SAME = 1e-9


def unit(vectors: F64) -> F64:
    """The vectors of length 1; a zero vector stays."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)


@dataclasses.dataclass
class Surface:
    """A surface of the kind ``plane``, ``cylinder``, ``cone``, ``sphere`` or ``torus``.

    ``at`` is a point of the plane or of the axis: the apex of a cone, the centre of a sphere or a torus.
    ``axis`` is the normal of a plane. ``radius`` is that of the cylinder, the sphere or the tube, ``arc``
    that of the arc of a torus; ``angle`` is half the angle of a cone, which opens along ``axis``.
    """

    kind: str
    at: F64
    axis: F64
    radius: float = 0.0
    arc: float = 0.0
    angle: float = 0.0

    def __post_init__(self) -> None:
        self.at = np.asarray(self.at, dtype=np.float64)
        self.axis = unit(np.asarray(self.axis, dtype=np.float64))

    def heights(self, points: F64) -> F64:
        """Heights along the axis."""
        return (points - self.at) @ self.axis

    def across(self, points: F64) -> F64:
        """The vectors from the axis to the points."""
        return (points - self.at) - self.heights(points)[..., None] * self.axis

    def radii(self, points: F64) -> F64:
        """Distances from the axis."""
        return np.linalg.norm(self.across(points), axis=-1)

    def off(self, points: F64) -> F64:
        """Signed distances of points from the surface."""
        match self.kind:
            case "plane":
                return self.heights(points)
            case "sphere":
                return np.linalg.norm(points - self.at, axis=-1) - self.radius
            case "torus":
                return np.hypot(self.radii(points) - self.arc, self.heights(points)) - self.radius
            case "cone":
                return np.cos(self.angle) * self.radii(points) - np.sin(self.angle) * self.heights(points)
            case _:
                return self.radii(points) - self.radius

    def normals(self, points: F64) -> F64:
        """Unit normals at points near the surface."""
        match self.kind:
            case "plane":
                return np.broadcast_to(self.axis, points.shape)
            case "sphere":
                return unit(points - self.at)
            case "torus":
                across = self.across(points)
                return unit(points - self.at - self.arc * unit(across))
            case "cone":
                return np.cos(self.angle) * unit(self.across(points)) - np.sin(self.angle) * self.axis
            case _:
                return unit(self.across(points))

    def most_off(self, corners: F64) -> F64:
        """Upper bounds of the distances of triangles (m, 3, 3) from the surface."""
        if self.kind == "torus":
            return _most_off_torus(self, corners)
        values = self.off(corners)
        most = np.max(np.abs(values), axis=1)
        if self.kind == "plane":
            return most
        if self.kind == "sphere":
            rays, fixed, share = corners - self.at, np.full(values.shape, self.radius), 1.0
            edges = corners[:, [1, 2, 0]] - corners
            candidates = np.cross(edges[:, 0], edges[:, 1])[:, None]
        else:
            rays = self.across(corners)
            share = np.cos(self.angle) if self.kind == "cone" else 1.0
            lift = np.sin(self.angle) * self.heights(corners) if self.kind == "cone" else self.radius
            fixed = np.broadcast_to(lift, values.shape)
            candidates = np.cross(rays[:, [1, 2, 0]] - rays, self.axis)
        middle = rays.mean(axis=1, keepdims=True)
        between = unit(rays) + unit(rays[:, [1, 2, 0]])
        candidates = unit(
            np.concatenate([candidates, middle, rays, between, between.sum(axis=1, keepdims=True)], axis=1)
        )
        toward = np.where(np.einsum("mki,mi->mk", candidates, middle[:, 0]) < 0, -1.0, 1.0)
        along = np.einsum("mki,mvi->mkv", candidates * toward[..., None], rays)
        least = np.max(np.min(share * along - fixed[:, None], axis=2), axis=1)
        least = np.maximum(least, np.min(-fixed, axis=1))
        return np.maximum(most, -least)

    def unlike(self, other: Surface, size: float) -> float:
        """How far both are from being one surface, as the halves of a cylinder are, within a body of this size; by
        the sine of the angle of their axes, since its cosine does not tell small ones."""
        if self.kind != other.kind:
            return np.inf
        lengths = [self.radius - other.radius, self.arc - other.arc, size * (self.angle - other.angle)]
        if self.kind != "sphere":
            lengths.append(size * self._sine(other))
        match self.kind:
            case "plane":
                lengths.append(float(self.heights(other.at)))
            case "cylinder":
                lengths.append(float(self.radii(other.at)))
            case _:
                lengths.append(float(np.linalg.norm(self.at - other.at)))
        return float(np.sum(np.abs(lengths)))

    def _sine(self, other: Surface) -> float:
        return float(np.linalg.norm(np.cross(self.axis, other.axis)))

    def off_axis(self, other: Surface, size: float) -> float:
        """How far both are from being surfaces of revolution about one axis. A plane across the axis is one."""
        if "sphere" in (self.kind, other.kind):
            ball, turned = (self, other) if self.kind == "sphere" else (other, self)
            return 0.0 if turned.kind in ("plane", "sphere") else float(turned.radii(ball.at))
        apart = 0.0 if "plane" in (self.kind, other.kind) else float(self.radii(other.at))
        return apart + size * self._sine(other)


def _most_off_torus(torus: Surface, corners: F64) -> F64:
    steps = [(i, j, _CUTS - i - j) for i in range(_CUTS + 1) for j in range(_CUTS + 1 - i)]
    weights = np.array(steps, dtype=np.float64) / _CUTS
    found: list[F64] = []
    for part in np.array_split(corners, len(corners) // 4096 + 1):
        points = np.einsum("pv,mvi->mpi", weights, part)
        radii = torus.radii(points)
        tube = np.hypot(radii - torus.arc, torus.heights(points))
        most = np.max(np.abs(tube - torus.radius), axis=1)
        longest = np.max(np.linalg.norm(part - part[:, [1, 2, 0]], axis=2), axis=1) / _CUTS
        nearest = np.minimum(np.min(tube, axis=1), np.min(radii, axis=1)) - longest
        # The second derivatives of the distance from the arc: at most 1 / tube and 1 / radius.
        bent = np.divide(longest**2, 6.0 * nearest, out=longest.copy(), where=nearest > 0)
        found.append(most + np.minimum(bent, longest))
    return np.concatenate(found)


def nearest_surfaces(surfaces: Sequence[Surface], corners: F64) -> Ints:
    """The surface that each triangle fits best, by its corners."""
    off = np.stack([np.max(np.abs(surface.off(corners)), axis=1) for surface in surfaces])
    return np.argmin(off, axis=0).astype(np.int64)
