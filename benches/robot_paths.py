"""Joint paths of MotionBenchMaker's problems: the time to prove one, and what checks of samples at the resolutions of planners let pass.

    python benches/robot_paths.py PROGRAM DATA OUT [--paths 100] [--robot panda] [--fcl]

DATA: the folder motionbench. Each path is the straight line in joint space from the start to the goal of a problem, among its own obstacles. Needs
polars.

With `--fcl` FCL answers the segments of VAMP's length too: `continuousCollide` of each link with each obstacle, and of each two links that the SRDF leaves
and that no joint joins, along the screw between the poses of the links at both ends. Pairs whose bounding spheres stay apart in a segment are left out
before. The same meshes; obstacles are FCL's boxes and convex prisms, which are solid. Needs pin, yourdfpy, trimesh, python-fcl, coal and numpy.
  contacts    segments of a pair that are proven to be in contact (joints move linearly)
  missed      those that FCL calls clear; of them with an end in contact: of those a check of the segments' ends sees the contact
  false       contacts of FCL in segments of pairs that are proven clear
  paths       in contact; missed and false: paths that FCL calls clear though they are in contact, and the other way round
  ms a path   processor time for all segments. Of FCL: its calls alone. Of clearsweep: the run less one of the first sample alone
A method ends once it has taken FCL_LIMIT_S; the path that it is at then is left out.
FCL's motion is a screw of each link and not that of the joints: misses and false contacts may be due to that.
"""

import argparse
import json
import math
import pathlib
import resource
import subprocess
import xml.etree.ElementTree

import polars

JOINTS = {
    "panda": [f"panda_joint{k}" for k in range(1, 8)],
    "ur5": ["shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint", "wrist_1_joint", "wrist_2_joint", "wrist_3_joint"],
}
# Samples a radian of the way in joint space; MoveIt's longest segment is a share of the extent of the space.
VAMP = 32.0
MOVEIT = 0.005
FCL_LIMIT_S = 60.0
EXTENT = {"panda": math.sqrt(sum(w * w for w in [5.7946, 3.5256, 5.7946, 3.0015, 5.7946, 3.77, 5.7946])), "ur5": math.sqrt(6) * 2 * math.pi}


def obstacle(row, name):
    shape = f"box = [{row['d1']}, {row['d2']}, {row['d3']}]" if row["shape"] == "box" else f"cylinder = [{row['d2']}, {row['d1']}, 64]"
    q = ", ".join(f"{key} = {row[key]}" for key in ["qw", "qx", "qy", "qz"])
    place = f"position = [{row['x']}, {row['y']}, {row['z']}]\norientation = {{ {q} }}"
    return f'[[body]]\nname = "{name}"\nstatic = true\nshape = {{ {shape} }}\n{place}\n'


def write(folder, robot, data, problem, obstacles, steps, model, until=1.0):
    folder.mkdir(parents=True, exist_ok=True)
    names = JOINTS[robot]
    lines = ["run,frame," + ",".join(names)]
    for step in range(steps + 1):
        share = until * step / steps
        values = [problem[f"start_{k}"] * (1 - share) + problem[f"goal_{k}"] * share for k in range(1, len(names) + 1)]
        lines.append(f"0,{step}," + ",".join(repr(value) for value in values))
    (folder / "joints.csv").write_text("\n".join(lines) + "\n")
    text = '[scene]\nlength_unit = "m"\njoints = "joints.csv"\n[query]\nwithin = 0\nanswer = "distance"\n[motion]\nbetween = "joint"\n'
    text += f'[[robot]]\nurdf = "{data / robot / robot}.urdf"\nsrdf = "{data / robot / robot}.srdf"\n' + (f'model = "{model}"\n' if model else "")
    for number, row in enumerate(obstacles):
        text += obstacle(row, f"obstacle-{number}")
    (folder / "scene.toml").write_text(text)


def run(program, folder, *more):
    words = [program, "run", "scene.toml", "--out", "out", "--force", "--json", "--threads", "1", *more]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    assert done.returncode in (0, 3), done.stderr
    manifest = json.loads((folder / "out/manifest.json").read_text())
    summary = manifest["summary"]
    between = summary["intervals"]
    # A row at a sample is a collision that a check of samples sees.
    sampled = summary["rows"] > 0
    contact = between["by_status"]["contact"] > 0
    first = between["first_contact"]
    share = first["frame"] + first["contact_lo"] if first else None
    return manifest["timings"], sampled, contact, between["by_status"]["undecided"], share


class Peers:
    """The links of a robot, as FCL's meshes, and its forward kinematics."""

    def __init__(self, data, robot):
        import fcl
        import mechanism_peers
        import numpy
        import pinocchio
        import trimesh
        import yourdfpy

        self.fcl, self.peers, self.np, self.pin, self.names = fcl, mechanism_peers, numpy, pinocchio, JOINTS[robot]
        folder = data / robot
        self.model = pinocchio.buildModelFromUrdf(str(folder / f"{robot}.urdf"))
        self.state = self.model.createData()
        description = yourdfpy.URDF.load(str(folder / f"{robot}.urdf"), load_meshes=False, build_scene_graph=False).robot
        self.links = {}
        for link in description.links:
            for part in link.collisions:
                if part.geometry.box is not None:
                    vertices, triangles = self.prism(4, part.geometry.box.size)
                else:
                    shape = part.geometry.mesh
                    mesh = trimesh.load(folder / shape.filename.removeprefix("package://"), force="mesh", process=False)
                    scale = 1.0 if shape.scale is None else numpy.array(shape.scale)
                    vertices, triangles = numpy.array(mesh.vertices) * scale, numpy.array(mesh.faces)
                place = numpy.eye(4) if part.origin is None else part.origin
                self.links[link.name] = mechanism_peers.Body(vertices @ place[:3, :3].T + place[:3, 3], triangles)
        disabled = xml.etree.ElementTree.parse(folder / f"{robot}.srdf").getroot().iter("disable_collisions")
        self.ignored = {frozenset((pair.get("link1"), pair.get("link2"))) for pair in disabled}
        self.ignored |= {frozenset((joint.parent, joint.child)) for joint in description.joints}
        # Links that no joint of the path moves against each other.
        moved, parents = set(self.names), {joint.child: joint for joint in description.joints}
        self.carriers = {name: self.carrier(name, parents, moved) for name in self.links}

    @staticmethod
    def carrier(link, parents, moved):
        while link in parents and parents[link].name not in moved:
            link = parents[link].parent
        return link

    def prism(self, sides, size):
        """A prism around a cylinder of this size (x, y: diameters), or a box: vertices and triangles."""
        np = self.np
        turn = 2 * np.pi * (np.arange(sides) + (0.5 if sides == 4 else 0.0)) / sides
        ring = np.stack([np.cos(turn), np.sin(turn)], 1) / np.cos(np.pi / sides) / 2
        vertices = np.array([(x, y, z) for z in (-0.5, 0.5) for x, y in ring]) * np.array(size)
        triangles = []
        for k in range(sides):
            m = (k + 1) % sides
            triangles += [(k, m, sides + m), (k, sides + m, sides + k)]
            triangles += [(0, m, k), (sides, sides + k, sides + m)] if 0 < k < sides - 1 else []
        return vertices, np.array(triangles)

    def convex(self, vertices, triangles):
        faces = self.np.column_stack([self.np.full(len(triangles), 3), triangles])
        return self.fcl.Convex(vertices, len(triangles), faces.flatten())

    def poses(self, values):
        """Poses (qw, qx, qy, qz, x, y, z) of all links that have a mesh."""
        q = self.pin.neutral(self.model)
        for name, value in zip(self.names, values):
            q[self.model.joints[self.model.getJointId(name)].idx_q] = value
        self.pin.framesForwardKinematics(self.model, self.state, q)
        found = {}
        for name in self.links:
            pose = self.state.oMf[self.model.getFrameId(name)]
            x, y, z, w = self.pin.Quaternion(pose.rotation).coeffs()
            found[name] = self.np.array([w, x, y, z, *pose.translation])
        return found

    def segments(self, samples, obstacles, rows):
        """The segments of pairs that come near each other, as intervals of `mechanism_peers`; `rows`: what is proven of them."""
        np, bodies, still = self.np, dict(self.links), {}
        for number, row in enumerate(obstacles):
            size = [row["d1"], row["d2"], row["d3"]] if row["shape"] == "box" else [2 * row["d2"], 2 * row["d2"], row["d1"]]
            body = self.peers.Body(*self.prism(4 if row["shape"] == "box" else 64, size))
            # Solid, unlike a mesh: a link may lie inside.
            shape = self.fcl.Box(*size) if row["shape"] == "box" else self.convex(*self.prism(64, size))
            body.of_fcl = self.fcl.CollisionObject(shape, self.fcl.Transform())
            bodies[f"obstacle-{number}"] = body
            still[f"obstacle-{number}"] = np.array([row[key] for key in self.peers.POSE])
        places = [self.poses(sample) | still for sample in samples]
        names = list(bodies)
        rank = {name: number for number, name in enumerate(names)}
        centres = np.array([[self.peers.rotation(place[name][:4]) @ bodies[name].middle + place[name][4:] for name in names] for place in places])
        radii = np.array([bodies[name].radius for name in names])
        pairs = [(a, b) for a in self.links for b in names if rank[a] < rank[b] and self.is_asked(a, b)]
        one, two = (np.array([rank[pair[side]] for pair in pairs]) for side in (0, 1))
        # In turns of a segment the way of a centre is longer than its chord by less than a hundredth.
        ways = 1.01 * np.linalg.norm(centres[1:] - centres[:-1], axis=2)
        reach = radii[one] + radii[two] + ways[:, one] + ways[:, two]
        near = np.linalg.norm(centres[:-1, one] - centres[:-1, two], axis=2) <= reach
        found, left = [], dict(rows)
        for frame, number in zip(*np.nonzero(near)):
            a, b = pairs[number]
            row = left.pop((frame, frozenset((a, b))), {"status": "clear"})
            ends = tuple((places[frame][name], places[frame + 1][name]) for name in (a, b))
            found.append(self.peers.Interval(row, (a, b), (bodies[a], bodies[b]), ends))
        # Each contact has been asked.
        assert all(row["status"] != "contact" for row in left.values()), left
        return found

    def is_asked(self, a, b):
        return self.carriers[a] != self.carriers.get(b) and frozenset((a, b)) not in self.ignored


def beside_fcl(given, program, data, chosen, obstacles):
    import fcl

    robot, peers = given.robot, Peers(data, given.robot)
    advancement = fcl.CCDSolverType.CCDC_CONSERVATIVE_ADVANCEMENT
    methods = [(f"FCL, {samples} samples", peers.peers.sampled(samples)) for samples in (10, 100)]
    methods.append(("FCL, conservative advancement", peers.peers.sampled(1000, solver=advancement)))
    keys = ["paths", "touching", "contacts", "missed", "at_end", "false", "missed_paths", "false_paths", "undecided", "seconds"]
    own, counts = dict.fromkeys(keys, 0), {name: dict.fromkeys(keys, 0) for name, _ in methods}
    for problem in chosen.iter_rows(named=True):
        width = len(JOINTS[robot])
        length = math.sqrt(sum((problem[f"goal_{k}"] - problem[f"start_{k}"]) ** 2 for k in range(1, width + 1)))
        among = obstacles.filter((polars.col("scene") == problem["scene"]) & (polars.col("index") == problem["index"]))
        among = list(among.iter_rows(named=True))
        write(given.out, robot, data, problem, among, max(math.ceil(length * VAMP), 1), given.model)
        before = processor()
        run(program, given.out, "--frames", "0")
        between = processor()
        _, _, contact, open_, _ = run(program, given.out)
        own_seconds = processor() - 2 * between + before
        rows = polars.read_parquet(given.out / "out/intervals/*.parquet")
        short = lambda name: name.split("/")[-1]
        rows = {(row["frame"], frozenset((short(row["body_a"]), short(row["body_b"])))): row for row in rows.iter_rows(named=True)}
        touching = polars.read_parquet(given.out / "out/distances/*.parquet").filter(polars.col("status") != "separated")
        touching = {(row["frame"], frozenset((short(row["body_a"]), short(row["body_b"])))) for row in touching.iter_rows(named=True)}
        for (frame, pair), row in rows.items():
            row["at_end"] = (frame, pair) in touching or (frame + 1, pair) in touching
        contacts = sum(row["status"] == "contact" for row in rows.values())
        add(own, paths=1, touching=contact, contacts=contacts, undecided=open_, seconds=own_seconds)
        samples = polars.read_csv(given.out / "joints.csv").select(JOINTS[robot]).rows()
        segments = peers.segments(samples, among, rows)
        for name, ask in methods:
            of, says, seconds = counts[name], False, 0.0
            answers = dict.fromkeys(["missed", "at_end", "false"], 0)
            for segment in segments:
                if of["seconds"] + seconds > FCL_LIMIT_S:
                    break
                answer, _, more = ask(segment)
                seconds += more
                says |= answer == "contact"
                is_missed = segment.row["status"] == "contact" and answer == "clear"
                is_false = segment.row["status"] == "clear" and answer == "contact"
                add(answers, missed=is_missed, at_end=is_missed and segment.row["at_end"], false=is_false)
            else:
                missed = {"missed_paths": contact and not says, "false_paths": says and not contact}
                add(of, paths=1, touching=contact, contacts=contacts, seconds=seconds, **answers, **missed)
    print("| robot | method | paths, in contact | contacts | missed, with an end in contact | false | paths missed, false | ms a path |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    method = f"proven intervals, {own['undecided']} undecided"
    for name, of in [(method, own), *counts.items()]:
        answers = f"{of['missed']}, {of['at_end']} | {of['false']} | {of['missed_paths']}, {of['false_paths']}" if of is not own else "| |"
        print(f"| {robot} | {name} | {of['paths']}, {of['touching']} | {of['contacts']} | {answers} | {1e3 * of['seconds'] / max(of['paths'], 1):.1f} |")


def processor():
    """Processor time of all programs that have ended, seconds."""
    return sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])


def add(counts, **more):
    for key, number in more.items():
        counts[key] += number


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--paths", type=int, default=100)
    parser.add_argument("--robot", default="panda")
    parser.add_argument("--model", default="")
    parser.add_argument("--fcl", action="store_true")
    given = parser.parse_args()
    program, data, robot = given.program.resolve(), given.data.resolve(), given.robot
    problems = polars.read_parquet(data / "problems.parquet").filter(polars.col("robot") == robot)
    obstacles = polars.read_parquet(data / "obstacles.parquet").filter(polars.col("robot") == robot)
    chosen = problems.sort("index", "scene").head(given.paths)
    if given.fcl:
        beside_fcl(given, program, data, chosen, obstacles)
        return
    for label, steps_of in [
        ("VAMP", lambda length: math.ceil(length * VAMP)),
        ("MoveIt", lambda length: math.ceil(length / (MOVEIT * EXTENT[robot]))),
    ]:
        seconds, steps_all, missed, contacts, undecided = [], 0, 0, 0, 0
        clear = [0.0, 0]
        for problem in chosen.iter_rows(named=True):
            width = len(JOINTS[robot])
            length = math.sqrt(sum((problem[f"goal_{k}"] - problem[f"start_{k}"]) ** 2 for k in range(1, width + 1)))
            steps = max(steps_of(length), 1)
            own = obstacles.filter((polars.col("scene") == problem["scene"]) & (polars.col("index") == problem["index"]))
            write(given.out, robot, data, problem, list(own.iter_rows(named=True)), steps, given.model)
            timings, sampled, contact, open_, first = run(program, given.out)
            took = lambda timings: timings["broad_s"] + timings["narrow_s"]
            seconds.append(took(timings))
            steps_all += steps
            contacts += contact
            undecided += open_
            missed += contact and not sampled
            if first is not None:
                # The part before the first contact alone, in segments of the same length.
                until = 0.98 * first / steps
                steps = max(math.floor(steps * until), 1)
                write(given.out, robot, data, problem, list(own.iter_rows(named=True)), steps, given.model, until)
                timings, _, contact, open_, _ = run(program, given.out)
                undecided += open_
            if not contact:
                clear = [clear[0] + took(timings), clear[1] + steps]
        print(
            f"{robot}, segments as {label}: {len(seconds)} paths, {steps_all} segments, {1e3 * sum(seconds) / len(seconds):.2f} ms a path; "
            f"{contacts} in contact, {missed} of them unseen by samples; before their first contact {clear[1]} segments are proven clear, "
            f"{1e6 * clear[0] / max(clear[1], 1):.1f} us each; {undecided} intervals undecided"
        )


main()
