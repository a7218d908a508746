"""STEP files: the assembly tree and the triangles of cascadio, held against the analytic faces that it names."""

from __future__ import annotations

import collections
import dataclasses
import importlib.metadata
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from typing import Any

import numpy as np

from .._errors import Error
from .glb import NO_GLB, Glb, hex_of_linear
from .meshes import F64, Ints, Mesh, half_ulp_f32
from .messages import lines_of
from .packages import package
from .proof import prove
from .scene import Body, Converted
from .surfaces import Surface

#: Largest angle between neighbouring chords, radians.
_ANGLE = 0.5

#: Reads STEP from stdin, and writes GLB to a file.
_MESHER = """
import sys, cascadio
linear, angular, out = sys.argv[1:]
options = dict(tol_linear=float(linear), tol_angular=float(angular), tol_relative=False, include_brep=True)
made = cascadio.load(sys.stdin.buffer.read(), file_type="step", **options)
open(out, "wb").write(made)
"""

#: Lines of the reader that are passed on.
_TOLD = 20

#: A name that Open CASCADE makes up where the file has none.
_MADE_UP = re.compile(r"=>\[[\d:]+\]|SOLID|COMPOUND|SHELL|COMPSOLID|Open CASCADE STEP translator.*|")


@dataclasses.dataclass
class _Part:
    """A mesh of the new GLB: its number, its deviation, its largest distance from the origin, the spacing of
    its coordinates."""

    number: int
    deviation: float
    source: str
    why: str
    reach: float
    step: float
    colour: str | None


@dataclasses.dataclass
class _Place:
    """The place of a node: names above it, and bounds on the error of a point at a distance."""

    names: tuple[str, ...] = ()
    #: Lengths and shares of the reach, of all levels above.
    shift: float = 0.0
    turn: float = 0.0
    stretch: float = 1.0


def convert_step(path: str, data: bytes, tolerance_m: float, result: Converted) -> None:
    """Adds the bodies of a STEP file. ``tolerance_m`` is what the mesher is asked for."""
    if not data.lstrip().startswith(b"ISO-10303-21"):
        problem = "is no STEP file: it does not begin with `ISO-10303-21`"
        raise Error("input", path, path, problem, "export the model as STEP (AP203, AP214 or AP242)")
    package("cascadio", "step")
    made, printed = _meshed(path, data, tolerance_m)
    glb = Glb(made, path, printed)
    result.notes += [f"{path}: the reader says: {line}" for line in printed[:_TOLD]]
    result.sources.append(
        (path, f"cascadio {importlib.metadata.version('cascadio')}, tolerance {1e3 * tolerance_m:g} mm")
    )
    tree, before = _Tree(glb, tolerance_m, result), len(result.bodies)
    for root in glb.document["scenes"][glb.document.get("scene", 0)].get("nodes", []):
        tree.add(root, None, _Place())
    if len(result.bodies) == before:
        raise Error("input", path, path, "has no part with faces", "export solids: points and curves are no bodies")
    tree.tell()


def _meshed(path: str, data: bytes, tolerance_m: float) -> tuple[bytes, list[str]]:
    """The GLB that cascadio makes of a file, and what it prints. It has a process of its own: a damaged file
    may end it, and the next file would be read with what is left of the one before."""
    with tempfile.TemporaryDirectory(prefix="clearsweep-") as folder:
        out = os.path.join(folder, "made.glb")
        words = [sys.executable, "-c", _MESHER, repr(1e3 * tolerance_m), repr(_ANGLE), out]
        done = subprocess.run(words, input=data, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        printed = lines_of(done.stdout)
        if done.returncode != 0 or not os.path.exists(out):
            printed = [f"it ended with code {done.returncode}", *printed[-2:]]
            raise Error("input", path, path, f"cascadio cannot read it ({'; '.join(printed)})", NO_GLB)
        with open(out, "rb") as file:
            return file.read(), printed


class _Tree:
    """Copies the nodes that have triangles, or carry some."""

    def __init__(self, glb: Glb, tolerance_m: float, converted: Converted) -> None:
        self.glb, self.tolerance, self.converted = glb, tolerance_m, converted
        self.nodes: list[dict[str, Any]] = glb.document.get("nodes", [])
        self.parts: dict[tuple[Any, ...], _Part] = {}
        self.names: dict[int | None, collections.Counter[str]] = collections.defaultdict(collections.Counter)
        self.names[None] = converted.taken
        self.unproven: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)

    def tell(self) -> None:
        """Adds what the user has to know."""
        for why, names in self.unproven.items():
            bodies, first = sum(names.values()), next(iter(names))
            note = f"the deviation of {bodies:,} bodies, such as {first}, is declared and not proven: {why}"
            self.converted.notes.append(note)

    def _primitives(self, node: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The triangles of a node's mesh."""
        listed: list[dict[str, Any]] = self.glb.document["meshes"][node["mesh"]]["primitives"] if "mesh" in node else []
        return [part for part in listed if part.get("mode", 4) == 4]

    def _carries(self, number: int) -> bool:
        node = self.nodes[number]
        return bool(self._primitives(node)) or any(self._carries(child) for child in node.get("children", []))

    def add(self, number: int, above: int | None, place: _Place) -> None:
        """Adds a node, if it has triangles, and those below it."""
        node = self.nodes[number]
        if not self._carries(number):
            self.converted.leave_out("since they have no faces", "nodes of curves and points")
            return
        children: list[int] = node.get("children", [])
        primitives, owner = self._primitives(node), number
        carrying = [child for child in children if self._carries(child)]
        if not primitives and len(carrying) == 1 and self._is_made_up(carrying[0]):
            # A solid without a name of its own is the part above it.
            owner = carrying[0]
            primitives = self._primitives(self.nodes[owner])
            children = [child for child in children if child != owner]
        name = self._name(node, above)
        here = _below(place, node, name)
        keys: dict[str, Any] = {key: node[key] for key in ("matrix", "translation", "rotation", "scale") if key in node}
        if primitives:
            part = self._part(self.nodes[owner], primitives)
            keys["mesh"] = part.number
            self.converted.bodies.append(self._body(part, here, self._kind(self.nodes[owner], node)))
        mine = self.converted.glb.node(name, keys, above)
        for child in children:
            self.add(child, mine, here)

    def _is_made_up(self, number: int) -> bool:
        node = self.nodes[number]
        placed = any(key in node for key in ("matrix", "translation", "rotation", "scale"))
        return not placed and not node.get("children") and _MADE_UP.fullmatch(node.get("name", "").strip()) is not None

    def _name(self, node: Mapping[str, Any], above: int | None) -> str:
        """The name of a node, which is unique below the node above it."""
        name = node.get("name", "").strip().replace("/", "_") or "part"
        self.names[above][name] += 1
        count = self.names[above][name]
        return name if count == 1 else f"{name}#{count}"

    def _kind(self, owner: Mapping[str, Any], node: Mapping[str, Any]) -> str:
        """The name of the part, of which the node is one."""
        name = self.glb.document["meshes"][owner["mesh"]].get("name", "").strip()
        return node.get("name", "part").strip() if _MADE_UP.fullmatch(name) else name

    def _body(self, part: _Part, place: _Place, kind: str) -> Body:
        name = "/".join(place.names)
        if part.source == "declared":
            self.unproven[part.why][name] += 1
        deviation = float(place.stretch * part.deviation + place.shift + place.turn * part.reach)
        return Body(
            name,
            place.names[-1],
            kind,
            deviation,
            part.source,
            "cascadio",
            2 * part.reach,
            part.step,
            colour=part.colour,
        )

    def _part(self, owner: Mapping[str, Any], primitives: list[dict[str, Any]]) -> _Part:
        """The mesh of a node. Nodes whose meshes have the same numbers share it."""
        key = tuple((part["attributes"]["POSITION"], part["indices"], part.get("material")) for part in primitives)
        found = self.parts.get(key)
        if found is None:
            found = self.parts[key] = self._new_part(owner, primitives)
        return found

    def _new_part(self, owner: Mapping[str, Any], primitives: list[dict[str, Any]]) -> _Part:
        mesh, surfaces, faces = brep(self.glb, primitives)
        proof = prove(mesh, surfaces, faces)
        # Each coordinate is off by half a unit in the last place.
        rounding = np.sqrt(3.0) * half_ulp_f32(mesh.vertices)
        declared = max(self.tolerance + rounding, proof.measured)
        deviation, source = (declared, "declared") if proof.deviation is None else (proof.deviation, "proven")
        colour = self._colour(primitives[0].get("material"))
        name = self.glb.document["meshes"][owner["mesh"]].get("name", "part")
        number = self.converted.glb.mesh(name, mesh.vertices.astype(np.float32), mesh.triangles, colour)
        reach = float(np.max(np.linalg.norm(mesh.vertices, axis=1)))
        return _Part(number, deviation, source, proof.why, reach, 2 * half_ulp_f32(mesh.vertices), colour)

    def _colour(self, material: int | None) -> str | None:
        if material is None:
            return None
        factor = self.glb.document["materials"][material].get("pbrMetallicRoughness", {}).get("baseColorFactor")
        return hex_of_linear(factor) if factor else None


def brep(glb: Glb, primitives: list[dict[str, Any]]) -> tuple[Mesh, list[Surface | None], Ints]:
    """The triangles of primitives, the surfaces of their faces, and the face of each triangle."""
    vertices: list[F64] = []
    triangles: list[Ints] = []
    faces: list[Ints] = []
    surfaces: list[Surface | None] = []
    count = 0
    for part in primitives:
        points = glb.array(part["attributes"]["POSITION"]).astype(np.float64)
        index = glb.array(part["indices"]).astype(np.int64).reshape(-1, 3)
        told: dict[str, Any] = part.get("extensions", {}).get("TM_brep_faces", {})
        owner = glb.array(told["faceIndices"]).astype(np.int64) if told else np.zeros(len(index), dtype=np.int64)
        named: list[dict[str, Any] | None] = told.get("faces", [None])
        listed = [surface_of(face or {}, points[index[owner == place]]) for place, face in enumerate(named)]
        vertices.append(points)
        triangles.append(index + count)
        faces.append(owner + len(surfaces))
        surfaces += listed
        count += len(points)
    return Mesh(np.concatenate(vertices), np.concatenate(triangles)), surfaces, np.concatenate(faces)


def surface_of(face: Mapping[str, Any], corners: F64) -> Surface | None:
    """The surface of a face of ``TM_brep_faces``; None: it is no analytic one."""
    match face.get("type"):
        case "plane":
            return Surface("plane", face["origin"], face["normal"])
        case "cylinder":
            return Surface("cylinder", face["origin"], face["axis"], face["radius"])
        case "sphere":
            return Surface("sphere", face["center"], np.array([0.0, 0.0, 1.0]), face["radius"])
        case "torus":
            return Surface("torus", face["center"], face["axis"], face["minor_radius"], face["major_radius"])
        case "cone":
            cone = Surface("cone", face["apex"], face["axis"], angle=abs(face["semi_angle"]))
            # The cone opens to the side on which the face lies.
            if corners.size and float(np.mean(cone.heights(corners))) < 0:
                cone.axis = -cone.axis
            return cone
        case _:
            return None


def _below(place: _Place, node: Mapping[str, Any], name: str) -> _Place:
    """The place of a node. The numbers of its matrix are in single precision: each is off by half a unit in
    the last place, and a rotation is read as the nearest one, which moves points as far again."""
    matrix = np.array(node.get("matrix", np.eye(4).reshape(-1)), dtype=np.float64).reshape(4, 4).T
    if "translation" in node:
        matrix[:3, 3] = node["translation"]
    halves = np.spacing(np.abs(matrix[:3]).astype(np.float32)).astype(np.float64) / 2 * (matrix[:3] != 0)
    stretch = float(np.linalg.norm(matrix[:3, :3], 2))
    turn = 0.0 if "matrix" not in node else 2 * float(np.linalg.norm(halves[:, :3]))
    shift = float(np.linalg.norm(halves[:, 3])) + turn * float(np.linalg.norm(matrix[:3, 3]))
    return _Place(
        (*place.names, name),
        place.shift + place.stretch * shift + place.turn * float(np.linalg.norm(matrix[:3, 3])),
        place.turn * stretch + place.stretch * turn,
        place.stretch * stretch,
    )
