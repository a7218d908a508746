"""Round bodies beside coal, MuJoCo and parry: errors and nanoseconds, and the depth of sleeves as a picture.

    python benches/round_peers.py [--pairs N] [--plot FILE.svg]

Needs the packages coal, mujoco and numpy (and matplotlib for the picture), and cargo. Makes N pairs a case (250 unless told), asks
`cargo bench --bench round_pairs` about them, and then both peers, in the same run. Truth: of overlaps with parallel axes a closed form;
else the proven bracket, of which a peer is off by what it lies outside. Sizes 0.02 to 3 m, gaps and depths from 1e-4 of the size on.
coal and MuJoCo are called from Python: a call about two spheres is measured beside, and its time is taken off. parry, which has cylinders
and no ellipsoids, is asked by the same program as the engine.
"""

import argparse
import math
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import coal
import mujoco
import numpy as np

ROOT = Path(__file__).resolve().parent.parent


def turned(axis, angle):
    axis = np.asarray(axis, float) / np.linalg.norm(axis)
    return np.concatenate([[math.cos(angle / 2)], math.sin(angle / 2) * axis])


def size(random):
    return 10 ** random.uniform(math.log10(0.02), math.log10(3))


def cylinder(random):
    return ("cylinder", (size(random) / 2, size(random)))


def ellipsoid(random):
    return ("ellipsoid", (size(random) / 2, size(random) / 2, size(random) / 2))


def reach(body):
    kind, numbers = body
    return math.hypot(numbers[0], numbers[1] / 2) if kind == "cylinder" else max(numbers)


def parallel_depth(a, b, t):
    """The depth of two cylinders with parallel axes."""
    return min(a[1][0] + b[1][0] - math.hypot(t[0], t[1]), (a[1][1] + b[1][1]) / 2 - abs(t[2]))


def apart(make_a, make_b, turn):
    def pair(random):
        a, b = make_a(random), make_b(random)
        direction = random.normal(size=3)
        gap = 10 ** random.uniform(-4, 0)
        return a, b, direction / np.linalg.norm(direction) * (reach(a) + reach(b) + gap), turn(random), None

    return pair


def any_turn(random):
    q = random.normal(size=4)
    return q / np.linalg.norm(q)


def parallel_overlap(share_coaxial, tilt):
    def pair(random):
        while True:
            a, b = cylinder(random), cylinder(random)
            t = np.zeros(3)
            if random.uniform() >= share_coaxial:
                angle, out = random.uniform(0, 2 * math.pi), random.uniform(0, a[1][0] + b[1][0])
                t[:2] = out * math.cos(angle), out * math.sin(angle)
            t[2] = random.uniform(-0.5, 0.5) * (a[1][1] + b[1][1])
            depth = parallel_depth(a, b, t)
            if depth > 1e-4 * (reach(a) + reach(b)):
                q = turned([1, 0, 0], 10 ** random.uniform(-7, -3) if tilt else 0)
                return a, b, t, q, None if tilt else -depth

    return pair


def crossed_overlap(random):
    a, b = cylinder(random), cylinder(random)
    t = random.uniform(-0.3, 0.3, size=3) * (a[1][0] + b[1][0])
    return a, b, t, turned([1, 0, 0], math.pi / 2), None


CASES = {
    "cylinders apart": apart(cylinder, cylinder, any_turn),
    "cylinders apart, parallel": apart(cylinder, cylinder, lambda random: turned([1, 0, 0], 0)),
    "cylinder and ellipsoid apart": apart(cylinder, ellipsoid, any_turn),
    "ellipsoids apart": apart(ellipsoid, ellipsoid, any_turn),
    "overlap, parallel, 30 % coaxial": parallel_overlap(0.3, False),
    "overlap, tilted by 1e-7 to 1e-3": parallel_overlap(0.3, True),
    "overlap, crossed": crossed_overlap,
}


def text(body):
    kind, numbers = body
    return f"{{ {kind} = [{', '.join(map(repr, map(float, numbers)))}] }}"


def ours(cases, folder):
    """Brackets of all pairs, and nanoseconds by case."""
    lines = []
    for name, pairs in cases.items():
        for a, b, t, q, _ in pairs:
            lines.append(f"{name};{text(a)};{text(b)};{' '.join(repr(float(c)) for c in [*t, *q])}")
    (folder / "cases").write_text("\n".join(lines) + "\n")
    command = ["cargo", "bench", "--locked", "--quiet", "--bench", "round_pairs", "--", folder / "cases", folder / "answers"]
    printed = subprocess.run(command, check=True, cwd=ROOT, capture_output=True, text=True).stdout
    times = {name: tuple(map(float, numbers)) for name, *numbers in (line.split(";") for line in printed.splitlines())}
    rows = [tuple(map(float, line.split())) for line in (folder / "answers").read_text().splitlines()]
    brackets, first = {}, 0
    for name, pairs in cases.items():
        brackets[name] = rows[first : first + len(pairs)]
        first += len(pairs)
    return brackets, times


class Coal:
    name = "coal"

    def body(self, body):
        kind, numbers = body
        if kind == "sphere":
            return coal.Sphere(*numbers)
        return coal.Cylinder(*numbers) if kind == "cylinder" else coal.Ellipsoid(*numbers)

    def prepared(self, pairs):
        request = coal.DistanceRequest()
        request.enable_signed_distance = True
        made = []
        for a, b, t, q, _ in pairs:
            place = coal.Transform3s(rotation(q), np.array(t, float))
            made.append((self.body(a), self.body(b), place))
        still = coal.Transform3s.Identity()
        return lambda: [coal.distance(a, still, b, place, request, coal.DistanceResult()) for a, b, place in made]


class MuJoCo:
    name = "MuJoCo"
    XML = """<mujoco><worldbody><body><geom name="a" type="{}" size="{}"/></body>
        <body pos="{}" quat="{}"><geom name="b" type="{}" size="{}"/></body></worldbody></mujoco>"""

    def words(self, body):
        kind, numbers = body
        numbers = (numbers[0], numbers[1] / 2) if kind == "cylinder" else numbers
        return kind, " ".join(repr(float(c)) for c in numbers)

    def prepared(self, pairs):
        made = []
        for a, b, t, q, _ in pairs:
            place = [" ".join(repr(float(c)) for c in values) for values in (t, q)]
            model = mujoco.MjModel.from_xml_string(self.XML.format(*self.words(a), *place, *self.words(b)))
            data = mujoco.MjData(model)
            mujoco.mj_kinematics(model, data)
            made.append((model, data))
        line = np.zeros(6)
        return lambda: [mujoco.mj_geomDistance(model, data, 0, 1, 100.0, line) for model, data in made]


def rotation(q):
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def timed(call, count):
    times, found = [], []
    for _ in range(7):
        begin = time.perf_counter()
        found = call()
        times.append((time.perf_counter() - begin) / count * 1e9)
    return statistics.median(times), found


def errors(found, pairs, answers):
    """How far values lie outside of the truth, metres."""
    out = []
    for value, (_, _, _, _, truth), (_, lower, upper, _) in zip(found, pairs, answers):
        low, high = (lower, upper) if truth is None else (truth, truth)
        out.append(max(low - value, value - high, 0.0))
    return out


def table(pairs_a_case):
    random = np.random.default_rng(5)
    cases = {name: [make(random) for _ in range(pairs_a_case)] for name, make in CASES.items()}
    with tempfile.TemporaryDirectory() as folder:
        brackets, times = ours(cases, Path(folder))
    spheres = [(("sphere", (0.5,)), ("sphere", (0.5,)), (2.0, 0, 0), (1.0, 0, 0, 0), None)] * pairs_a_case
    print("| case | engine | ns | worst error, m | over 1e-6 m | over 1 mm |\n| --- | --- | --- | --- | --- | --- |")
    calls = {peer.name: timed(peer.prepared(spheres), pairs_a_case)[0] for peer in (Coal(), MuJoCo())}
    for name, pairs in cases.items():
        widths = [(upper - lower) / (reach(a) + reach(b)) for (a, b, *_), (_, lower, upper, _) in zip(pairs, brackets[name])]
        outside = errors([distance for distance, *_ in brackets[name]], pairs, brackets[name])
        round_, box, parry = times[name]
        counts = f"{over(outside, 1e-6)} | {over(outside, 1e-3)}"
        print(f"| {name} | clearsweep | {round_:.0f} (boxes {box:.0f}) | {max(outside):.1e}, width {max(widths):.1e} | {counts} |")
        for (_, lower, upper, _), (*_, truth) in zip(brackets[name], pairs):
            assert truth is None or lower - 1e-12 <= truth <= upper + 1e-12, f"{name}: {truth} is not in {lower} to {upper}"
        for peer in (Coal(), MuJoCo()):
            spent, found = timed(peer.prepared(pairs), len(pairs))
            off = errors(found, pairs, brackets[name])
            print(f"| {name} | {peer.name} | {spent - calls[peer.name]:.0f} | {max(off):.1e} | {over(off, 1e-6)} | {over(off, 1e-3)} |")
        of_parry = [found for *_, found in brackets[name]]
        if not any(map(math.isnan, of_parry)):
            off = errors(of_parry, pairs, brackets[name])
            print(f"| {name} | parry | {parry:.0f} | {max(off):.1e} | {over(off, 1e-6)} | {over(off, 1e-3)} |")


def over(values, bound):
    return f"{sum(value > bound for value in values)} of {len(values)}"


def plot(path):
    """The error of the depth of a pipe in a sleeve, by the offset of their axes."""
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    matplotlib.rcParams["svg.hashsalt"] = "clearsweep"
    offsets = np.logspace(-6, -0.5, 56)
    outer, inner = ("cylinder", (0.5, 2.0)), ("cylinder", (0.4, 3.0))
    pairs = []
    for offset in offsets:
        t = np.array([offset, 0, 0.1])
        pairs.append((outer, inner, t, (1.0, 0, 0, 0), -parallel_depth(outer, inner, t)))
    with tempfile.TemporaryDirectory() as folder:
        brackets = ours({"sleeves": pairs}, Path(folder))[0]["sleeves"]
    figure, axes = plt.subplots(figsize=(6, 3.4))
    for peer, colour in ((Coal(), "tab:orange"), (MuJoCo(), "tab:green")):
        found = peer.prepared(pairs)()
        axes.loglog(offsets, np.maximum(errors(found, pairs, brackets), 1e-16), ".-", color=colour, label=peer.name)
    wide = [max(upper - truth, truth - lower, 1e-16) for (_, lower, upper, _), (*_, truth) in zip(brackets, pairs)]
    axes.loglog(offsets, wide, "-", color="tab:blue", label="clearsweep: the ends of its bracket")
    axes.set_xlabel("offset of the axes, m (radii 0.5 and 0.4 m)")
    axes.set_ylabel("error of the depth, m")
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    figure.savefig(path, metadata={"Date": None}, bbox_inches="tight")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=250)
    parser.add_argument("--plot", type=Path)
    args = parser.parse_args()
    table(args.pairs)
    if args.plot:
        plot(args.plot)
