"""Motions with a known truth for `leaks.py`: shapes, paths, and families of queries that need nothing but numpy.

A query is one motion from a clear frame to the next clear frame. Its truth is True (the bodies touch in between), False (they stay farther apart than
`touch`), or None (the least distance is positive and at most `touch`: either answer is right, and the query is left out). Lengths in metres.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

IDENTITY = (1.0, 0.0, 0.0, 0.0)
TOUCH = 1e-6


@dataclass(frozen=True)
class Shape:
    """`kind`: sphere, box, cylinder or sleeve with `size` as in a scene file; points with `points`; mesh with `file` and `scale`."""

    kind: str
    size: tuple = ()
    points: tuple = ()
    faces: tuple = ()
    file: str = ""
    scale: float = 1.0

    def text(self):
        """The keys of a body in a scene file."""
        if self.kind == "mesh":
            return f'geometry = "{self.file}"\nscale = {self.scale}\nmodel = "mesh"'
        if self.kind == "points":
            return f"shape = {{ points = {[list(map(float, point)) for point in self.points]} }}"
        name = {"sleeve": "rectangular_torus"}.get(self.kind, self.kind)
        value = repr(float(self.size[0])) if self.kind == "sphere" else repr(list(map(float, self.size)))
        return f"shape = {{ {name} = {value} }}"


@dataclass(frozen=True)
class Straight:
    """The origin moves on a line, and the body turns by the shortest rotation. Ends: (position, quaternion w, x, y, z)."""

    start: tuple
    end: tuple

    def at(self, share):
        (from_, q), (to, r) = self.start, self.end
        return tuple(a + share * (b - a) for a, b in zip(from_, to)), blend(q, r, share)

    def many(self, shares):
        if self.start == self.end:
            return [self.start] * len(shares)
        return [self.at(share) for share in shares]


def still(position, q=IDENTITY):
    return Straight((tuple(position), q), (tuple(position), q))


def blend(q, r, share):
    cosine = sum(a * b for a, b in zip(q, r))
    r = tuple(-b for b in r) if cosine < 0 else r
    angle = math.atan2(math.dist(r, [abs(cosine) * a for a in q]), abs(cosine))
    if angle < 1e-12:
        return tuple(q)
    x, y = math.sin((1 - share) * angle) / math.sin(angle), math.sin(share * angle) / math.sin(angle)
    return tuple(x * a + y * b for a, b in zip(q, r))


@dataclass
class Family:
    """Queries of one kind. `queries`: the paths of the bodies that take part, by name; bodies of one group are not compared."""

    name: str
    source: str  # of the truth
    bodies: dict  # name: (shape, group)
    queries: list
    truth: list
    between: str = "linear"
    touch: float = TOUCH
    joints: Callable | None = None  # writes the scene whose joints move linearly: the folder
    motion_note: str = ""

    def pairs(self, query):
        """Names of the bodies that are compared in a query."""
        names = list(query)
        group = lambda name: self.bodies[name][1] or name
        return [(a, b) for k, a in enumerate(names) for b in names[k + 1 :] if group(a) != group(b)]


def verdict(distance, touch=TOUCH):
    """The truth by a least signed distance."""
    return True if distance <= 0 else None if distance <= touch else False


def sampled_truth(distance, speed, touch=TOUCH):
    """The truth by samples and a bound on the speed (metres an interval): `distance` takes an array of shares. None is left near `touch` alone."""
    half, middles = 1 / 128, (np.arange(64) + 0.5) / 64
    while len(middles):
        values = distance(middles)
        if (values <= 0).any():
            return True
        middles = middles[values - speed * half <= touch]
        if speed * half < 1e-9 or len(middles) > 1_000_000:
            return None
        half /= 8
        middles = (middles[:, None] + half * np.arange(-7, 8, 2)).ravel()
    return False


def from_box(points, half):
    """Signed distances of points from a box about the origin."""
    over = np.abs(points) - half
    return np.linalg.norm(np.maximum(over, 0), axis=-1) + np.minimum(over.max(-1), 0)


def slabs(half, start, end, touch=TOUCH):
    """The truth for a point that moves on a line past a box about the origin: boxes without turns become such a point."""
    enters = lambda grown: clipped(np.array(half) + grown, np.array(start), np.array(end))
    return True if enters(0.0) else None if enters(touch) else False


def clipped(half, start, end):
    low, high = 0.0, 1.0
    for h, a, b in zip(half, start, end):
        if a == b:
            if abs(a) > h:
                return False
            continue
        one, other = sorted(((-h - a) / (b - a), (h - a) / (b - a)))
        low, high = max(low, one), min(high, other)
    return low <= high


def thin_boxes(name, random, count):
    """Thin boxes that move past each other without turns: slabs, a closed form."""
    bodies, queries, truth = {}, [], []
    shapes = [(1.0, 1.0, 0.002), (0.5, 0.02, 0.3), (0.01, 0.01, 0.4), (0.3, 0.3, 0.3)]
    for k, size in enumerate(shapes):
        bodies[f"one-{k}"], bodies[f"two-{k}"] = (Shape("box", size), ""), (Shape("box", size), "")
    while len(queries) < count:
        one, two = random.integers(len(shapes)), random.integers(len(shapes))
        half = (np.array(shapes[one]) + shapes[two]) / 2
        start, end = random.uniform(-1.5, 1.5, 3), random.uniform(-1.5, 1.5, 3)
        if min(from_box(start, half), from_box(end, half)) > 0.01:
            queries.append({f"one-{one}": still((0.0, 0.0, 0.0)), f"two-{two}": Straight((tuple(start), IDENTITY), (tuple(end), IDENTITY))})
            truth.append(slabs(half, start, end))
    return Family(name, "closed form (slabs)", bodies, queries, truth)


def blades(name, random, count):
    """A blade turns about its middle by 20 to 170 degrees before a ball at rest."""
    half, bodies, queries, truth = np.array([1.0, 0.02, 0.05]), {}, [], []
    bodies["blade"] = (Shape("box", tuple(2 * half)), "")
    radii = [0.005, 0.02, 0.08]
    for k, radius in enumerate(radii):
        bodies[f"ball-{k}"] = (Shape("sphere", (radius,)), "")
    about_z = lambda angle: (math.cos(angle / 2), 0.0, 0.0, math.sin(angle / 2))
    while len(queries) < count:
        k, start, turn = random.integers(len(radii)), random.uniform(-math.pi, math.pi), math.radians(random.uniform(20, 170))
        way, reach = random.uniform(-math.pi, math.pi), random.uniform(0.2, 1.15)
        centre = (reach * math.cos(way), reach * math.sin(way), random.uniform(-0.1, 0.1))
        # Seen from the blade the ball moves on an arc.
        seen = lambda t: np.stack([reach * np.cos(way - start - turn * t), reach * np.sin(way - start - turn * t), 0 * t + centre[2]], -1)
        gap = lambda t: from_box(seen(t), half) - radii[k]
        if gap(np.array([0.0, 1.0])).min() > 0.005:
            origin = (0.0, 0.0, 0.0)
            queries.append({"blade": Straight((origin, about_z(start)), (origin, about_z(start + turn))), f"ball-{k}": still(centre)})
            truth.append(sampled_truth(gap, reach * turn))
    return Family(name, "samples and speed", bodies, queries, truth)


def turned(q, v):
    """A vector turned by a quaternion, or vectors by quaternions."""
    q, v = np.asarray(q), np.asarray(v, dtype=float)
    cross = 2 * np.cross(q[..., 1:], v)
    return v + q[..., :1] * cross + np.cross(q[..., 1:], cross)


def product(p, q):
    """Quaternion products, by rows."""
    p, q = np.asarray(p), np.asarray(q)
    vector = p[..., :1] * q[..., 1:] + q[..., :1] * p[..., 1:] + np.cross(p[..., 1:], q[..., 1:])
    return np.concatenate([p[..., :1] * q[..., :1] - (p[..., 1:] * q[..., 1:]).sum(-1, keepdims=True), vector], -1)


def sleeves(name, random, count):
    """A pipe goes through a sleeve along its axis, or passes it outside with a parallel axis; gaps of 10 um to 10 mm, half of them negative."""
    bodies, queries, truth = {}, [], []
    inner, outer, length, reach = 0.1, 0.12, 0.4, 0.3
    bodies["sleeve"] = (Shape("sleeve", (inner, outer, length)), "")
    for k in range(count):
        gap, angle = random.choice([-1, 1]) * 10 ** random.uniform(-5, -2), random.uniform(-math.pi, math.pi)
        across, along = np.array([math.cos(angle), math.sin(angle), 0]), np.array([-math.sin(angle), math.cos(angle), 0])
        z = np.array([0.0, 0.0, 1.0])
        if k % 2:
            radius, offset = 0.09, 0.1 - 0.09 - gap
            ends = (offset * across - 0.6 * z, offset * across + 0.6 * z)
        else:
            radius = 0.05
            ends = ((outer + radius + gap) * across - reach * along, (outer + radius + gap) * across + reach * along)
        bodies[f"pipe-{radius}"] = (Shape("cylinder", (radius, length)), "")
        q = random.normal(size=4)
        q = tuple(q / np.linalg.norm(q))
        place = random.uniform(-0.5, 0.5, 3)
        # Along the axis the pipe also turns about it, which changes nothing.
        spun = tuple(product(q, np.array([math.cos(0.3), 0, 0, math.sin(0.3)]))) if k % 2 else q
        start, end = (tuple(place + turned(q, end)) for end in ends)
        queries.append({"sleeve": still(place, q), f"pipe-{radius}": Straight((start, q), (end, spun))})
        truth.append(verdict(gap))
    return Family(name, "closed form (radii)", bodies, queries, truth)


@dataclass
class Arm:
    """A chain of revolute joints. `axes` and `places` of the joints in the world at rest; `spheres`: (joint, centre at rest, radius)."""

    name: str
    axes: np.ndarray
    places: np.ndarray
    spheres: list = field(default_factory=list)

    def poses(self, values, index=None):
        """Centres and quaternions of all spheres, or of one: values of the joints by rows (n, joints)."""
        spheres = self.spheres if index is None else [self.spheres[index]]
        q, p = np.tile(IDENTITY, (len(values), 1)), np.zeros((len(values), 3))
        frames = []
        for axis, place, value in zip(self.axes, self.places, values.T):
            turn = np.concatenate([np.cos(value / 2)[:, None], np.sin(value / 2)[:, None] * axis], 1)
            p = p + turned(q, place - turned(turn, np.tile(place, (len(values), 1))))
            q = product(q, turn)
            frames.append((q, p))
        return [(turned(frames[j][0], np.tile(c, (len(values), 1))) + frames[j][1], frames[j][0]) for j, c, _ in spheres]

    def speeds(self, change):
        """Bounds on the speeds of the spheres' centres: each joint turns by `change` about a place that is at most the chain away."""
        bounds = []
        for j, centre, _ in self.spheres:
            chain, bound = np.linalg.norm(centre - self.places[j]), 0.0
            for k in range(j, -1, -1):
                bound += abs(change[k]) * chain
                chain += np.linalg.norm(self.places[k] - self.places[k - 1]) if k else 0.0
            bounds.append(bound)
        return bounds

    def toml(self):
        """Bodies and joints of a scene file. Spheres of a link hang on its first one."""
        text, carrier = "", {}
        for k, (j, centre, radius) in enumerate(self.spheres):
            body = f"{self.name}-{k}"
            text += f'[[body]]\nname = "{body}"\nshape = {{ sphere = {radius} }}\ngroup = "{self.name}"\nposition = {centre.tolist()}\n'
            if j in carrier:
                text += f'[[joint]]\nname = "hold-{body}"\ntype = "fixed"\nparent = "{carrier[j][0]}"\nchild = "{body}"\n'
                continue
            parent, at = carrier.get(j - 1, ("", np.zeros(3)))
            text += f'[[joint]]\nname = "{self.name}-joint-{j}"\ntype = "revolute"\nchild = "{body}"\naxis = {self.axes[j].tolist()}\n'
            text += f'origin = {(self.places[j] - at).tolist()}\nrange = ["-100rad", "100rad"]\n' + (f'parent = "{parent}"\n' if parent else "")
            carrier[j] = (body, centre)
        return text


def arm(name, base, links, facing=1.0):
    """An arm that stands up from its base with axes z, y, y, x, y, and spheres every 6 cm along its links."""
    x, y, z = np.eye(3)
    places = [np.array(base)]
    for length in links[:-1]:
        places.append(places[-1] + facing * length * x)
    spheres = []
    for j, length in enumerate(links):
        for share in np.arange(0.06, length + 1e-9, 0.06):
            spheres.append((j, places[j] + facing * share * x, 0.03))
    return Arm(name, np.array([z, y, y, x, y][: len(links)]), np.array(places), spheres)


@dataclass
class Carried:
    """The path of a sphere of an arm whose joints move linearly."""

    arm: Arm
    index: int
    start: np.ndarray
    end: np.ndarray

    def many(self, shares):
        """Poses (position, quaternion) at shares of the motion."""
        values = self.start + np.array(shares)[:, None] * (self.end - self.start)
        return list(zip(*self.arm.poses(values, self.index)[0]))


def arms(name, random, count, chains, boxes, step=0.8):
    """Motions of all joints by up to `step` radians each, among boxes (middle, size). Both frames are clear by 5 mm."""
    bodies, queries, truth, values = {}, [], [], []
    for chain in chains:
        for k, (_, _, radius) in enumerate(chain.spheres):
            bodies[f"{chain.name}-{k}"] = (Shape("sphere", (radius,)), chain.name)
    for k, (_, size) in enumerate(boxes):
        bodies[f"box-{k}"] = (Shape("box", size), "boxes")
    while len(queries) < count:
        starts = [random.uniform(-1.6, 1.6, len(chain.axes)) for chain in chains]
        ends = [start + random.uniform(-step, step, len(start)) for start in starts]
        shares = np.linspace(0, 1, 9)[:, None]
        centres = [np.array([centre for centre, _ in c.poses(s + shares * (e - s))]) for c, s, e in zip(chains, starts, ends)]
        gaps = list(gaps_of(chains, boxes, starts, ends, centres))
        if min(seen[[0, -1]].min() for _, _, seen in gaps) < 0.005:
            continue
        # Motions far from everything are uninteresting, and those without contact are many: both are thinned out.
        if min(seen.min() for _, _, seen in gaps) > 0.02 and random.uniform() < 0.9:
            continue
        near = [(gap, speed) for gap, speed, seen in gaps if seen.min() - speed / 16 <= TOUCH]
        found = {sampled_truth(*gap) for gap in near}
        if True not in found and random.uniform() < 0.7:
            continue
        truth.append(True if True in found else None if None in found else False)
        moving = {f"{c.name}-{k}": Carried(c, k, s, e) for c, s, e in zip(chains, starts, ends) for k in range(len(c.spheres))}
        queries.append(moving | {f"box-{k}": still(middle) for k, (middle, _) in enumerate(boxes)})
        values.append((np.concatenate(starts), np.concatenate(ends)))
    return Family(name, "samples and speed", bodies, queries, truth, "joint", joints=lambda folder: write_arms(folder, chains, boxes, values))


def gaps_of(chains, boxes, starts, ends, centres):
    """Of all pairs: distance as a function of shares, bound on the speed, distances at the shares of `centres`."""
    paths = []
    for chain, start, end, seen in zip(chains, starts, ends, centres):
        for k, speed in enumerate(chain.speeds(end - start)):
            centre = lambda t, c=chain, k=k, s=start, e=end: c.poses(s + t[:, None] * (e - s), k)[0][0]
            paths.append((chain, centre, chain.spheres[k][2], speed, seen[k]))
    for k, (chain, centre, radius, speed, seen) in enumerate(paths):
        for middle, size in boxes:
            gap = lambda p, m=middle, s=size, r=radius: from_box(p - m, np.array(s) / 2) - r
            yield lambda t, c=centre, gap=gap: gap(c(t)), speed, gap(seen)
        for other, centre_2, radius_2, speed_2, seen_2 in paths[k + 1 :]:
            if other is not chain:
                gap = lambda p, q, r=radius + radius_2: np.linalg.norm(p - q, axis=1) - r
                yield lambda t, c=centre, d=centre_2, gap=gap: gap(c(t), d(t)), speed + speed_2, gap(seen, seen_2)


def write_arms(folder, chains, boxes, values):
    text = '[scene]\nlength_unit = "m"\njoints = "joints.csv"\n[query]\nanswer = "overlap"\n[motion]\nbetween = "joint"\n'
    text += "".join(chain.toml() for chain in chains)
    for k, (middle, size) in enumerate(boxes):
        text += f'[[body]]\nname = "box-{k}"\nshape = {{ box = {list(size)} }}\ngroup = "boxes"\nstatic = true\nposition = {list(middle)}\n'
    for name in [chain.name for chain in chains]:
        text += f'[[ignore]]\na = "group:{name}"\nb = "group:{name}"\nreason = "one arm"\n'
    (folder / "scene.toml").write_text(text)
    names = [f"{chain.name}-joint-{j}" for chain in chains for j in range(len(chain.axes))]
    lines = [",".join(["run", "frame", *names])]
    lines += [f"{run},{frame}," + ",".join(map(repr, row.tolist())) for run, ends in enumerate(values) for frame, row in enumerate(ends)]
    (folder / "joints.csv").write_text("\n".join(lines) + "\n")


def worlds(count, only=""):
    """Yields the families that are made here and whose name contains `only`: `count` queries each, a tenth of it of arms."""
    one = arm("arm", (0.0, 0.0, 0.0), [0.12, 0.3, 0.3, 0.12, 0.12])
    shelves = [((0.62, 0.0, z), (0.3, 0.9, 0.016)) for z in (-0.3, 0.0, 0.3)]
    sides = [((0.62, y, 0.0), (0.3, 0.016, 0.616)) for y in (-0.45, 0.45)]
    slot = [((0.45, 0.0, z), (0.02, 1.2, 0.6)) for z in (-0.36, 0.36)]
    pair = [arm("left", (-0.45, 0.0, 0.0), [0.12, 0.3, 0.3]), arm("right", (0.45, 0.0, 0.0), [0.12, 0.3, 0.3], -1.0)]
    makers = {
        "thin boxes that pass": thin_boxes,
        "a blade before a ball": blades,
        "a pipe and a sleeve": sleeves,
        "an arm before a bookcase": lambda *draw: arms(*draw, [one], shelves + sides),
        "two arms": lambda *draw: arms(*draw, pair, []),
        "an arm and a slot": lambda *draw: arms(*draw, [one], slot),
    }
    for seed, (name, make) in zip(np.random.SeedSequence(7).spawn(len(makers)), makers.items()):
        if only in name:
            yield make(name, np.random.default_rng(seed), count if "arm" not in name else count // 10)
