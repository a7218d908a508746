"""Triangle meshes: welding, volume, what is closed."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

F64 = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclasses.dataclass
class Mesh:
    """Vertices (n, 3), metres, and triangles (m, 3)."""

    vertices: F64
    triangles: Ints

    def box(self) -> F64:
        """The least and the largest corner of the box."""
        used = self.vertices[np.unique(self.triangles)]
        return np.array([used.min(axis=0), used.max(axis=0)])

    def corners(self) -> F64:
        """The corners of the triangles (m, 3, 3)."""
        return self.vertices[self.triangles]

    def volume(self) -> float:
        """The volume that a closed mesh encloses, m3; positive if its triangles run outward."""
        a, b, c = np.moveaxis(self.corners() - self.box()[0], 1, 0)
        return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)

    def area(self) -> float:
        """The area of all triangles, m2."""
        a, b, c = np.moveaxis(self.corners(), 1, 0)
        return float(np.sum(np.linalg.norm(np.cross(b - a, c - a), axis=1)) / 2)

    def welded(self) -> Mesh:
        """The mesh with one vertex for each position. Triangles keep their numbers, those with two equal
        corners too."""
        positions, index = np.unique(self.vertices + 0.0, axis=0, return_inverse=True)
        return Mesh(positions, index.reshape(-1)[self.triangles].astype(np.int64))

    def half_edges(self) -> tuple[Ints, Ints]:
        """All directed edges of triangles with three corners (k, 2), and the triangle of each."""
        t = self.triangles
        whole = np.flatnonzero((t[:, 0] != t[:, 1]) & (t[:, 1] != t[:, 2]) & (t[:, 2] != t[:, 0]))
        edges = np.concatenate([t[whole][:, [i, (i + 1) % 3]] for i in range(3)])
        return edges, np.tile(whole, 3)

    def is_closed(self) -> bool:
        """Whether each edge of the welded mesh is run through as often in one direction as in the other."""
        edges, _ = self.welded().half_edges()
        if len(edges) == 0:
            return False
        forth = np.unique(edges, axis=0, return_counts=True)
        back = np.unique(edges[:, ::-1], axis=0, return_counts=True)
        return bool(np.array_equal(forth[0], back[0]) and np.array_equal(forth[1], back[1]))


def half_ulp_f32(lengths: F64) -> float:
    """Half the spacing of single precision at the largest of these magnitudes."""
    most = np.float32(np.max(np.abs(lengths), initial=0.0))
    return float(np.spacing(most)) / 2.0
