"""Models of MuJoCo as scenes: the geoms that it collides, their shapes, and the pairs that it leaves out."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from . import _scale_out
from ._errors import Error
from ._scene import Scene

#: Fewer vertices of a mesh than this, and MuJoCo asks all of them, not those of the hull alone.
_HULL_VERTICES = 10

#: The box that stands for a half space is at least so many times as large as the median of all geoms.
_PLANE_SIZE = 5000.0


class World:
    """A model: the geoms that MuJoCo collides, their shapes, and the pairs that it leaves out."""

    def __init__(self, model: Any, *, moves_mocap: bool) -> None:
        self.mujoco = mujoco = _scale_out.module("mujoco", "mujoco")
        self.numpy = numpy = _scale_out.module("numpy", "mujoco")
        #: The model in messages.
        self.label, m = read_model(mujoco, model)
        self.model = m
        self.data = mujoco.MjData(m)
        mujoco.mj_kinematics(m, self.data)
        #: Problems and remedies to be told.
        self.remarks: list[tuple[str, str]] = []
        self.names = self._names()

        #: The body that each body is welded to: one with a joint, a mocap body, or the world. `body_weldid` of
        #: some versions welds mocap bodies to the world.
        self.carrier: list[int] = []
        parents: list[int] = m.body_parentid.tolist()
        for body, parent in enumerate(parents):
            is_carrier = body == 0 or m.body_jntnum[body] > 0 or m.body_mocapid[body] >= 0
            self.carrier.append(body if is_carrier else self.carrier[parent])
        carrier = numpy.array(self.carrier)
        is_mocap = m.body_mocapid[carrier] >= 0
        #: Whether poses of the states move each body, and whether a joint does.
        self.moves = (carrier != 0) & (moves_mocap | ~is_mocap)
        self.has_joint = (carrier != 0) & ~is_mocap
        #: Geoms of explicit pairs, lesser one first.
        ends = zip(m.pair_geom1.tolist(), m.pair_geom2.tolist(), strict=True)
        self.pairs = {(min(a, b), max(a, b)) for a, b in ends}
        bits = numpy.stack([m.geom_contype, m.geom_conaffinity], axis=1).astype("int64")
        kinds, self.kind = numpy.unique(bits, axis=0, return_inverse=True)
        self.kind = self.kind.reshape(-1)
        #: By `kind`, pairs of bits that collide.
        self.kinds: list[list[int]] = kinds.tolist()
        self.collide = ((kinds[:, None, 0] & kinds[None, :, 1]) | (kinds[:, None, 1] & kinds[None, :, 0])) != 0

        in_pair = {geom for pair in self.pairs for geom in pair}
        partners = numpy.isin(numpy.arange(m.ngeom), sorted(in_pair)) | self.collide.any(axis=1)[self.kind]
        shapes = {geom: self._shape(geom) for geom in numpy.flatnonzero(partners).tolist()}
        #: Shapes of geoms that are bodies, as keys of `Scene.add`; empty of planes.
        self.shapes: dict[int, Mapping[str, Any]] = {geom: shape for geom, shape in shapes.items() if shape is not None}
        moves = self.moves[m.geom_bodyid]
        #: Geoms that move, in the order of the poses.
        self.moving = numpy.array([geom for geom in self.shapes if moves[geom]], dtype="int64")
        self._remark(shapes, has_mocap=bool(is_mocap.any()) and not moves_mocap)
        if len(self.moving) == 0:
            problem = "no geom moves that MuJoCo collides and that has a shape here"
            remedy = "look at `contype`, `conaffinity` and the joints of the model"
            raise Error("input", None, self.label, problem, remedy)

    def _name(self, kind: str, index: int) -> str | None:
        return self.mujoco.mj_id2name(self.model, getattr(self.mujoco.mjtObj, f"mjOBJ_{kind}"), index) or None

    def body_name(self, body: int) -> str:
        """The name of a body, else ``body_K``."""
        return self._name("BODY", body) or f"body_{body}"

    def joint_name(self, joint: int) -> str:
        """The name of a joint, else ``BODY/jointK``, K from 1."""
        body = int(self.model.jnt_bodyid[joint])
        return self._name("JOINT", joint) or f"{self.body_name(body)}/joint{joint - self.model.body_jntadr[body] + 1}"

    def _names(self) -> list[str]:
        """The names of all geoms, each once."""
        seen: set[str] = {name for geom in range(self.model.ngeom) if (name := self._name("GEOM", geom))}
        names: list[str] = []
        for geom in range(self.model.ngeom):
            name = self._name("GEOM", geom)
            if name is None:
                body = int(self.model.geom_bodyid[geom])
                first = f"{self.body_name(body)}/geom-{geom - self.model.body_geomadr[body]}"
                name, count = first, 1
                while name in seen:
                    count += 1
                    name = f"{first}#{count}"
                seen.add(name)
            names.append(name)
        return names

    def _shape(self, geom: int) -> Mapping[str, Any] | None:
        """The shape of a geom in its frame; None if there is none here."""
        m, kinds = self.model, self.mujoco.mjtGeom
        kind, (a, b, c) = int(m.geom_type[geom]), m.geom_size[geom].tolist()
        if kind == kinds.mjGEOM_PLANE:
            return {}
        if kind == kinds.mjGEOM_SPHERE:
            return {"sphere": a}
        if kind == kinds.mjGEOM_CAPSULE:
            return {"capsule": [a, 2.0 * b]}
        if kind == kinds.mjGEOM_BOX:
            return {"box": [2.0 * a, 2.0 * b, 2.0 * c]}
        if kind == kinds.mjGEOM_CYLINDER:
            return {"cylinder": [a, 2.0 * b]}
        if kind == kinds.mjGEOM_ELLIPSOID:
            return {"ellipsoid": [a, b, c]}
        if kind == kinds.mjGEOM_MESH:
            return {"points": self._hull_vertices(int(m.geom_dataid[geom])).astype("float64").tolist()}
        return None

    def _hull_vertices(self, mesh: int) -> Any:
        """The vertices whose hull MuJoCo collides, in single precision as it stores them."""
        m = self.model
        first, count, graph = int(m.mesh_vertadr[mesh]), int(m.mesh_vertnum[mesh]), int(m.mesh_graphadr[mesh])
        vertices = m.mesh_vert[first : first + count]
        if graph < 0 or count < _HULL_VERTICES:
            return vertices
        # Numbers of vertices and faces, where the edges of each vertex begin, and the vertices.
        hull = int(m.mesh_graph[graph])
        return vertices[m.mesh_graph[graph + 2 + hull : graph + 2 + 2 * hull]]

    def _remark(self, shapes: Mapping[int, Mapping[str, Any] | None], *, has_mocap: bool) -> None:
        """Notes down what is left out."""
        m, mujoco = self.model, self.mujoco
        flexes = [index for index in range(m.nflex) if m.flex_contype[index] or m.flex_conaffinity[index]]
        lacking = [geom for geom, shape in shapes.items() if shape is None]
        words = {mujoco.mjtGeom.mjGEOM_HFIELD: "height fields", mujoco.mjtGeom.mjGEOM_SDF: "signed distance fields"}
        for kind in dict.fromkeys(m.geom_type[lacking].tolist()):
            named = listed([self.names[geom] for geom in lacking if m.geom_type[geom] == kind])
            remedy = "no finding names them: give the model boxes or meshes in their place"
            self.remarks.append((f"{named}: {words.get(kind, f'geoms of the type {kind}')} are left out", remedy))
        if flexes:
            named = listed([self._name("FLEX", index) or f"flex-{index}" for index in flexes])
            self.remarks.append(
                (f"{named}: flexes are left out", "no finding names them: only rigid geoms are checked")
            )
        if has_mocap:
            named = listed([self.body_name(body) for body in self.numpy.flatnonzero(m.body_mocapid >= 0).tolist()])
            remedy = "give their poses: `mocap_pos=` and `mocap_quat=`"
            self.remarks.append((f"{named}: mocap bodies stand where the model has them", remedy))
        if m.opt.disableflags & (mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_CONSTRAINT):
            remedy = "all pairs are checked that it would collide with `contact` and `constraint` enabled"
            self.remarks.append(("the model disables contacts, so that MuJoCo lets everything pass", remedy))

    def poses(self, geoms: Any) -> tuple[Any, Any]:
        """Positions, and quaternions of bodies and of geoms in bodies, as they stand in `data`."""
        return self.data.geom_xpos[geoms], self.data.xquat[self.model.geom_bodyid[geoms]]

    def scene(self, reach: tuple[Any, Any]) -> Scene:
        """The scene, whose planes are boxes that reach beyond a box: its least and its largest coordinates."""
        m = self.model
        ignored, groups = self._ignored()
        scene = Scene("m", name=m.names.split(b"\0", 1)[0].decode("utf-8", "replace") or None)
        moves = self.moves[m.geom_bodyid]
        self.mujoco.mj_kinematics(m, self.data)
        for geom, shape in self.shapes.items():
            keys: dict[str, Any] = dict(shape)
            if not moves[geom]:
                position, turn = self.poses([geom])
                turn = product(self.numpy, turn, m.geom_quat[[geom]])
                position = position[0]
                if not shape:
                    position, keys = self._half_space(position, self.data.geom_xmat[geom].reshape(3, 3)[:, 2], reach)
                names = ("qw", "qx", "qy", "qz")
                keys |= {"static": True, "position": position.tolist()}
                keys["orientation"] = dict(zip(names, turn[0].tolist(), strict=True))
            scene.add(self.names[geom], group=groups.get(geom), **keys)
        for a, b, reason in ignored:
            scene.ignore(a, b, reason=reason)
        return scene

    def _half_space(self, position: Any, normal: Any, reach: tuple[Any, Any]) -> tuple[Any, dict[str, Any]]:
        """The middle and the shape of a box that stands for a half space, whose surface has this position and normal.

        All that moves lies in a ball. The other sides of the box are so far from it that the shortest way out of the
        box leads through the surface.
        """
        low, high = reach
        middle, radius = 0.5 * (low + high), 0.5 * math.dist(low, high)
        height = float(normal @ (middle - position))
        # So large that nobody takes it for a body in another unit of length. A power of two: halves of it are exact.
        radii = sorted(float(self.model.geom_rbound[geom]) for geom, shape in self.shapes.items() if shape)
        usual = 2.0 * radii[min(len(self.shapes) // 2, len(radii) - 1)]
        size = 2.0 ** math.ceil(math.log2(max(4.0 * (2.0 * radius + abs(height)), _PLANE_SIZE * usual)))
        return middle - (height + 0.5 * size) * normal, {"box": [2.0 * size, 2.0 * size, size]}

    def _ignored(self) -> tuple[list[tuple[str, str, str]], dict[int, list[str]]]:
        """Pairs that MuJoCo does not collide, as selectors with a reason, and the groups of geoms that they name.

        After MuJoCo's documentation, Computation, Collision detection, Selection.
        """
        m = self.model
        body: list[int] = m.geom_bodyid.tolist()
        weld: list[int] = m.body_weldid.tolist()
        parents: list[int] = m.body_parentid.tolist()
        moves, has_joint = self.moves.tolist(), self.has_joint.tolist()
        rules = _Rules(self.names, [moves[body[geom]] for geom in range(m.ngeom)], self.pairs)

        def gathered(key: Callable[[int], int]) -> dict[int, list[int]]:
            found: dict[int, list[int]] = {}
            for geom in self.shapes:
                found.setdefault(key(geom), []).append(geom)
            return found

        for members in gathered(lambda geom: self.carrier[body[geom]]).values():
            rules.add(members, members, "one rigid body")
        of_weld, of_body = gathered(lambda geom: weld[body[geom]]), gathered(lambda geom: body[geom])
        for root, members in of_weld.items():
            parent = weld[parents[root]]
            # The world is nobody's parent here.
            if root and parent and not m.opt.disableflags & self.mujoco.mjtDisableBit.mjDSBL_FILTERPARENT:
                rules.add(members, of_weld.get(parent, []), "parent and child")
        for index, signature in enumerate(m.exclude_signature.tolist()):
            a, b = signature >> 16, signature & 0xFFFF
            name = self._name("EXCLUDE", index)
            reason = "excluded by the model" + (f": {name}" if name else "")
            rules.add(of_body.get(a, []), of_body.get(b, []), reason)
        idle = [geom for geom in self.shapes if not has_joint[body[geom]]]
        rules.add(idle, idle, "neither has a degree of freedom")
        of_kind = gathered(lambda geom: int(self.kind[geom]))
        for first, members in of_kind.items():
            for second, others in of_kind.items():
                if first <= second and not self.collide[first, second]:
                    bits = ["{}/{}".format(*self.kinds[kind]) for kind in (first, second)]
                    rules.add(members, others, f"contype/conaffinity {' and '.join(bits)}")
        return rules.rules, rules.groups


class _Rules:
    """Rules that ignore pairs of geoms but for some, and the groups of geoms that they need."""

    def __init__(self, names: Sequence[str], moves: Sequence[bool], pairs: set[tuple[int, int]]) -> None:
        self._names, self._moves = names, moves
        self._partners: dict[int, set[int]] = {}
        for a, b in pairs:
            self._partners.setdefault(a, set()).add(b)
            self._partners.setdefault(b, set()).add(a)
        self._selectors: dict[tuple[int, ...], str] = {}
        #: Two selectors and a reason.
        self.rules: list[tuple[str, str, str]] = []
        #: Groups by geom.
        self.groups: dict[int, list[str]] = {}

    def add(self, a: Sequence[int], b: Sequence[int], reason: str) -> None:
        """Ignores the pairs of a geom of `a` with one of `b`, but for the explicit pairs of the model."""
        others = set(b)
        plain = [geom for geom in a if self._partners.get(geom, set()).isdisjoint(others)]
        self._add(plain, b, reason)
        for geom in a:
            partners = self._partners.get(geom, set())
            if not partners.isdisjoint(others):
                self._add([geom], [other for other in b if other not in partners and other != geom], reason)

    def _add(self, a: Sequence[int], b: Sequence[int], reason: str) -> None:
        if not a or not b or (len(a) == 1 and list(a) == list(b)):
            return
        if any(self._moves[geom] for geom in a) or any(self._moves[geom] for geom in b):
            self.rules.append((self._selector(a), self._selector(b), reason))

    def _selector(self, geoms: Sequence[int]) -> str:
        if len(geoms) == 1:
            return self._names[geoms[0]]
        key = tuple(geoms)
        if key not in self._selectors:
            group = f"geoms-{len(self._selectors)}"
            self._selectors[key] = f"group:{group}"
            for geom in geoms:
                self.groups.setdefault(geom, []).append(group)
        return self._selectors[key]


def product(numpy: Any, a: Any, b: Any) -> Any:
    """The product of quaternions (w, x, y, z), of length 1."""
    (aw, ax, ay, az), (bw, bx, by, bz) = numpy.moveaxis(a, -1, 0), numpy.moveaxis(b, -1, 0)
    parts = (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )
    whole = numpy.stack(parts, axis=-1)
    return whole / numpy.linalg.norm(whole, axis=-1, keepdims=True)


def read_model(mujoco: Any, model: Any) -> tuple[str, Any]:
    """A model, and how messages call it."""
    if isinstance(model, mujoco.MjModel):
        return "the model", model
    if not isinstance(model, (str, os.PathLike)):
        problem = f"an object of type {type(model).__name__}"
        raise Error("usage", None, "model", problem, "give the path of an MJCF file, or a `mujoco.MjModel`")
    path: str = os.fspath(cast("str | os.PathLike[str]", model))
    if not os.path.isfile(path):
        problem = "is no file" if os.path.exists(path) else "does not exist"
        raise Error("input", path, path, problem, "give the path of an MJCF file, or a `mujoco.MjModel`")
    try:
        read = mujoco.MjModel.from_binary_path if path.endswith(".mjb") else mujoco.MjModel.from_xml_path
        return path, read(path)
    except (ValueError, mujoco.FatalError) as error:
        problem = f"MuJoCo cannot read it: {' '.join(str(error).split())}"
        raise Error("input", path, path, problem, "correct the model, or give one that MuJoCo compiles") from None


def listed(names: Sequence[str]) -> str:
    """At most five names."""
    more = len(names) - 5
    return ", ".join(names[:5]) + (f" and {more} more" if more > 0 else "")
