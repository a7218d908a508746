"""First contacts of mechanisms whose joints move, held against their truth.

    python benches/joint_mechanisms.py PROGRAM DATA OUT [--only piston] [--fine 0.005]

DATA: the folder mechanisms (README.md, contact_truth.csv, a folder each with bodies.csv and motion.csv). Joints take the place of motion.csv, under
`between = "joint"`: single joints are swept from 0, linkages have a table of values by their ideal kinematics, forward (run 0) and backward (run 1). Poses
that forward kinematics of the joints gives are compared with motion.csv. Needs numpy and polars.

Linkages move on chords between the frames of their table. These are FINE degrees apart within a tenth of a degree of each truth, and a degree elsewhere.
`--only` takes one folder. Columns: the driver's value at the begin of a contact (lo, hi), in degrees or mm; `segments` between samples; `s`, processor time on
one thread. Contact is said from `touch` on, 1e-6 m: the column `at 1e-10 m` has the difference to the truth of another run with that `touch`.
"""

import argparse
import csv
import dataclasses
import json
import math
import pathlib
import resource
import subprocess
from collections.abc import Callable

import numpy as np
import polars

Y, Z = np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0])
DEGREE = math.pi / 180
POSE = ["x", "y", "z", "qw", "qx", "qy", "qz"]

# Places of axes, metres. Piston: the pins of the rod at rest; press: the bearings and pins of the links, in which p2, p3 and p4 share one.
PISTON_CRANK, PISTON_ROD = 0.7, 1.63 + 0.7
PRESS_LEVER, PRESS_PIN, PRESS_FRAME = (0.999067, 0.64523), (1.0525125, 0.7064375), (0.818444, 0.9477375)
PRESS_TOGGLE, PRESS_HEAD = (0.817739, 0.677157), (0.8187975, 0.406929)
# How far points of the links lie from their pins, metres, at most.
EXTENT = {"piston": 2.7, "press-tight": 0.5, "press-loose": 0.5}
TOUCH, LEAST_TOUCH = 1e-6, 1e-10
# Degrees on both sides of a truth in which frames are fine.
NEAR = 0.1


@dataclasses.dataclass
class Joint:
    """`origin` and `axis` are in the world at rest. `value`: its value at a value of the driver, radians or metres."""

    name: str
    type: str
    child: str
    axis: np.ndarray
    origin: tuple = (0.0, 0.0, 0.0)
    parent: str = ""
    value: Callable = float
    pitch: float = 0.0
    mimic: str = ""


@dataclasses.dataclass
class Case:
    """A run of the program. `reach`: the values of the driver from 0 on, forward and backward of a linkage. `truth`: names in contact_truth.csv."""

    folder: str
    label: str
    joints: list
    reach: list
    driver: Callable | None = None  # the driver's value in each run and frame of motion.csv; None: another motion
    truth: tuple = ()
    is_table: bool = False


def crossing(one, other, radius_one, radius_other, near):
    """The point at both distances that is nearer to `near`."""
    one, other = np.array(one), np.array(other)
    apart = np.linalg.norm(other - one)
    along = (other - one) / apart
    share = (apart**2 + radius_one**2 - radius_other**2) / (2 * apart)
    side = math.sqrt(radius_one**2 - share**2) * np.array([-along[1], along[0]])
    return min((one + share * along + sign * side for sign in (1, -1)), key=lambda point: np.linalg.norm(point - near))


def turn_of(start, end, centre_start, centre_end):
    """The angle by which a link turns in the plane, less than half a turn."""
    a, b = np.subtract(start, centre_start), np.subtract(end, centre_end)
    return math.atan2(a[0] * b[1] - a[1] * b[0], a @ b)


def press(angle):
    """Angles of p1, p2, p3, p4 from rest in the world, and the way of p5."""
    c, s = math.cos(angle), math.sin(angle)
    arm = np.subtract(PRESS_PIN, PRESS_LEVER)
    pin = np.array(PRESS_LEVER) + np.array([[c, -s], [s, c]]) @ arm
    lengths = [math.dist(PRESS_PIN, PRESS_TOGGLE), math.dist(PRESS_FRAME, PRESS_TOGGLE), math.dist(PRESS_TOGGLE, PRESS_HEAD)]
    toggle = crossing(pin, PRESS_FRAME, lengths[0], lengths[1], PRESS_TOGGLE)
    head = np.array([PRESS_HEAD[0], toggle[1] - math.sqrt(lengths[2] ** 2 - (PRESS_HEAD[0] - toggle[0]) ** 2)])
    p2 = turn_of(PRESS_TOGGLE, toggle, PRESS_PIN, pin)
    p3 = turn_of(PRESS_TOGGLE, toggle, PRESS_FRAME, PRESS_FRAME)
    p4 = turn_of(PRESS_HEAD, head, PRESS_TOGGLE, toggle)
    return angle, p2, p3, p4, head[1] - PRESS_HEAD[1]


def rod_turn(angle):
    """The turn of the rod in the world about -z while the crank turns by `angle`."""
    return math.asin(PISTON_CRANK / PISTON_ROD * math.sin(angle))


def head_way(angle):
    # The pin of the crank stands at the top at first, that of the head below it.
    return PISTON_CRANK * (math.cos(angle) - 1) + PISTON_ROD * (1 - math.cos(rod_turn(angle)))


def cases():
    flat = lambda place: (*place, 0.0)
    for sign, side in [(-1, "-z"), (1, "+z")]:
        wheel = Joint("wheel", "revolute", "curved_wheel", sign * Z, (0.0924281, 0.2138541, 0.0))
        driver = (lambda run, frame: 0.5 * DEGREE * frame) if sign < 0 else None
        yield Case("intermittent", f"wheel about {side}", [wheel], [0, 5 * DEGREE], driver, (f"wheel alone about {side}",))
    first = Joint("gear", "revolute", "gear", -Z)
    second = Joint("gear-2", "revolute", "gear-2", -Z, (2.05, 0.0, 0.0), value=lambda angle: -angle, mimic="gear")
    yield Case("gears", "a whole turn", [first, second], [0, 2 * math.pi], lambda run, frame: frame * DEGREE)
    for sign, side in [(1, "+z"), (-1, "-z")]:
        alone = Joint("gear-2", "revolute", "gear-2", sign * Z, (2.05, 0.0, 0.0))
        yield Case("gears", f"gear-2 about {side}", [alone], [0, 2 * DEGREE], None, (f"backlash: gear-2 alone about {side}",))
    place = (-0.000626, 0.0, -0.000278)
    # 13.3333 mm a turn.
    screw = Joint("screw", "screw", "screw-big", Y, place, pitch=0.04 / 3)
    yield Case("screw", "two turns out", [screw], [0, 4 * math.pi], lambda run, frame: 2 * frame * DEGREE)
    for sign, label, truth in [(1, "pulled", "pulled up without turning"), (-1, "pushed", "pushed down without turning")]:
        slide = Joint("slide", "prismatic", "screw-big", sign * Y)
        yield Case("screw", label, [slide], [0, 0.001], None, (f"screw {truth}",))
    for sign, side in [(1, "+y"), (-1, "-y")]:
        turn = Joint("turn", "revolute", "screw-big", sign * Y, place)
        yield Case("screw", f"turned about {side}", [turn], [0, 20 * DEGREE], None, (f"screw turned about {side} without lifting",))
    wedge = Joint("wedge", "prismatic", "center", Y)
    yield Case("lewis", "wedge", [wedge], [0, 0.1], lambda run, frame: 0.005 * frame, ("centre lifted",))
    pull = Joint("pull", "prismatic", "torus-3", np.array([-1.0, 0.0, 0.0]))
    yield Case("chain-links", "last link", [pull], [0, 0.5], lambda run, frame: 0.01 * frame, ("last link pulled to -x",))
    arms = [
        Joint("shoulder", "revolute", "arm", Z, (0.0, 0.2, 0.0)),
        Joint("with-arm", "fixed", "pin", Z, parent="arm", value=lambda angle: 0.0),
        Joint("elbow", "revolute", "arm-2", Z, (-0.4, 0.2, 0.0), "pin", lambda angle: 2 * angle),
    ]
    both = ("second arm reaches the first pin", "second arm leaves the first pin")
    yield Case("pendulum", "chain", arms, [[0, math.pi], [math.pi, 0]], lambda run, frame: frame * DEGREE, both, True)
    crank = [
        Joint("crank", "revolute", "crank", -Z),
        Joint("rod", "revolute", "connecting-rod", -Z, (0.0, -PISTON_CRANK, 0.0), "crank", lambda angle: rod_turn(angle) - angle),
        Joint("head", "prismatic", "head", -Y, value=lambda angle: head_way(angle)),
    ]
    both = ("rod enters the skirt", "rod leaves the skirt")
    yield Case("piston", "one turn", crank, [[0, 2 * math.pi], [2 * math.pi, 0]], lambda run, frame: frame * DEGREE, both, True)
    toggle = lambda: [
        Joint("p1", "revolute", "p1", Z, flat(PRESS_LEVER)),
        Joint("p2", "revolute", "p2", Z, flat(PRESS_PIN), "p1", lambda angle: press(angle)[1] - angle),
        Joint("p3", "revolute", "p3", Z, flat(PRESS_FRAME), value=lambda angle: press(angle)[2]),
        Joint("p4", "revolute", "p4", Z, flat(PRESS_TOGGLE), "p3", lambda angle: press(angle)[3] - press(angle)[2]),
        Joint("p5", "prismatic", "p5", Y, value=lambda angle: press(angle)[4]),
    ]
    for folder in ["press-tight", "press-loose"]:
        driver = lambda run, frame: (1 - 2 * run) * frame * DEGREE
        yield Case(folder, "lever", toggle(), [[0, math.pi], [0, -math.pi / 2]], driver, ("forward", "backward"), True)


def rotation(q):
    w, x, y, z = q
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + 2 * w * cross + 2 * cross @ cross


def twist(joint, value):
    """The motion of a joint in the world at rest, 4 by 4."""
    pose = np.eye(4)
    along = {"prismatic": value, "screw": value * joint.pitch / (2 * math.pi)}.get(joint.type, 0.0)
    if joint.type not in ("prismatic", "fixed"):
        pose[:3, :3] = rotation([math.cos(value / 2), *(math.sin(value / 2) * joint.axis)])
    origin = np.array(joint.origin)
    pose[:3, 3] = origin - pose[:3, :3] @ origin + along * joint.axis
    return pose


def kinematics(joints, driver):
    """The motions from rest of all children, by name."""
    motions = {"": np.eye(4)}
    for joint in joints:
        motions[joint.child] = motions[joint.parent] @ twist(joint, joint.value(driver))
    return motions


def placed(pose):
    """A pose (x, y, z, qw, qx, qy, qz) as a matrix, 4 by 4."""
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = rotation(np.array(pose[3:]) / np.linalg.norm(pose[3:])), pose[:3]
    return matrix


def off_motion(case, motion, rest):
    """The largest difference of matrices between forward kinematics and motion.csv."""
    worst = 0.0
    for (run, frame), rows in motion.group_by("run", "frame"):
        motions = kinematics(case.joints, case.driver(run, frame))
        for row in rows.iter_rows(named=True):
            expected = placed([row[key] for key in POSE])
            worst = max(worst, np.abs(motions[row["body"]] @ placed(rest[row["body"]]) - expected).max())
    return worst


def drivers(reach, truths, fine):
    """Values of the driver in order: those of whole degrees, and finer ones around each truth."""
    start, end = reach
    values = set(np.linspace(start, end, round(abs(end - start) / DEGREE) + 1))
    low, high = min(reach), max(reach)
    for truth in truths if fine else []:
        values |= {value for value in np.arange(truth - NEAR * DEGREE, truth + NEAR * DEGREE, fine * DEGREE) if low < value < high}
    return sorted(values, reverse=end < start)


def chord(case, one, other):
    """A bound on how far points are off in the middle of the chord of the table between two values of the driver, metres: the worst child."""
    worst = 0.0
    exact = kinematics(case.joints, (one + other) / 2)
    held = [dataclasses.replace(joint, value=lambda _, j=joint: (j.value(one) + j.value(other)) / 2) for joint in case.joints]
    near = kinematics(held, None)
    for joint in case.joints:
        difference = near[joint.child] - exact[joint.child]
        turn = np.linalg.norm(difference[:3, :3], 2)
        worst = max(worst, np.linalg.norm(difference @ [*joint.origin, 1.0]) + turn * EXTENT[case.folder])
    return worst


def numbers(values):
    return "[" + ", ".join(repr(float(value)) for value in values) + "]"


def write(case, bodies, rest, data, folder, touch, tables):
    folder.mkdir(parents=True, exist_ok=True)
    text = '[scene]\nlength_unit = "m"\n' + ('joints = "joints.csv"\n' if case.is_table else "")
    text += f'[query]\nanswer = "overlap"\ntouch = {touch}\n[motion]\nbetween = "joint"\n'
    moved = {joint.child for joint in case.joints}
    for row in bodies:
        pose = rest[row["body"]]
        orientation = ", ".join(f"{key} = {value!r}" for key, value in zip(POSE[3:], pose[3:]))
        text += f'[[body]]\nname = "{row["body"]}"\ngeometry = "{data / case.folder / row["geometry"]}"\nscale = {row["scale"]}\nmodel = "mesh"\n'
        text += f"position = {numbers(pose[:3])}\norientation = {{ {orientation} }}\n" + ("" if row["body"] in moved else "static = true\n")
    for joint in case.joints:
        frame = placed(rest[joint.parent]) if joint.parent else np.eye(4)
        origin, axis = np.linalg.solve(frame, [*joint.origin, 1.0])[:3], frame[:3, :3].T @ joint.axis
        text += f'[[joint]]\nname = "{joint.name}"\ntype = "{joint.type}"\nchild = "{joint.child}"\n'
        text += f"origin = {numbers(origin)}\naxis = {numbers(axis)}\n" if joint.type != "fixed" else ""
        text += f'parent = "{joint.parent}"\n' if joint.parent else ""
        text += f"pitch = {joint.pitch}\n" if joint.pitch else ""
        text += f'mimic = {{ joint = "{joint.mimic}", ratio = {joint.value(1.0)} }}\n' if joint.mimic else ""
        if not case.is_table and not joint.mimic:
            unit = "" if joint.type == "prismatic" else "rad"
            ends = [repr(float(value)) for value in case.reach]
            text += f"range = [{', '.join(ends)}]\n" if not unit else f'range = ["{ends[0]}{unit}", "{ends[1]}{unit}"]\n'
    if case.is_table:
        free = [joint for joint in case.joints if joint.type != "fixed"]
        lines = ["run,frame," + ",".join(joint.name for joint in free)]
        for run, values in enumerate(tables):
            for frame, driver in enumerate(values):
                lines.append(f"{run},{frame}," + ",".join(repr(float(joint.value(driver))) for joint in free))
        (folder / "joints.csv").write_text("\n".join(lines) + "\n")
    else:
        text += f'[[sweep]]\njoints = ["{case.joints[0].name}"]\n'
    (folder / "scene.toml").write_text(text)


def begins(out, case):
    """Begins of contact by run, pair and number, values of the driver (lo, hi), and the number of segments between samples."""
    intervals = polars.read_parquet(out / "intervals" / "*.parquet")
    samples = polars.read_parquet(out / "samples.parquet")
    name = case.joints[0].name
    values = {(row["run"], row["frame"]): row[name] for row in samples.iter_rows(named=True)}
    found, last, number = {}, {}, {}
    for row in intervals.sort("run", "frame").filter(polars.col("status") == "contact").iter_rows(named=True):
        stretch = (row["run"], (row["body_a"], row["body_b"]))
        if last.get(stretch) != row["frame"] or row["contact_lo"] > 0:
            ends = [values[(row["run"], row[key])] for key in ("frame", "frame_next")]
            lo, hi = (ends[0] + row[key] * (ends[1] - ends[0]) for key in ("contact_lo", "contact_hi"))
            if row.get("joint_lo") is not None:
                # The values that the program gives where one joint is swept.
                assert max(abs(row["joint_lo"] - lo), abs(row["joint_hi"] - hi)) < 1e-9, row
                lo, hi = row["joint_lo"], row["joint_hi"]
            number[stretch] = number.get(stretch, -1) + 1
            found[(*stretch, number[stretch])] = (lo, hi)
        last[stretch] = row["frame_next"]
    return found, samples.height - samples["run"].n_unique()


def run(program, folder):
    """Runs the program on one thread. Returns its summary and the processor time of the whole process, seconds."""
    words = [program, "run", "scene.toml", "--out", "out", "--force", "--threads", "1", "--progress", "none"]
    used = lambda: sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    before = used()
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    seconds = used() - before
    assert done.returncode in (0, 3, 4), done.stderr
    return json.loads((folder / "out/manifest.json").read_text())["summary"], seconds


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--fine", type=float, default=0.005)
    given = parser.parse_args()
    program, data = given.program.resolve(), given.data.resolve()
    truths = polars.read_csv(data / "contact_truth.csv")
    print("| mechanism | contact begins | lo | hi | truth | hi - truth | at 1e-10 m | segments | undecided | s |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    notes = []
    for case in cases():
        if given.only not in ("", case.folder):
            continue
        with open(data / case.folder / "bodies.csv", encoding="utf-8") as file:
            bodies = list(csv.DictReader(file))
        motion = polars.read_csv(data / case.folder / "motion.csv", infer_schema_length=None)
        first = motion.filter((polars.col("run") == 0) & (polars.col("frame") == 0))
        rest = {row["body"]: [row[key] for key in POSE] for row in first.iter_rows(named=True)}
        rest |= {row["body"]: [float(row[key]) for key in POSE] for row in bodies if row["static"] == "true"}
        if case.driver:
            notes.append(f"{case.folder}, {case.label}: matrices at most {off_motion(case, motion, rest):.1e} off motion.csv")
        unit, scale = ("mm", 1e-3) if case.joints[0].type == "prismatic" else ("deg", DEGREE)
        rows = truths.filter((polars.col("mechanism") == case.folder) & polars.col("what").is_in(case.truth)).iter_rows(named=True)
        expected = [row["after"] * (DEGREE if row["unit"] == "deg" else 1.0) for row in rows]
        if case.folder == "piston":
            # Mirrored: the turn back.
            expected += [2 * math.pi - value for value in expected]
        if case.folder.startswith("press"):
            expected = [expected[0], -expected[1]]
        tables = [drivers(reach, expected, given.fine) for reach in case.reach] if case.is_table else []
        if case.folder != "pendulum" and case.is_table:
            # The joints of the pendulum move linearly with its driver.
            gaps = [(abs(b - a), chord(case, a, b)) for values in tables for a, b in zip(values, values[1:])]
            fine = max((off for step, off in gaps if step < 1.5 * given.fine * DEGREE), default=0.0)
            notes.append(f"{case.folder}: chord {fine:.1e} m near the truths, {max(off for _, off in gaps):.1e} m elsewhere")
        folder = given.out.resolve() / f"{case.folder}-{case.label.replace(' ', '-')}"
        write(case, bodies, rest, data, folder, LEAST_TOUCH, tables)
        run(program, folder)
        least, _ = begins(folder / "out", case)
        write(case, bodies, rest, data, folder, TOUCH, tables)
        summary, seconds = run(program, folder)
        found, segments = begins(folder / "out", case)
        tail = f"{segments} | {summary['intervals']['by_status']['undecided']} | {seconds:.2f} |"
        name, met = f"{case.folder}, {case.label}", set()
        if not found:
            print(f"| {name} | never | | | | | | {tail}")
        for key, (lo, hi) in found.items():
            label = f"{' and '.join(key[1])}" + (("", ", backward")[key[0]] if case.is_table else "")
            at = lambda value: f"{value / scale:.7f}"
            # Contacts after the first one have no truth; so has the least touch where its stretches are others.
            truth = min((value for value in expected if abs(value - hi) < scale), key=lambda value: abs(value - hi), default=None)
            met.add(truth)
            by_least = least.get(key)
            off = "| | " if truth is None else f"{at(truth)} | {(hi - truth) / scale:+.1e} | "
            off += f"{(by_least[1] - truth) / scale:+.1e}" if by_least and truth is not None else ""
            print(f"| {name} | {label} | {at(lo)} | {at(hi)} {unit} | {off} | {tail}", flush=True)
            name, tail = "", "| | |"
        missed = [value for value in expected if value not in met]
        assert not missed, (case.folder, case.label, missed)
    for note in notes:
        print(f"- {note}")


if __name__ == "__main__":
    main()
