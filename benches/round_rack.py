"""A rack of round pipes and elbows, and the same as prisms: python benches/round_rack.py OUT [--count 2000] [--frames 400] [--sides 24]

Writes OUT/round.toml and OUT/prisms.toml with one log of poses, OUT/log.csv. Four fifths of the bodies are straight pipes, one fifth
elbows of a quarter turn at their ends; radii 25 to 250 mm, in eight levels. Six drums and six crates are carried over, between and
through them. An elbow of prisms has eight straight parts. With `--run CLEARSWEEP` both are run in turn, three rounds: seconds, and the
pairs that violate 50 mm in one and not in the other. Needs nothing but Python (with `--run`: pyarrow).
"""

import argparse
import math
import random
import subprocess
import time
from pathlib import Path

REQUIRE = 50
HEAD = '[scene]\nname = "rack"\nlength_unit = "mm"\ntrajectories = "log.csv"\n\n[query]\nrequire = 50\n\n'


def pipes(count, draw):
    """(name, kind, radius, length or bend, position, turn about z) of pipes and elbows."""
    columns = math.ceil(count / 5 / 8)
    for line in range(count // 5):
        level, column = line % 8, line // 8
        radius = draw.choice([25, 50, 75, 100, 150, 200, 250])
        y, z = 700 * column + draw.uniform(-60, 60), 900 * level + radius
        for part in range(4):
            yield f"P{line}-{part}", "pipe", radius, 3000, (3000 * part + 1500, y, z), 0
        bend = 1.5 * 2 * radius
        yield f"E{line}", "elbow", radius, bend, (12000, y + bend, z), -90
    assert columns > 0


def body(name, shape, position, turn):
    """A body at rest."""
    place = ", ".join(f"{c:.6f}" for c in position)
    return f'[[body]]\nname = "{name}"\n{shape}\nstatic = true\nposition = [{place}]\norientation = {{ rpy = {turn} }}\ngroup = "rack"\n\n'


def straight(radius, length, sides):
    return f"cylinder = [{radius}, {length}{f', {sides}' if sides else ''}]"


def prisms_of_elbow(radius, bend, sides, parts=8):
    """Straight parts whose middles lie on the arc, and that are as long as their chords reach."""
    step = math.pi / 2 / parts
    length = 2 * (bend + radius) * math.tan(step / 2)
    for k in range(parts):
        angle = (k + 0.5) * step
        x, y = bend * math.cos(angle), bend * math.sin(angle)
        turn = f"{{ rpy = [-90, 0, {math.degrees(angle):.6f}] }}"
        yield f"{{ {straight(radius, round(length, 6), sides)}, position = [{x:.6f}, {y:.6f}, 0], orientation = {turn} }}"


def scene(count, sides, draw):
    text = [HEAD]
    for name, kind, radius, length, position, turn in pipes(count, draw):
        if kind == "pipe":
            text.append(body(name, f"shape = {{ {straight(radius, length, sides)} }}", position, [0, 90, 0]))
        elif sides:
            parts = ",\n    ".join(prisms_of_elbow(radius, length, sides))
            text.append(body(name, f"parts = [{parts}]", position, [0, 0, turn]))
        else:
            text.append(body(name, f'shape = {{ torus = [{length}, {radius}], angle = "90deg" }}', position, [0, 0, turn]))
    for k in range(6):
        text.append(f'[[body]]\nname = "drum-{k}"\nshape = {{ {straight(300, 900, sides)} }}\n\n')
        text.append(f'[[body]]\nname = "crate-{k}"\nshape = {{ box = [800, 600, 500] }}\n\n')
    text.append('[[ignore]]\na = "group:rack"\nb = "group:rack"\nreason = "pipes end in elbows"\n')
    return "".join(text)


def log(count, frames, draw):
    """Loads that go along the rack, turning."""
    width = 700 * math.ceil(count / 5 / 8)
    names = [f"{kind}-{k}" for k in range(6) for kind in ("drum", "crate")]
    ways = {name: [draw.uniform(0, end) for end in (width, width, 7500, 7500)] + [draw.uniform(-2, 2)] for name in names}
    rows = ["frame,body,x,y,z,qw,qx,qy,qz"]
    for frame in range(frames):
        share = frame / (frames - 1)
        for name, (y0, y1, z0, z1, turns) in ways.items():
            half = turns * math.pi * share / 2
            x, y, z = -1000 + 15000 * share, y0 + (y1 - y0) * share, z0 + (z1 - z0) * share
            rows.append(f"{frame},{name},{x:.6f},{y:.6f},{z:.6f},{math.cos(half)!r},{math.sin(half)!r},0,0")
    return "\n".join(rows) + "\n"


def violating(out):
    """Pairs and frames with a row that proves a violation, of a result."""
    import pyarrow.parquet as parquet

    names = parquet.read_table(out / "bodies.parquet", columns=["body"])["body"].to_pylist()
    rows = parquet.read_table(out / "distances", columns=["frame", "body_a", "body_b", "upper_m"]).to_pydict()
    near = zip(rows["frame"], rows["body_a"], rows["body_b"], rows["upper_m"])
    deep = parquet.read_table(out / "penetrations", columns=["frame", "body_a", "body_b"]).to_pydict()
    found = {(frame, a, b) for frame, a, b, upper in near if upper < REQUIRE / 1e3}
    return found | set(zip(deep["frame"], deep["body_a"], deep["body_b"])), len(names)


def run(program, folder):
    times = {"round": [], "prisms": []}
    for _ in range(3):
        for name, spent in times.items():
            begin = time.perf_counter()
            words = [program, "run", folder / f"{name}.toml", "--out", folder / name, "--force", "--progress", "none"]
            done = subprocess.run(words, capture_output=True)
            assert done.returncode == 3, done.stderr.decode()
            spent.append(time.perf_counter() - begin)
    for name, spent in times.items():
        print(f"{name}: {min(spent):.3f} s at least, of {', '.join(f'{s:.3f}' for s in spent)}")
    (exact, bodies), (rough, _) = violating(folder / "round"), violating(folder / "prisms")
    print(f"{bodies} bodies; {len(exact)} rows violate; prisms miss {len(exact - rough)} and add {len(rough - exact)}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--frames", type=int, default=400)
    parser.add_argument("--sides", type=int, default=24)
    parser.add_argument("--run", metavar="CLEARSWEEP")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    for file, sides in (("round.toml", 0), ("prisms.toml", args.sides)):
        (args.out / file).write_text(scene(args.count, sides, random.Random(1)))
    (args.out / "log.csv").write_text(log(args.count, args.frames, random.Random(2)))
    if args.run:
        run(args.run, args.out)
