"""Scenes of robots and of a carried part from public models: python3 benches/robot_motions.py DATA OUT (needs yourdfpy, numpy and polars).

DATA: a folder with `motionbench` (the Panda arm and its planning problems), `laikago` (a walking robot and its motions) and `duplex` (a house as OBJ parts).
Writes OUT/panda, OUT/laikago and OUT/radiator, each a scene.toml with its poses: joints on lines from start to goal of 20 problems, 50 frames each; the
walking robot on its own five motions; a radiator carried through the walls of two rooms of the house in 400 frames, turning by 90 degrees. All bodies are exact meshes. `benches/mechanisms.py` runs these scenes.
"""

import sys
from pathlib import Path

import numpy as np
import polars
import yourdfpy

FRAMES = 50
PROBLEMS = 20


def rotation_to_quaternion(r):
    """Unit quaternion (w, x, y, z) of a rotation matrix, by the largest of its four components."""
    values = [1 + r[0, 0] + r[1, 1] + r[2, 2], 1 + r[0, 0] - r[1, 1] - r[2, 2], 1 - r[0, 0] + r[1, 1] - r[2, 2], 1 - r[0, 0] - r[1, 1] + r[2, 2]]
    k = int(np.argmax(values))
    s = 2 * np.sqrt(values[k])
    a, b, c = r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]
    d, e, f = r[0, 1] + r[1, 0], r[0, 2] + r[2, 0], r[1, 2] + r[2, 1]
    return [(s * s / 4, a, b, c), (a, s * s / 4, d, e), (b, d, s * s / 4, f), (c, e, f, s * s / 4)][k] / s


def quaternion_to_rotation(q):
    w, x, y, z = np.array(q) / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def row(run, frame, body, pose):
    return [run, frame, body, *pose[:3, 3], *rotation_to_quaternion(pose[:3, :3])]


def write(out, name, rows, bodies, more=""):
    """Writes a scene: `bodies` as (name, geometry file, more keys), `rows` as of `row`."""
    folder = Path(out) / name
    folder.mkdir(parents=True, exist_ok=True)
    columns = ["run", "frame", "body", "x", "y", "z", "qw", "qx", "qy", "qz"]
    frame = polars.DataFrame(rows, schema=columns, orient="row")
    frame.with_columns(polars.col("run").cast(polars.Int32), polars.col("frame").cast(polars.Int64)).write_parquet(folder / "poses.parquet")
    text = f'[scene]\nname = "{name}"\nlength_unit = "m"\ntrajectories = "poses.parquet"\nmissing = "absent"\n\n'
    text += '[query]\nwithin = 0.05\n\n[motion]\nbetween = "screw"\n'
    for body, geometry, keys in bodies:
        text += f'\n[[body]]\nname = "{body}"\n{keys}' + (f'geometry = "{geometry}"\nmodel = "mesh"\n' if geometry else "")
    (folder / "scene.toml").write_text(text + more)


def links_of(robot, folder):
    """The links with a mesh, for collisions or else for pictures: name, file, and the mesh's place in the link."""
    for name, link in robot.link_map.items():
        shapes = [shape for shape in [*link.collisions, *link.visuals] if shape.geometry.mesh is not None]
        for shape in shapes[:1]:
            file = next(Path(folder).rglob(Path(shape.geometry.mesh.filename).name))
            yield name, file, np.eye(4) if shape.origin is None else shape.origin


def adjacent(robot, links):
    """Ignore rules of links that a joint joins, over links without geometry too."""
    parent = {joint.child: joint.parent for joint in robot.joint_map.values()}
    pairs = []
    for link in links:
        above = parent.get(link)
        while above is not None and above not in links:
            above = parent.get(above)
        if above is not None:
            pairs.append((link, above))
    return "".join(f'\n[[ignore]]\na = "{a}"\nb = "{b}"\nreason = "joined"\n' for a, b in pairs)


def load(urdf):
    return yourdfpy.URDF.load(str(urdf), load_meshes=False, load_collision_meshes=False, build_collision_scene_graph=False)


def panda(data, out):
    folder = data / "motionbench" / "panda"
    robot = load(folder / "panda.urdf")
    links = list(links_of(robot, folder))
    joints = [f"panda_joint{k}" for k in range(1, 8)]
    problems = polars.read_parquet(data / "motionbench" / "problems.parquet").filter(polars.col("robot") == "panda")
    rows = []
    step = max(1, problems.height // PROBLEMS)
    for run in range(PROBLEMS):
        problem = problems.row(run * step, named=True)
        ends = [np.array([problem[f"{end}_{k}"] for k in range(1, 8)]) for end in ("start", "goal")]
        for frame in range(FRAMES):
            share = frame / (FRAMES - 1)
            robot.update_cfg(dict(zip(joints, (1 - share) * ends[0] + share * ends[1])))
            for name, _, origin in links:
                rows.append(row(run, frame, name, robot.get_transform(name) @ origin))
    names = [name for name, _, _ in links]
    write(out, "panda", rows, [(name, file, "") for name, file, _ in links], adjacent(robot, names))


def laikago(data, out):
    folder = data / "laikago"
    robot = load(next(folder.rglob("*.urdf")))
    links = list(links_of(robot, folder))
    joints = [joint.name for joint in robot.joint_map.values() if joint.type == "revolute"]
    rows = []
    for run, file in enumerate(sorted((folder / "motions").glob("*.txt"))):
        lines = [line.strip(" [],\n").split(",") for line in file.read_text().splitlines() if line.strip().startswith("[") and "," in line]
        for frame, numbers in enumerate(np.array([list(map(float, line)) for line in lines if len(line) == 19])):
            base = np.eye(4)
            base[:3, 3] = numbers[:3]
            base[:3, :3] = quaternion_to_rotation(numbers[[6, 3, 4, 5]])
            robot.update_cfg(dict(zip(joints, numbers[7:])))
            for name, _, origin in links:
                rows.append(row(run, frame, name, base @ robot.get_transform(name) @ origin))
    names = [name for name, _, _ in links]
    write(out, "laikago", rows, [(name, file, "") for name, file, _ in links], adjacent(robot, names))


def radiator(data, out):
    house = data / "duplex" / "architecture_parts"
    part = data / "duplex" / "mep_parts" / "p0000.obj"
    corners = np.array([list(map(float, line.split()[1:4])) for line in part.read_text().splitlines() if line.startswith("v ")])
    middle = 0.5 * (corners.min(axis=0) + corners.max(axis=0))
    way = np.array([[0.9, -13.8, 0.6], [2.5, -11.0, 0.8], [4.5, -9.0, 0.8], [6.5, -7.5, 1.0], [8.0, -4.0, 0.6]])
    rows = []
    for frame in range(400):
        at = frame / 399 * (len(way) - 1)
        k = min(int(at), len(way) - 2)
        angle = np.radians(90) * frame / 399
        pose = np.eye(4)
        pose[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
        pose[:3, 3] = (1 - (at - k)) * way[k] + (at - k) * way[k + 1] - pose[:3, :3] @ middle
        rows.append(row(0, frame, "radiator", pose))
    bodies = [("radiator", part, "")] + [(file.stem, file, "static = true\n") for file in sorted(house.glob("*.obj"))]
    write(out, "radiator", rows, bodies)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    for scene in (panda, laikago, radiator):
        scene(Path(sys.argv[1]).resolve(), sys.argv[2])
