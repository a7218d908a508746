"""Intervals of mechanisms by other engines: python3 benches/mechanism_peers.py PROGRAM WORK SCENE ... (SCENE: a folder with a scene.toml).

Scenes are those of shared/data/mechanisms: bodies.csv, motion.csv, and meshes as OBJ or binary STL. PROGRAM runs each with `--between screw` and
`--between none` on one thread. Peers answer the intervals that it reports, on the same meshes and the same screw motions:
  FCL, N samples            continuousCollide of the naive solver: it tests the meshes at N poses, both ends included (python-fcl). A body that only
                            moves gets a turn of 1e-7 rad about its path: without it FCL's ScrewMotion moves the body by |path|^2, not by |path|
  FCL, as it is             the same with 10 samples and without that turn
  conservative advancement  over coal.distance of BVHModelOBBRSS, in steps of distance / speed bound. It ends with contact if the distance is below
                            1e-6 m or the step below 1e-6 of the interval, and gives up after 1,000 steps. The speed bound is the relative
                            velocity at the middle of a body, plus |w| * (its radius + the path of its middle); of the two bodies, the lesser one

Columns:
  intervals   measured, of all: at most 400 for FCL with 100 samples, 200 with 1,000, and 1,000 else, chosen at random (the same every time)
  contacts    that clearsweep proves among them
  missed      contacts that the peer calls clear
  no overlap  missed ones that clearsweep does not prove to overlap: it says contact from a distance of 1e-6 m downward (`touch`)
  false       intervals that clearsweep proves clear and the peer calls contact
  given up    by the peer; by clearsweep: undecided
  below, m    the most by which a distance of coal is less than clearsweep's `lower_m` of a clear interval (coal is accurate to about 1e-6)
  us          processor time of an interval. Of a peer: its calls alone. Of clearsweep: the job with intervals less the job without, each
              the least of three
FCL ends for a scene after 180 s. All answers go to WORK/answers.csv. Needs coal, python-fcl, numpy and polars.
"""

import csv
import random
import resource
import subprocess
import sys
import time
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

import coal
import fcl
import numpy as np
import polars

ROUNDS = 3
FCL_LIMIT_S = 180
STEPS = 1000
CONTACT_M = SHARE = 1e-6
LEAST_TURN = 1e-7
COLUMNS = ["scene", "method", "intervals", "contacts", "missed", "no overlap", "false", "given up", "below, m", "us"]
POSE = ["qw", "qx", "qy", "qz", "x", "y", "z"]


def cross_matrix(w):
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


def turning(w, share=1.0):
    """Returns the rotation by `share` of the vector w."""
    angle = np.linalg.norm(w) * share
    if angle == 0.0:
        return np.eye(3)
    k = cross_matrix(w / np.linalg.norm(w))
    return np.eye(3) + np.sin(angle) * k + 2 * np.sin(angle / 2) ** 2 * (k @ k)


def travel(w):
    """Returns the matrix that takes the linear part of a twist to the translation of its screw."""
    angle = np.linalg.norm(w)
    if angle < 1e-4:
        second, third = 0.5, 1 / 6
    else:
        second, third = 2 * (np.sin(angle / 2) / angle) ** 2, (angle - np.sin(angle)) / angle**3
    k = cross_matrix(w)
    return np.eye(3) + second * k + third * (k @ k)


def rotation(q):
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


class Screw:
    """The motion of a body from one pose (qw, qx, qy, qz, x, y, z) to another, as a constant twist (w, v) in the frame of the world."""

    def __init__(self, start, end):
        self.turn, self.place = rotation(start[:4]), np.array(start[4:])
        self.w = self.v = np.zeros(3)
        self.at_start = coal.Transform3s(self.turn, self.place)
        self.is_still = bool(np.all(start == end))
        if not self.is_still:
            # The vector part and the scalar part of end * conjugate(start).
            p, q = end[:4], start[:4]
            vector = q[0] * p[1:] - p[0] * q[1:] - np.cross(p[1:], q[1:])
            scalar, sine = p @ q, np.linalg.norm(vector)
            angle = 2 * np.arctan2(sine, abs(scalar))
            self.w = np.zeros(3) if sine == 0.0 else vector * (np.copysign(angle, scalar) / sine)
            self.v = np.linalg.solve(travel(self.w), end[4:] - turning(self.w) @ self.place)

    def at(self, share):
        """Returns the pose at a share of the interval."""
        if self.is_still or share == 0.0:
            return self.at_start
        turn = turning(self.w, share)
        return coal.Transform3s(turn @ self.turn, turn @ self.place + share * (travel(share * self.w) @ self.v))


class Body:
    """A mesh as the peers hold it, with the middle and the radius of its box."""

    def __init__(self, vertices, triangles):
        self.middle = (vertices.min(0) + vertices.max(0)) / 2
        self.radius = np.linalg.norm(vertices - self.middle, axis=1).max()
        self.of_coal, of_fcl = coal.BVHModelOBBRSS(), fcl.BVHModel()
        self.of_coal.beginModel(len(triangles), len(vertices))
        self.of_coal.addVertices(vertices)
        self.of_coal.addTriangles(triangles)
        self.of_coal.endModel()
        of_fcl.beginModel(len(vertices), len(triangles))
        of_fcl.addSubModel(vertices, triangles)
        of_fcl.endModel()
        self.of_fcl = fcl.CollisionObject(of_fcl, fcl.Transform())


@dataclass
class Interval:
    row: dict
    names: tuple
    bodies: tuple
    ends: tuple
    screws: tuple = field(init=False)

    def __post_init__(self):
        self.screws = tuple(Screw(*ends) for ends in self.ends)


def mesh(path, scale):
    """Reads vertices and triangles of an OBJ file or a binary STL file."""
    if path.suffix == ".stl":
        record = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("rest", "<u2")])
        corners = np.frombuffer(path.read_bytes(), record, offset=84)["corners"].astype(float).reshape(-1, 3)
        vertices, index = np.unique(corners, axis=0, return_inverse=True)
        return scale * vertices, index.reshape(-1, 3)
    lines = [line.split() for line in path.read_text().splitlines()]
    vertices = np.array([line[1:4] for line in lines if line[:1] == ["v"]], dtype=float)
    triangles = [[int(corner.split("/")[0]) - 1 for corner in line[1:]] for line in lines if line[:1] == ["f"]]
    return scale * vertices, np.array(triangles)


def read_scene(folder):
    """Returns the bodies by name, the poses of bodies at rest by name, and those of the others by run, frame and name."""
    with open(folder / "scene.toml", "rb") as file:
        scene = tomllib.load(file)
    bodies, still = {}, {}
    with open(folder / scene["bodies"][0]["table"], encoding="utf-8") as file:
        for row in csv.DictReader(file):
            bodies[row["body"]] = Body(*mesh(folder / row["geometry"], float(row["scale"])))
            if row["static"] == "true":
                still[row["body"]] = pose(row)
    motion = polars.read_csv(folder / scene["scene"]["trajectories"], infer_schema_length=None)
    return bodies, still, {(row["run"], row["frame"], row["body"]): pose(row) for row in motion.iter_rows(named=True)}


def pose(row):
    numbers = np.array([float(row[key]) for key in POSE])
    numbers[:4] /= np.linalg.norm(numbers[:4])
    return numbers


def read_intervals(folder, out):
    """Returns the intervals that clearsweep has reported, in a random order that is always the same."""
    bodies, still, moving = read_scene(folder)
    intervals = []
    for row in polars.read_parquet(out / "intervals" / "*.parquet").iter_rows(named=True):
        names = (row["body_a"], row["body_b"])
        at = lambda name, frame: still[name] if name in still else moving[(row["run"], frame, name)]
        ends = tuple((at(name, row["frame"]), at(name, row["frame_next"])) for name in names)
        intervals.append(Interval(row, names, tuple(bodies[name] for name in names), ends))
    random.Random(1).shuffle(intervals)
    return intervals


def turned_end(end, screw):
    """Returns the end pose of a body for FCL, turned about its path if the body only moves."""
    path = np.linalg.norm(screw.v)
    if path == 0.0 or np.linalg.norm(screw.w) > LEAST_TURN:
        return end
    (w, *v), u = end[:4], screw.v / path * LEAST_TURN / 2
    return np.array([w - u @ v, *(np.array(v) + w * u + np.cross(u, v)), *end[4:]])


def sampled(samples, is_turned=True, solver=fcl.CCDSolverType.CCDC_NAIVE):
    """Returns a function that asks FCL for an interval: its answer, no distance, seconds."""
    screw = fcl.CCDMotionType.CCDM_SCREW
    # The naive solver takes the lesser of `num_max_iterations` and 1 / `toc_err`.
    request = fcl.ContinuousCollisionRequest(num_max_iterations=samples, toc_err=1e-6, ccd_motion_type=screw, ccd_solver_type=solver)

    def ask(interval):
        at = lambda pose: fcl.Transform(pose[:4], pose[4:])
        one, two = (body.of_fcl for body in interval.bodies)
        for body, ends in zip((one, two), interval.ends):
            body.setTransform(at(ends[0]))
        ends = [at(turned_end(end, screw) if is_turned else end) for (_, end), screw in zip(interval.ends, interval.screws)]
        result = fcl.ContinuousCollisionResult()
        begun = time.thread_time()
        fcl.continuousCollide(one, ends[0], two, ends[1], request, result)
        return "contact" if result.is_collide else "clear", None, time.thread_time() - begun

    return ask


def speed_bound(interval):
    """Returns a bound on the speed at which the distance falls, metres an interval."""
    one, two = interval.screws
    w, v = two.w - one.w, two.v - one.v
    bounds = []
    for body, screw in zip(interval.bodies, interval.screws):
        middle = screw.turn @ body.middle + screw.place
        wander = np.linalg.norm(screw.v + np.cross(screw.w, middle))  # how far the middle comes from where it starts, at most
        bounds.append(np.linalg.norm(v + np.cross(w, middle)) + np.linalg.norm(w) * (body.radius + wander))
    return min(bounds)


def advance(interval):
    """Conservative advancement. Returns the answer, the least distance that was met, and the seconds in coal."""
    (one, two), (motion_one, motion_two) = interval.bodies, interval.screws
    speed, share, least, spent, request = speed_bound(interval), 0.0, np.inf, 0.0, coal.DistanceRequest()
    for _ in range(STEPS):
        result, poses = coal.DistanceResult(), (motion_one.at(share), motion_two.at(share))
        begun = time.thread_time()
        distance = coal.distance(one.of_coal, poses[0], two.of_coal, poses[1], request, result)
        spent += time.thread_time() - begun
        least = min(least, distance)
        if distance < CONTACT_M or distance < SHARE * speed:
            return "contact", least, spent
        share += distance / speed if speed > 0.0 else 1.0
        if share >= 1.0:
            return "clear", least, spent
    return "given up", least, spent


def ask_peer(intervals, ask, most, limit_s):
    """Returns (interval, answer, least distance, seconds) of the first intervals."""
    answers, begun = [], time.perf_counter()
    for interval in intervals[:most]:
        answers.append((interval, *ask(interval)))
        if time.perf_counter() - begun > limit_s:
            break
    return answers


def line_of(scene, method, answers, total):
    """A line of the table."""
    is_met = lambda interval: interval.row["status"] == "contact"
    missed = [i for i, answer, _, _ in answers if is_met(i) and answer == "clear"]
    wrong = sum(i.row["status"] == "clear" and answer == "contact" for i, answer, _, _ in answers)
    below = [i.row["lower_m"] - least for i, _, least, _ in answers if least is not None and i.row["status"] == "clear"]
    return [
        *(scene, method, f"{len(answers)} of {total}", sum(is_met(i) for i, *_ in answers), len(missed)),
        sum(i.row["upper_m"] >= 0 for i in missed),
        *(wrong, sum(answer == "given up" for _, answer, _, _ in answers), f"{max(0.0, *below):.1e}" if below else ""),
        f"{1e6 * sum(seconds for *_, seconds in answers) / max(len(answers), 1):.1f}",
    ]


def seconds(program, folder, out, between):
    """Returns the processor seconds of one execution."""
    used = lambda: sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    before = used()
    command = [program, "run", folder / "scene.toml", "--out", out, "--between", between, "--threads", "1", "--progress", "none", "--force"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 3, 4):
        sys.exit(done.stderr)
    return used() - before


def own_lines(program, folder, work):
    """Runs clearsweep. Returns its lines of the table: rows alone, and intervals."""
    times = {between: [] for between in ("none", "screw")}
    for _ in range(ROUNDS):
        for between, of in times.items():
            of.append(seconds(program, folder, work / folder.name / between, between))
    rows = polars.read_parquet(work / folder.name / "none" / "distances" / "*.parquet").height
    status = polars.read_parquet(work / folder.name / "screw" / "intervals" / "*.parquet")["status"].cast(polars.String).to_list()
    alone, both = min(times["none"]), min(times["screw"])
    own = [folder.name, "clearsweep", len(status), status.count("contact"), "", "", "", status.count("undecided"), ""]
    return [
        [folder.name, f"clearsweep, {rows} rows alone", *[""] * 7, f"{1e6 * alone / max(rows, 1):.1f} a row"],
        [*own, f"{1e6 * (both - alone) / max(len(status), 1):.1f}"],
    ]


def print_line(words):
    print("| " + " | ".join(map(str, words)) + " |", flush=True)


def main(program, work, *scenes):
    work = Path(work).resolve()
    work.mkdir(parents=True, exist_ok=True)
    methods = [("FCL, as it is", sampled(10, False), 1000)]
    methods += [(f"FCL, {samples:,} samples", sampled(samples), most) for samples, most in [(10, 1000), (100, 400), (1000, 200)]]
    methods += [("conservative advancement over coal", advance, 1000)]
    print_line(COLUMNS)
    print_line(["---"] * len(COLUMNS))
    with open(work / "answers.csv", "w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        keys = ["run", "frame", "body_a", "body_b", "status", "lower_m", "upper_m", "contact_lo", "contact_hi"]
        table.writerow(["scene", "method", *keys, "answer", "least_m", "seconds"])
        for folder in map(Path, scenes):
            for line in own_lines(program, folder, work):
                print_line(line)
            intervals, left_s = read_intervals(folder, work / folder.name / "screw"), FCL_LIMIT_S
            for method, ask, most in methods:
                begun, is_fcl = time.perf_counter(), method.startswith("FCL")
                answers = ask_peer(intervals, ask, most, left_s if is_fcl else float("inf"))
                left_s -= (time.perf_counter() - begun) * is_fcl
                print_line(line_of(folder.name, method, answers, len(intervals)))
                table.writerows([folder.name, method, *(i.row[key] for key in keys), *answer] for i, *answer in answers)


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
