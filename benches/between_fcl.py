"""FCL's continuous collision on the motions of `between_peers`: python3 benches/between_fcl.py OUT (needs python-fcl and numpy).

Prints, for each family and solver, the contacts that FCL misses, contacts that it reports of bodies proven clear, and microseconds a motion.
`CCDM_LINEAR` is left out: with conservative advancement it reports contact at time 0 of boxes that are metres apart. `CCDM_SCREW` is the same motion
as that of the proven intervals for bodies that only turn. A body that only moves goes along the square of its path in FCL 0.7 (the axis of a screw without a turn
is not made a unit vector), so each is given a turn of 1e-7 rad about its path. For the family that moves and turns the motion is another one, and misses count for
nothing there.
"""

import json
import sys
import time
from pathlib import Path

import fcl
import numpy as np

#: Radians. The turn of bodies that only move: see above.
LEAST_TURN = 1e-7

SOLVERS = [
    ("FCL, defaults", dict()),
    ("FCL, 1,000 steps, screw", dict(ccd_motion_type=fcl.CCDMotionType.CCDM_SCREW, num_max_iterations=1000, toc_err=1e-6)),
    (
        "FCL, conservative advancement, screw",
        dict(
            ccd_motion_type=fcl.CCDMotionType.CCDM_SCREW,
            ccd_solver_type=fcl.CCDSolverType.CCDC_CONSERVATIVE_ADVANCEMENT,
            num_max_iterations=1000,
            toc_err=1e-6,
        ),
    ),
]


def geometry(body):
    vertices = np.array(body["vertices"])
    faces = []
    for face in body["faces"]:
        faces.extend([len(face), *face])
    return fcl.Convex(vertices, len(body["faces"]), np.array(faces))


def turned_about_path(start, end):
    """The pose at the end, with a turn of LEAST_TURN about the path if the body only moves."""
    path = np.array(end[0]) - np.array(start[0])
    length = np.linalg.norm(path)
    if length == 0.0 or list(start[1]) != list(end[1]):
        return end
    x, y, z = 0.5 * LEAST_TURN * path / length
    qw, qx, qy, qz = end[1]
    q = [qw - x * qx - y * qy - z * qz, qx + x * qw + y * qz - z * qy, qy + y * qw + z * qx - x * qz, qz + z * qw + x * qy - y * qx]
    return [end[0], list(np.array(q) / np.linalg.norm(q))]


def main():
    lines = [json.loads(line) for line in (Path(sys.argv[1]) / "motions.jsonl").read_text().splitlines()]
    bodies = [geometry(line) for line in lines if "vertices" in line]
    motions = [line for line in lines if "family" in line]
    print("| motion | method | contacts | missed | false | us an interval |")
    print("| --- | --- | --- | --- | --- | --- |")
    for family in dict.fromkeys(line["family"] for line in motions):
        chosen = [line for line in motions if line["family"] == family]
        for name, options in SOLVERS:
            request = fcl.ContinuousCollisionRequest(**options)
            missed = wrong = contacts = 0
            spent = 0.0
            for line in chosen:
                objects, ends = [], []
                for body, (start, end) in zip(line["bodies"], line["ends"]):
                    at = lambda pose: fcl.Transform(np.array(pose[1]), np.array(pose[0]))
                    objects.append(fcl.CollisionObject(bodies[body], at(start)))
                    ends.append(at(turned_about_path(start, end)))
                result = fcl.ContinuousCollisionResult()
                begun = time.perf_counter()
                fcl.continuousCollide(objects[0], ends[0], objects[1], ends[1], request, result)
                spent += time.perf_counter() - begun
                contacts += line["status"] == "contact"
                missed += line["status"] == "contact" and not result.is_collide
                wrong += line["status"] == "clear" and result.is_collide
            print(f"| {family} | {name} | {contacts} | {missed} | {wrong} | {1e6 * spent / len(chosen):.2f} |")


if __name__ == "__main__":
    main()
