"""A bracket of the STEP assembly AS1 turned by 360 degrees: the turn proven as a joint, beside poses sampled by FCL.

    python benches/turning_bracket.py PROGRAM DATA OUT [--deflection 0.01] [--poses 120]

DATA: the folder step. The STEP file becomes a GLB with the tree of the assembly, a body of each of its parts, triangles at most DEFLECTION mm off. The
bracket stands a little above its place, before rod and screws are in; it turns about a vertical axis. In the last case its screws hang on it. Each
case is proven with the exact triangles, and with the deflection as `deviation` of all bodies. Needs cascadio, trimesh, python-fcl, numpy and polars.

Columns:
  clear      degrees from which and up to which no body touches the bracket, on both sides of 0: from a turn forward and another one backward, at
             their first contact. `all`: a least distance of 0.1 mm is proven for the whole turn
  segments   of 3 degrees between samples; those with a proven contact; undecided ones
  one, two   the whole process, loading included: processor time on one thread, wall time on two
  screw      processor time on one thread of the same turn as a table of poses, `between = "screw"`, for the bracket alone
  FCL        processor seconds for POSES poses through trimesh's CollisionManager, loading left out: whether bodies touch; the least distance;
             the first and the last pose in contact, degrees
"""

import argparse
import json
import math
import pathlib
import resource
import subprocess
import time

import cascadio
import numpy as np
import polars
import trimesh

BRACKET = "as1/l-bracket-assembly_1"
ROD = "rod-assembly_1"
# The height above its place and the axis (x, y) in mm, whether the screws hang on the bracket, and the distance to be proven; 0: whether it touches.
CASES = [
    ("middle bolt", 0.5, (25.0, 75.0), False, 0.1),
    ("middle bolt, 0.15 mm above the plate", 0.15, (25.0, 75.0), False, 0.1),
    ("outer bolt", 0.5, (47.5, 87.99038106), False, 0.1),
    ("middle of the plate", 0.5, (90.0, 75.0), False, 0.0),
    ("middle of the plate, with screws", 25.0, (90.0, 75.0), True, 0.0),
]


def write(folder, glb, case, deviation, is_backward=False, rest=None):
    """Writes the scene: a joint that is swept, or with the pose of the bracket at rest (mm) a table of its poses, a screw between them."""
    _, lift, axis, has_screws, least = case
    folder.mkdir(parents=True, exist_ok=True)
    same = f'geometry = "{glb}"\neach = "node"\nmodel = "mesh"\n' + (f'deviation = "{deviation}mm"\n' if deviation else "")
    query = f'answer = "distance"\nwithin = {2 * least}\nrequire = {least}\n' if least else 'answer = "overlap"\nrequire = 0\n'
    text = '[scene]\nlength_unit = "mm"\n' + ('trajectories = "motion.csv"\n' if rest else "")
    text += f'[query]\n{query}[motion]\nbetween = "{"screw" if rest else "joint"}"\n'
    text += f'[[bodies]]\n{same}static = true\nexclude = ["{BRACKET}", "as1/{ROD}"]\n'
    turning = BRACKET if has_screws else f"{BRACKET}/l-bracket_1"
    text += f'[[bodies]]\n{same}name = "lifted"\ninclude = "lifted/{turning}"\nposition = [0, 0, {lift}]\n'
    if rest:
        text += "static = false\n"
        write_poses(folder / "motion.csv", f"lifted/{turning}", rest, lift, axis)
    else:
        text += f'[[joint]]\nname = "turn"\ntype = "revolute"\nchild = "lifted/{turning}"\norigin = [{axis[0]}, {axis[1]}, 0]\n'
        text += f'axis = [0, 0, {-1 if is_backward else 1}]\nrange = ["0deg", "360deg"]\n[[sweep]]\njoints = ["turn"]\n'
    (folder / "scene.toml").write_text(text)


def write_poses(path, body, rest, lift, axis):
    """The turn in steps of 3 degrees, as `[[sweep]]` divides it."""
    lines = ["run,frame,body,x,y,z,qw,qx,qy,qz"]
    for frame in range(121):
        turn = math.radians(3 * frame)
        c, s, half_c, half_s = math.cos(turn), math.sin(turn), math.cos(turn / 2), math.sin(turn / 2)
        x, y, (w, i, j, k) = rest[0] - axis[0], rest[1] - axis[1], rest[3:]
        place = [axis[0] + c * x - s * y, axis[1] + s * x + c * y, rest[2] + lift]
        pose = [*place, half_c * w - half_s * k, half_c * i - half_s * j, half_c * j + half_s * i, half_c * k + half_s * w]
        lines.append(f"0,{frame},{body}," + ",".join(map(repr, pose)))
    path.write_text("\n".join(lines) + "\n")


def run(program, folder, threads):
    """Returns the manifest, and of the whole process its processor time and wall time, seconds."""
    words = [program, "run", "scene.toml", "--out", "out", "--force", "--threads", str(threads), "--progress", "none"]
    used = lambda: sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    before, begun = used(), time.perf_counter()
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    wall, processor = time.perf_counter() - begun, used() - before
    assert done.returncode in (0, 3, 4), done.stderr
    return json.loads((folder / "out/manifest.json").read_text()), processor, wall


def said(folder):
    """Whether and where the first contact begins (degrees, lo and hi), and numbers of segments: all, with a contact, undecided."""
    samples = polars.read_parquet(folder / "out/samples.parquet")
    rows = polars.read_parquet(folder / "out/intervals/*.parquet")
    touching = rows.filter(polars.col("status") == "contact")
    undecided = rows.filter(polars.col("status") == "undecided").join(samples.select("frame", "turn"), on="frame")
    first = None
    if not touching.is_empty():
        # Nothing is proven from the start of an undecided segment on.
        clear = min(touching["joint_lo"].min(), undecided["turn"].min() if undecided.height else math.inf)
        first = np.degrees([clear, touching["joint_hi"].min()])
    return first, (samples.height - 1, touching["frame"].n_unique(), undecided["frame"].n_unique())


def sampled(glb, case, poses):
    """Seconds of FCL for all poses: whether bodies touch, the least distance; the angles of poses in contact, degrees; how many bodies turn."""
    _, lift, axis, has_screws, _ = case
    scene = trimesh.load_scene(glb)
    parents = scene.graph.transforms.parents
    still, moving, placed = trimesh.collision.CollisionManager(), trimesh.collision.CollisionManager(), []
    for node in scene.graph.nodes_geometry:
        transform, name = scene.graph[node]
        path = [node]
        while path[-1] in parents:
            path.append(parents[path[-1]])
        is_of_bracket = BRACKET.split("/")[1] in path
        if ROD in path or is_of_bracket and not has_screws and not node.startswith("l-bracket"):
            continue
        # The exporter gives each triangle's corner a normal of its own.
        mesh = scene.geometry[name].copy()
        mesh.merge_vertices(merge_norm=True, merge_tex=True)
        if is_of_bracket:
            transform = trimesh.transformations.translation_matrix([0, 0, lift * 1e-3]) @ transform
            placed.append((node, transform))
        (moving if is_of_bracket else still).add_object(node, mesh, transform)
    spent, contacts = [0.0, 0.0], []
    for pose in range(poses):
        angle = 2 * math.pi * pose / poses
        turn = trimesh.transformations.rotation_matrix(angle, [0, 0, 1], [axis[0] * 1e-3, axis[1] * 1e-3, 0])
        for node, transform in placed:
            moving.set_transform(node, turn @ transform)
        begun = time.thread_time()
        if still.in_collision_other(moving):
            contacts.append(math.degrees(angle))
        middle = time.thread_time()
        still.min_distance_other(moving)
        spent[0] += middle - begun
        spent[1] += time.thread_time() - middle
    return spent, contacts, len(placed)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--deflection", type=float, default=0.01)
    parser.add_argument("--poses", type=int, default=120)
    given = parser.parse_args()
    out, program = given.out.resolve(), given.program.resolve()
    out.mkdir(parents=True, exist_ok=True)
    glb = out / "as1.glb"
    # 0.1 rad: half of it keeps a cylinder of 7.5 mm, the largest one, within 0.0094 mm.
    assert cascadio.step_to_glb(str(given.data / "as1-oc-214.stp"), str(glb), given.deflection, 0.1) == 0
    poses = polars.read_csv(given.data / "as1-oc-214_poses.csv").filter(polars.col("body") == f"{BRACKET}/l-bracket_1")
    rest = list(map(float, poses.row(0)[2:]))
    heads = [
        "axis",
        "turn, stand",
        "deviation, mm",
        "verdict",
        "clear, degrees",
        "segments, in contact, undecided",
        "one, s",
        "two, s",
        "screw, s",
        "FCL",
    ]
    print("| " + " | ".join(heads) + " |\n" + "| --- " * len(heads) + "|")
    for case in CASES:
        (touch_s, distance_s), contacts, moved = sampled(glb, case, given.poses)
        fcl = f"{touch_s:.2f}; {distance_s:.2f}; " + (f"{contacts[0]:.1f}, {contacts[-1]:.1f}" if contacts else "none")
        for deviation in (0.0, given.deflection):
            folder = out / case[0].replace(",", "").replace(" ", "-") / f"deviation-{deviation}"
            write(folder, glb, case, deviation)
            *_, two = run(program, folder, 2)
            manifest, one, _ = run(program, folder, 1)
            first, counts = said(folder)
            screw = ""
            if not case[3]:
                write(folder / "screw", glb, case, deviation, rest=rest)
                screw = f"{run(program, folder / 'screw', 1)[1]:.2f}"
            if first is None:
                clear = "all" if manifest["summary"]["verdict"] == "clear" else "not proven"
            else:
                write(folder / "back", glb, case, deviation, True)
                run(program, folder / "back", 1)
                last, _ = said(folder / "back")
                # 360 degrees are 0: turned backward, the first contact lies at the negative angle.
                clear = f"{-last[0]:.6f} to {first[0]:.6f}; contact at {-last[1]:.6f} and {first[1]:.6f}"
            bodies = f"{moved}, {manifest['summary']['bodies'] - moved}"
            verdict = manifest["summary"]["verdict"]
            print(
                f"| {case[0]} | {bodies} | {deviation} | {verdict} | {clear} | {', '.join(map(str, counts))} | {one:.2f} | {two:.2f} | {screw} | {fcl} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
