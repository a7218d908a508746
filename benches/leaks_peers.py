"""Peers of `leaks.py`: FCL's continuous collision, parry's nonlinear casts, and poses sampled by coal, Bullet and MuJoCo.

Needs coal, python-fcl and polars; pybullet, mujoco and rapier3d are optional. Truth of motions without a closed form: conservative
advancement over coal's distances. It shares no code with clearsweep, and stops 1e-6 m before a contact.
"""

import csv
import json
import math
import sys
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

import coal
import fcl
import numpy as np

import mechanism_peers
from between_fcl import geometry
from leaks_worlds import IDENTITY, Family, Shape, Straight, slabs

try:
    import pybullet
except ImportError:
    pybullet = None
try:
    import mujoco
except ImportError:
    mujoco = None
try:
    import rapier3d
except ImportError:
    rapier3d = None

SIDES = 64
#: Bullet grows hulls by its margin, metres, and its distances are less by as much.
BULLET_MARGIN = 1e-3
STEPS = 2000
#: Every how many frames of a mechanism are kept.
STRIDES = {1: "each frame", 10: "every tenth frame"}


def mesh_of(shape):
    """Vertices and triangles of a mesh, or of a sleeve with 64 sides."""
    if shape.kind == "mesh":
        return mechanism_peers.mesh(Path(shape.file), shape.scale)
    inner, outer, height = shape.size
    angles = 2 * math.pi * np.arange(SIDES) / SIDES
    corners = [(inner, 0.0), (outer, 0.0), (outer, height), (inner, height)]
    vertices = np.array([(r * math.cos(a), r * math.sin(a), z - height / 2) for a in angles for r, z in corners])
    triangles = []
    for k in range(SIDES):
        for c in range(4):
            a, b, d, e = 4 * k + c, 4 * k + (c + 1) % 4, 4 * ((k + 1) % SIDES) + c, 4 * ((k + 1) % SIDES) + (c + 1) % 4
            triangles += [(a, d, b), (b, d, e)]
    return vertices, np.array(triangles)


def corners(shape):
    """Three corners of a point, an edge or a triangle."""
    points = list(shape.points)
    return np.array((points + [points[-1]] * 2)[:3])


def is_flat(shape):
    return shape.kind == "points" and len(shape.points) < 4


class Coal:
    name = "coal"

    def __init__(self, bodies):
        self.held = {name: self.make(shape) for name, (shape, _) in bodies.items()}

    def make(self, shape):
        if shape.kind in ("mesh", "sleeve"):
            vertices, triangles = mesh_of(shape)
            model = coal.BVHModelOBBRSS()
            model.beginModel(len(triangles), len(vertices))
            model.addVertices(vertices)
            model.addTriangles(triangles)
            model.endModel()
            return model
        if shape.kind == "points":
            return self.hull(shape)
        return {"sphere": coal.Sphere, "box": coal.Box, "cylinder": coal.Cylinder}[shape.kind](*shape.size)

    def hull(self, shape):
        listed, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
        for point in corners(shape) if is_flat(shape) else shape.points:
            listed.append(np.array(point, dtype=float))
        if not is_flat(shape):
            return coal.Convex.convexHull(listed, True, "Qt")
        triangles.append(coal.Triangle(0, 1, 2))
        return coal.Convex(listed, triangles)

    def pose(self, position, q):
        return coal.Transform3s(mechanism_peers.rotation(q), np.array(position))

    def distance(self, a, pose_a, b, pose_b):
        return coal.distance(self.held[a], pose_a, self.held[b], pose_b, coal.DistanceRequest(), coal.DistanceResult())


class Bullet:
    name = "Bullet"

    def __init__(self, bodies):
        if not pybullet.isConnected():
            pybullet.connect(pybullet.DIRECT)
        self.held = {name: self.make(shape) for name, (shape, _) in bodies.items()}
        self.margin = {name: BULLET_MARGIN * (shape.kind == "points") for name, (shape, _) in bodies.items()}

    def make(self, shape):
        if shape.kind == "points":
            return pybullet.createCollisionShape(pybullet.GEOM_MESH, vertices=[list(map(float, point)) for point in shape.points])
        if shape.kind == "box":
            return pybullet.createCollisionShape(pybullet.GEOM_BOX, halfExtents=[length / 2 for length in shape.size])
        return pybullet.createCollisionShape(pybullet.GEOM_SPHERE, radius=shape.size[0])

    def pose(self, position, q):
        return list(map(float, position)), [float(q[1]), float(q[2]), float(q[3]), float(q[0])]

    def distance(self, a, pose_a, b, pose_b):
        found = pybullet.getClosestPoints(
            *(-1, -1, 0.05),
            collisionShapeA=self.held[a],
            collisionShapePositionA=pose_a[0],
            collisionShapeOrientationA=pose_a[1],
            collisionShapeB=self.held[b],
            collisionShapePositionB=pose_b[0],
            collisionShapeOrientationB=pose_b[1],
        )
        return min((point[8] for point in found), default=math.inf) + self.margin[a] + self.margin[b]


class MuJoCo:
    name = "MuJoCo"

    def __init__(self, bodies):
        assets, geoms = "", ""
        words = lambda numbers: " ".join(repr(float(number)) for number in numbers)
        for k, (shape, _) in enumerate(bodies.values()):
            if shape.kind == "points":
                assets += f'<mesh name="m{k}" inertia="shell" vertex="{words(np.ravel(shape.points))}"/>'
                geoms += f'<geom name="g{k}" type="mesh" mesh="m{k}"/>'
                continue
            halves = {"box": (1, 1, 1), "sphere": (2,), "cylinder": (2, 1)}[shape.kind]
            geoms += f'<geom name="g{k}" type="{shape.kind}" size="{words(length * h / 2 for length, h in zip(shape.size, halves))}"/>'
        self.model = mujoco.MjModel.from_xml_string(f"<mujoco><asset>{assets}</asset><worldbody>{geoms}</worldbody></mujoco>")
        self.data = mujoco.MjData(self.model)
        mujoco.mj_kinematics(self.model, self.data)
        self.index = {name: k for k, name in enumerate(bodies)}
        # The compiler moves a mesh into its principal axes.
        self.own = [(self.data.geom_xpos[k].copy(), self.data.geom_xmat[k].reshape(3, 3).copy()) for k in range(len(bodies))]
        self.line = np.zeros(6)

    def pose(self, position, q):
        return np.array(position), mechanism_peers.rotation(q)

    def distance(self, a, pose_a, b, pose_b):
        for name, (position, turn) in ((a, pose_a), (b, pose_b)):
            k = self.index[name]
            self.data.geom_xpos[k] = position + turn @ self.own[k][0]
            self.data.geom_xmat[k] = (turn @ self.own[k][1]).ravel()
        return mujoco.mj_geomDistance(self.model, self.data, self.index[a], self.index[b], 0.05, self.line)


def sampled(family, engine, steps):
    """Answers and processor seconds of an engine at the poses of `steps` steps."""
    answers, spent, shares = [], 0.0, [k / steps for k in range(steps + 1)]
    for query in family.queries:
        poses = {name: [engine.pose(*pose) for pose in path.many(shares)] for name, path in query.items()}
        pairs = near_pairs(family, query)
        begun = time.thread_time()
        answers.append(any(engine.distance(a, one, b, two) <= family.touch for a, b in pairs for one, two in zip(poses[a], poses[b])))
        spent += time.thread_time() - begun
    return answers, spent


def radius_of(shape):
    if shape.kind in ("mesh", "points"):
        points = mesh_of(shape)[0] if shape.kind == "mesh" else np.array(shape.points)
        return np.linalg.norm(points, axis=1).max()
    if shape.kind == "sphere":
        return shape.size[0]
    if shape.kind == "box":
        return math.hypot(*shape.size) / 2
    return math.hypot(shape.size[-2], shape.size[-1] / 2)


def near_pairs(family, query):
    """Pairs whose bounding spheres may come together on the way: as a broad phase, it is not timed."""
    if len(query) == 2:
        return family.pairs(query)
    shares = [k / 16 for k in range(17)]
    centres = {name: np.array([position for position, _ in path.many(shares)]) for name, path in query.items()}
    way = {name: 1.1 * np.linalg.norm(np.diff(points, axis=0), axis=1).max() for name, points in centres.items()}
    reach = {name: radius_of(family.bodies[name][0]) + way[name] for name in query}
    gap = lambda a, b: np.linalg.norm(centres[a] - centres[b], axis=1).min() - reach[a] - reach[b]
    return [(a, b) for a, b in family.pairs(query) if gap(a, b) <= family.touch]


@dataclass
class Held:
    """A body as `mechanism_peers.sampled` wants it."""

    of_fcl: fcl.CollisionObject


def fcl_shape(shape, faces):
    if shape.kind in ("mesh", "sleeve") or is_flat(shape):
        vertices, triangles = (corners(shape), np.array([[0, 1, 2]])) if is_flat(shape) else mesh_of(shape)
        model = fcl.BVHModel()
        model.beginModel(len(vertices), len(triangles))
        model.addSubModel(vertices, triangles)
        model.endModel()
        return model
    if shape.kind == "points":
        return geometry({"vertices": shape.points, "faces": faces})
    return {"sphere": fcl.Sphere, "box": fcl.Box, "cylinder": fcl.Cylinder}[shape.kind](*shape.size)


def by_fcl(family, samples):
    """FCL's naive solver along the screws between both frames; of points, edges and triangles its polynomials (`samples` 0)."""
    held = {name: Held(fcl.CollisionObject(fcl_shape(shape, shape.faces), fcl.Transform())) for name, (shape, _) in family.bodies.items()}
    ask = mechanism_peers.sampled(samples) if samples else polynomial
    answers, spent = [], 0.0
    for query in family.queries:
        ends = {name: tuple(np.array([*q, *position]) for position, q in path.many([0.0, 1.0])) for name, path in query.items()}
        is_met = False
        for a, b in near_pairs(family, query):
            interval = mechanism_peers.Interval({}, (a, b), (held[a], held[b]), (ends[a], ends[b]))
            answer, _, seconds = ask(interval)
            spent += seconds
            is_met |= answer == "contact"
            if is_met:
                break
        answers.append(is_met)
    return answers, spent


def polynomial(interval):
    kinds = dict(ccd_motion_type=fcl.CCDMotionType.CCDM_TRANS, ccd_solver_type=fcl.CCDSolverType.CCDC_POLYNOMIAL_SOLVER)
    request, result = fcl.ContinuousCollisionRequest(num_max_iterations=1000, toc_err=1e-9, **kinds), fcl.ContinuousCollisionResult()
    (one, two), at = (body.of_fcl for body in interval.bodies), lambda pose: fcl.Transform(pose[:4], pose[4:])
    for body, (start, _) in zip((one, two), interval.ends):
        body.setTransform(at(start))
    begun = time.thread_time()
    fcl.continuousCollide(one, at(interval.ends[0][1]), two, at(interval.ends[1][1]), request, result)
    return "contact" if result.is_collide else "clear", None, time.thread_time() - begun


def parry_shape(shape):
    if is_flat(shape):
        points = [tuple(map(float, point)) for point in shape.points]
        return {1: lambda p: rapier3d.SharedShape.ball(0.0), 2: lambda p: rapier3d.SharedShape.segment(*p)}.get(
            len(points), lambda p: rapier3d.SharedShape.triangle(*p)
        )(points)
    if shape.kind == "points":
        return rapier3d.SharedShape.convex_hull(np.array(shape.points, dtype=np.float32))
    if shape.kind == "sleeve":
        vertices, triangles = mesh_of(shape)
        return rapier3d.SharedShape.trimesh(vertices.astype(np.float32), triangles.astype(np.uint32))
    if shape.kind == "cylinder":
        angles, (radius, height) = 2 * math.pi * np.arange(SIDES) / SIDES, shape.size
        rings = [(radius * math.cos(a), radius * math.sin(a), z) for a in angles for z in (-height / 2, height / 2)]
        return rapier3d.SharedShape.convex_hull(np.array(rings, dtype=np.float32))
    if shape.kind == "box":
        return rapier3d.SharedShape.cuboid(*(length / 2 for length in shape.size))
    return rapier3d.SharedShape.ball(shape.size[0])


def by_parry(family):
    """parry's nonlinear casts against a body that does not turn, in `f32`, as rapier3d offers them; None if no pair of the family is of that kind."""
    shapes = {name: parry_shape(shape) for name, (shape, _) in family.bodies.items()}
    is_turning = lambda name, ends: family.bodies[name][0].kind != "sphere" and ends[name][0][1] != ends[name][1][1]
    options, answers, spent = rapier3d.ShapeCastOptions(max_time_of_impact=1.0, stop_at_penetration=False), [], 0.0
    for query in family.queries:
        ends, is_met = {name: path.many([0.0, 1.0]) for name, path in query.items()}, False
        for pair in near_pairs(family, query):
            a, b = sorted(pair, key=lambda name: is_turning(name, ends))
            if is_turning(a, ends):
                return None
            world = rapier3d.PhysicsWorld()
            at = lambda pose: rapier3d.Isometry3(tuple(map(float, pose[0])), rapier3d.Rotation3(*map(float, pose[1])))
            world.colliders.insert(rapier3d.Collider.new(shapes[a]).position(at(ends[a][0])).build())
            world.detect_collisions()
            world.update_query_pipeline()
            way = np.subtract(*(np.subtract(ends[name][1][0], ends[name][0][0]) for name in (b, a)))
            turn = angular(*(pose[1] for pose in ends[b])) if is_turning(b, ends) else (0.0, 0.0, 0.0)
            motion = rapier3d.NonlinearRigidMotion(at(ends[b][0]), (0.0, 0.0, 0.0), tuple(map(float, way)), turn)
            begun = time.thread_time()
            is_met |= world.query_pipeline.cast_shape_nonlinear(motion, shapes[b], options, 0.0, 1.0) is not None
            spent += time.thread_time() - begun
        answers.append(is_met)
    return answers, spent


def angular(q, r):
    """The constant angular velocity from one quaternion to another, radians an interval."""
    (p, a), (s, b) = ((c[0], np.array(c[1:])) for c in (q, r))
    vector, scalar = p * b - s * a - np.cross(b, a), p * s + a @ b
    sine = np.linalg.norm(vector)
    return tuple(float(c) for c in vector * (math.copysign(2 * math.atan2(sine, abs(scalar)), scalar) / sine if sine else 0.0))


def has_other_screws(family):
    """Whether bodies turn while their origins move on lines: the screw between both poses is another motion."""
    ends = [path.many([0.0, 1.0]) for query in family.queries for path in query.values() if family.between == "linear"]
    way = lambda one, other: np.subtract(other[0], one[0])
    turns = lambda one, other: np.array(angular(one[1], other[1]))
    return any(np.linalg.norm(np.cross(way(*end), turns(*end))) > 1e-9 for end in ends)


def checkers(family):
    """Yields (name, function that returns answers and processor seconds) of all peers that can hold the family's shapes."""
    kinds = {shape.kind for shape, _ in family.bodies.values()}
    is_small, is_round = any(is_flat(shape) for shape, _ in family.bodies.values()), kinds & {"mesh", "sleeve"}
    if has_other_screws(family):
        print(f"not run: FCL on {family.name}, whose bodies do not move on screws", file=sys.stderr)
    elif is_small:
        yield "FCL, polynomials", lambda: by_fcl(family, 0)
    else:
        for samples in (10, 100) if "mesh" not in kinds else (10,):
            yield f"FCL, {samples} samples", lambda samples=samples: by_fcl(family, samples)
    if rapier3d and "mesh" not in kinds:
        yield "parry, nonlinear (f32)", lambda: by_parry(family)
    for engine, has in [(Coal, True), (Bullet, pybullet and not is_round), (MuJoCo, mujoco and not is_round and not is_small)]:
        if not has:
            print(f"not run: {engine.__name__} on {family.name}", file=sys.stderr)
            continue
        for steps in (1, 10):
            yield f"{engine.name}, {steps} step{'s' * (steps > 1)}", lambda e=engine, steps=steps: sampled(family, e(family.bodies), steps)


def advanced(engine, a, path_a, b, path_b, speed):
    """The truth by conservative advancement over coal's distances: True from 1e-6 m on, None if it gives up."""
    share = 0.0
    for _ in range(STEPS):
        distance = engine.distance(a, engine.pose(*path_a.at(share)), b, engine.pose(*path_b.at(share)))
        if distance < 1e-6:
            return True
        if distance < 1e-7 * speed:
            return None
        share += distance / speed if speed > 0 else 1.0
        if share >= 1.0:
            return False
    return None


def motions(folder):
    """Yields the families of `between_peers`, whose lines are bodies and motions; statuses that stand there are not used."""
    lines = [json.loads(line) for line in (folder / "motions.jsonl").read_text().splitlines()]
    hulls = [line for line in lines if "vertices" in line]
    bodies = {}
    for k, line in enumerate(hulls):
        shape = Shape("points", points=tuple(map(tuple, line["vertices"])), faces=tuple(map(tuple, line["faces"])))
        bodies |= {f"one-{k}": (shape, ""), f"two-{k}": (shape, "")}
    engine = Coal(bodies)
    radii = {name: radius_of(shape) for name, (shape, _) in bodies.items()}
    for name in dict.fromkeys(line["family"] for line in lines if "family" in line):
        queries, truth, is_closed = [], [], True
        for line in (line for line in lines if line.get("family") == name):
            names = [f"{side}-{k}" for side, k in zip(("one", "two"), line["bodies"])]
            paths = [Straight(*((tuple(position), tuple(q)) for position, q in ends)) for ends in line["ends"]]
            queries.append(dict(zip(names, paths)))
            if all(q == IDENTITY for path in paths for _, q in (path.start, path.end)):
                half = sum(np.abs(bodies[body][0].points).max(0) for body in names)
                relative = [np.subtract(*(getattr(path, end)[0] for path in paths[::-1])) for end in ("start", "end")]
                truth.append(slabs(half, *relative))
                continue
            is_closed = False
            angles = [2 * math.acos(min(1.0, abs(sum(a * b for a, b in zip(path.start[1], path.end[1]))))) for path in paths]
            moved = np.subtract(*(np.subtract(path.end[0], path.start[0]) for path in paths))
            speed = np.linalg.norm(moved) + sum(angle * radii[body] for angle, body in zip(angles, names))
            truth.append(advanced(engine, names[0], paths[0], names[1], paths[1], speed))
        yield Family(name, "closed form (slabs)" if is_closed else "advancement", bodies, queries, truth)


@dataclass
class Along:
    """The path of a body on the screw of `mechanism_peers`."""

    screw: mechanism_peers.Screw

    def at(self, share):
        pose = self.screw.at(share)
        q = pose.getQuatRotation()
        return tuple(pose.getTranslation()), (q.w, q.x, q.y, q.z)

    def many(self, shares):
        return [self.at(share) for share in shares]


def mechanisms(program, folder, work, count):
    """Yields `count` near pairs of each mechanism, on the screws from a frame to the next, and to the tenth one."""
    cases = {stride: ({}, [], []) for stride in STRIDES}
    for scene in sorted(path.parent for path in folder.glob("*/scene.toml")):
        mechanism_peers.seconds(program, scene, work / "mechanisms" / scene.name, "screw")
        still_poses, moving = mechanism_peers.read_scene(scene)[1:]
        shapes = shapes_of(scene)
        found = mechanism_peers.read_intervals(scene, work / "mechanisms" / scene.name)
        for stride, (bodies, queries, truth) in cases.items():
            kept = 0
            for interval in found:
                run, frame = interval.row["run"], interval.row["frame"]
                at = lambda name, frame: still_poses[name] if name in still_poses else moving.get((run, frame, name))
                ends = [(at(name, frame), at(name, frame + stride)) for name in interval.names]
                if frame % stride or kept == count or any(end is None for pair in ends for end in pair):
                    continue
                kept += 1
                this = mechanism_peers.Interval({}, interval.names, interval.bodies, tuple(ends))
                names = [f"{scene.name}/{name}" for name in interval.names]
                bodies |= {name: (shapes[name.split("/", 1)[1]], "") for name in names}
                queries.append({name: Along(screw) for name, screw in zip(names, this.screws)})
                answer, _, _ = mechanism_peers.advance(this)
                truth.append({"contact": True, "clear": False}.get(answer))
    for stride, (bodies, queries, truth) in cases.items():
        yield Family(f"mechanisms, {STRIDES[stride]}", "advancement", bodies, queries, truth, "screw")


def shapes_of(scene):
    with open(scene / "scene.toml", "rb") as file:
        table = tomllib.load(file)["bodies"][0]["table"]
    with open(scene / table, encoding="utf-8") as file:
        return {row["body"]: Shape("mesh", file=str((scene / row["geometry"]).resolve()), scale=float(row["scale"])) for row in csv.DictReader(file)}
