"""Measures a Monte Carlo of two Panda arms from joint angles: python python/benches/two_arms.py DATA WORK [--runs 2000] [--frames 200]

DATA: the folder motionbench/panda. Both arms reach into one cell, each run with other play in its joints. Prints a Markdown table of seconds:
  joints      `run` of the array of joint values; with `between = "joint"` proven between the frames too
  poses       forward kinematics in numpy, poses as Parquet, and `run` of these, as without joints
The least distances of both are compared. Needs numpy, polars and pyarrow.
"""

from __future__ import annotations

import argparse
import pathlib
import runpy
import time
import warnings
import xml.etree.ElementTree as ElementTree
from typing import Any

import clearsweep as cs
import numpy as np
import numpy.typing as npt
import polars as pl

F64 = npt.NDArray[np.float64]
#: Rigid transforms that turn by angles about an axis, of the example.
turns = runpy.run_path(str(pathlib.Path(__file__).parents[1] / "examples/monte_carlo.py"))["turns"]

PLAY = 0.01  # standard deviation of a joint, radians
BASES = {"left": 0.0, "right": 1.3}


def numbers(text: str | None) -> F64:
    return np.array([float(word) for word in (text or "0 0 0").split()])


def transform(origin: ElementTree.Element | None) -> F64:
    """A pose of a URDF as a matrix: turns about x, y and z in that order."""
    pose = np.eye(4)
    if origin is None:
        return pose
    (a, b, c), pose[:3, 3] = numbers(origin.get("rpy")), numbers(origin.get("xyz"))
    for axis, angle in ((0, a), (1, b), (2, c)):
        pose[:3, :3] = turns(np.array(angle), axis)[:3, :3] @ pose[:3, :3]
    return pose


def quaternions(matrices: F64) -> F64:
    """Quaternions (w, x, y, z) of rotations, by the largest of their components."""
    m = matrices
    trace = m[..., 0, 0] + m[..., 1, 1] + m[..., 2, 2]
    squares = np.stack([trace, *(2 * m[..., k, k] - trace for k in range(3))], -1)
    rows = np.empty((*m.shape[:-2], 4, 4))
    rows[..., 0, 0] = 1 + trace
    for k in range(3):
        one, two = (k + 1) % 3, (k + 2) % 3
        rows[..., 0, k + 1] = rows[..., k + 1, 0] = m[..., two, one] - m[..., one, two]
        rows[..., k + 1, k + 1] = 1 + squares[..., k + 1]
        rows[..., one + 1, two + 1] = rows[..., two + 1, one + 1] = m[..., one, two] + m[..., two, one]
    q = np.take_along_axis(rows, squares.argmax(-1)[..., None, None], -2)[..., 0, :]
    return q / np.linalg.norm(q, axis=-1, keepdims=True)


class Arm:
    """The joints of a URDF in order, and the meshes of its links."""

    def __init__(self, path: pathlib.Path) -> None:
        root = ElementTree.parse(path).getroot()
        self.joints: list[tuple[str, str, F64, bool]] = []
        self.names: list[str] = []
        for joint in root.iter("joint"):
            parent, child, moves = joint.find("parent"), joint.find("child"), joint.get("type") == "revolute"
            assert parent is not None and child is not None
            self.joints.append((parent.get("link", ""), child.get("link", ""), transform(joint.find("origin")), moves))
            self.names += [joint.get("name", "")] if moves else []
        self.meshes: dict[str, tuple[str, F64]] = {}
        for link in root.iter("link"):
            mesh, origin = link.find("collision/geometry/mesh"), link.find("collision/origin")
            if mesh is not None:
                file = mesh.get("filename", "").removeprefix("package://")
                self.meshes[link.get("name", "")] = (str(path.parent / file), transform(origin))

    def poses(self, angles: F64) -> dict[str, F64]:
        """Forward kinematics of angles `(..., joints)`: matrices of the links that have meshes; all axes are z."""
        at, column = {self.joints[0][0]: np.broadcast_to(np.eye(4), (*angles.shape[:-1], 4, 4))}, 0
        for parent, child, place, moves in self.joints:
            at[child] = at[parent] @ place
            if moves:
                at[child] = at[child] @ turns(angles[..., column], 2)
                column += 1
        return {link: at[link] @ place for link, (_, place) in self.meshes.items()}


def scene_of_joints(path: pathlib.Path) -> str:
    text = '[scene]\nlength_unit = "m"\njoints = "values"\n[query]\nwithin = 0.1\nrequire = 0.02\n'
    for name, x in BASES.items():
        text += f'[[robot]]\nname = "{name}"\nurdf = "{path}"\nsrdf = "{path.with_suffix(".srdf")}"\nposition = [{x}, 0, 0]\nmodel = "hull"\n'
    # The arms against each other: a pair of one arm is left out in both scenes.
    return text + "".join(f'[[ignore]]\na = "{name}/*"\nb = "{name}/*"\n' for name in BASES)


def scene_of_poses(arm: Arm, base: str) -> str:
    text = '[scene]\nlength_unit = "m"\ntrajectories = "poses.parquet"\n[query]\nwithin = 0.1\nrequire = 0.02\n'
    for name, x in BASES.items():
        for link, (mesh, place) in arm.meshes.items():
            text += f'[[body]]\nname = "{name}/{link}"\ngeometry = "{mesh}"\nmodel = "hull"\n'
            if link == base:
                x0, y0, z0 = place[:3, 3]
                text += f"static = true\nposition = [{x0 + x}, {y0}, {z0}]\n"
    return text + "".join(f'[[ignore]]\na = "{name}/*"\nb = "{name}/*"\n' for name in BASES)


def angles(runs: int, frames: int) -> F64:
    """Joint angles `(runs, frames, 14)`: both arms swing into the cell, each run with other play."""
    time_s = np.linspace(0, 1, frames)[:, None]
    rest = np.array([0.0, 0.3, 0.0, -1.8, 0.0, 2.1, 0.785])
    way = np.array([0.5, 0.5, 0.4, 0.5, 0.3, -0.4, 0.5])
    left = rest + way * np.sin(np.pi * time_s)
    right = rest + np.array([np.pi - 0.3, 0, 0, 0, 0, 0, 0]) - way * np.sin(np.pi * time_s)
    play = np.random.default_rng(1).normal(0, PLAY, (runs, 1, 14))
    values = np.concatenate([left, right], -1) + play
    # Joint 1 of Panda turns by 170 degrees at most.
    return np.ascontiguousarray(np.clip(values, -2.96, 2.96))


def least(result: Any) -> list[float]:
    return result.runs.to_polars().sort("run")["min_distance_m"].to_list()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--frames", type=int, default=200)
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    urdf = given.data.resolve() / "panda.urdf"
    arm = Arm(urdf)
    values = angles(given.runs, given.frames)
    names = [f"{name}/{joint}" for name in BASES for joint in arm.names]
    (given.work / "joints.toml").write_text(scene_of_joints(urdf))
    (given.work / "poses.toml").write_text(scene_of_poses(arm, arm.joints[0][0]))

    warnings.simplefilter("ignore", cs.Warning)
    begun = time.perf_counter()
    found = cs.run(given.work / "joints.toml", values, joints=names, progress=False)
    of_joints = time.perf_counter() - begun
    begun = time.perf_counter()
    proven = cs.run(given.work / "joints.toml", values, joints=names, between="joint", progress=False)
    of_motion = time.perf_counter() - begun

    begun = time.perf_counter()
    columns: dict[str, F64] = {}
    for at, (name, x) in enumerate(BASES.items()):
        for link, pose in arm.poses(values[..., 7 * at : 7 * at + 7]).items():
            if link != arm.joints[0][0]:
                place = pose[..., :3, 3] + np.array([x, 0, 0])
                columns[f"{name}/{link}"] = np.concatenate([place, quaternions(pose[..., :3, :3])], -1)
    moved = time.perf_counter()
    poses = np.stack(list(columns.values()), 2).reshape(-1, 7)
    count, samples = len(columns), given.runs * given.frames
    table = {"run": np.repeat(np.arange(given.runs), given.frames * count), "frame": np.tile(np.repeat(np.arange(given.frames), count), given.runs)}
    table |= {key: poses[:, k] for k, key in enumerate(("x", "y", "z", "qw", "qx", "qy", "qz"))}
    bodies = pl.Series("body", list(columns), dtype=pl.Categorical).gather(np.tile(np.arange(count), samples))
    pl.DataFrame(table).with_columns(bodies).write_parquet(given.work / "poses.parquet")
    written = time.perf_counter()
    other = cs.run(given.work / "poses.toml", progress=False)
    ended = time.perf_counter()

    off = max(abs(a - b) for a, b in zip(least(found), least(other), strict=True))
    share = found.probability().violating, proven.probability().violating, other.probability().violating
    print("| from | forward kinematics | Parquet | run | all | runs that come nearer than 20 mm |\n| --- | --- | --- | --- | --- | --- |")
    print(f"| joints | | | {of_joints:.2f} | {of_joints:.2f} | {share[0]} |")
    print(f"| joints, proven between the frames | | | {of_motion:.2f} | {of_motion:.2f} | {share[1]} |")
    print(f"| poses | {moved - begun:.2f} | {written - moved:.2f} | {ended - written:.2f} | {ended - begun:.2f} | {share[2]} |")
    print(f"\nLeast distances of a run differ by at most {off:.1e} m.")


if __name__ == "__main__":
    main()
