"""Writes the scenes of benches/memory.sh that `clearsweep generate` does not: python3 benches/memory.py DIR [BODIES]

- DIR/static: BODIES boxes (1,000,000) of 1 m that stand in a cube, 5 cm apart give or take 4 mm: three pairs a body are within
  6 cm, and the boxes of thirteen come near;
- DIR/heavy: 8 ellipsoids of 20,000 vertices each that tumble among each other, 1,000 frames.

A folder that is there already is taken as it is. Needs the standard library only.
"""

import math
import random
import sys
from pathlib import Path

PITCH, JITTER, WITHIN = 1.05, 0.004, 0.06
HEAVY, VERTICES, FRAMES = 8, 20_000, 1000


def static(folder, bodies):
    """Boxes in a cube."""
    draw, side = random.Random(1), math.ceil(bodies ** (1 / 3))
    with open(folder / "parts.csv", "w") as parts:
        parts.write("body,x,y,z\n")
        for k in range(bodies):
            place = (k // side // side, k // side % side, k % side)
            x, y, z = (PITCH * at + draw.uniform(-JITTER, JITTER) for at in place)
            parts.write(f"part-{k},{x:.6f},{y:.6f},{z:.6f}\n")
    (folder / "scene.toml").write_text(
        f'[scene]\nlength_unit = "m"\n[query]\nwithin = {WITHIN}\n'
        '[[bodies]]\ntable = "parts.csv"\nshape = { box = [1.0, 1.0, 1.0] }\nstatic = true\n'
    )


def heavy(folder):
    """Ellipsoids around the origin, their vertices on a spiral, and how they move."""
    draw, turn = random.Random(2), math.pi * (3 - math.sqrt(5))
    scene = ['[scene]\nlength_unit = "m"\ntrajectories = "trajectories.csv"\n[query]\nwithin = 0.5\n']
    motions = []
    for body in range(HEAVY):
        axes = [draw.uniform(0.3, 0.6) for _ in range(3)]
        with open(folder / f"{body}.obj", "w") as mesh:
            for k in range(VERTICES):
                z = 1 - (2 * k + 1) / VERTICES
                r = math.sqrt(1 - z * z)
                point = (r * math.cos(turn * k), r * math.sin(turn * k), z)
                mesh.write("v {:.9f} {:.9f} {:.9f}\n".format(*(a * c for a, c in zip(axes, point))))
        scene.append(f'[[body]]\nname = "b{body}"\ngeometry = "{body}.obj"\nmodel = "hull"\n')
        motions.append([(draw.uniform(0.5, 1.5), draw.uniform(0, 2 * math.pi)) for _ in range(4)])
    with open(folder / "trajectories.csv", "w") as rows:
        rows.write("frame,body,x,y,z,qw,qx,qy,qz\n")
        for frame in range(FRAMES):
            for body, motion in enumerate(motions):
                x, y, z, half = (math.sin(speed * frame / 60 + phase) for speed, phase in motion)
                q = (math.cos(half), math.sin(half) * 0.6, 0.0, math.sin(half) * 0.8)
                rows.write(f"{frame},b{body},{x!r},{y!r},{z!r}," + ",".join(map(repr, q)) + "\n")
    (folder / "scene.toml").write_text("".join(scene))


def main():
    work = Path(sys.argv[1])
    bodies = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    for name, write in (("static", lambda folder: static(folder, bodies)), ("heavy", heavy)):
        folder = work / name
        if not (folder / "scene.toml").exists():
            folder.mkdir(parents=True, exist_ok=True)
            write(folder)


main()
