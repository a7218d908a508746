"""Poses of links by Pinocchio, checked by yourdfpy, which tests/jobs/forward_kinematics.rs holds ours against.

    python benches/forward_kinematics.py DATA > tests/jobs/forward_kinematics.csv

DATA: the folder of robots (motionbench/panda, motionbench/ur5, laikago). Needs pin and yourdfpy from PyPI. Poses of MJCF are held against MuJoCo in
crates/robot.
"""

import pathlib
import sys

import numpy as np
import pinocchio
import yourdfpy

CASES = 5


def by_pinocchio(path, rng):
    model = pinocchio.buildModelFromUrdf(str(path))
    data = model.createData()
    other = yourdfpy.URDF.load(str(path), load_meshes=False, build_scene_graph=True)
    for case in range(CASES):
        values = {}
        q = pinocchio.neutral(model)
        for joint in range(1, model.njoints):
            name, at, width = model.names[joint], model.joints[joint].idx_q, model.joints[joint].nq
            low, high = (-np.pi, np.pi) if width == 2 else (model.lowerPositionLimit[at], model.upperPositionLimit[at])
            value = float(rng.uniform(low, high))
            values[name] = value
            q[at : at + width] = [np.cos(value), np.sin(value)] if width == 2 else [value]
        pinocchio.framesForwardKinematics(model, data, q)
        other.update_cfg({name: values[name] for name in other.actuated_joint_names if name in values})
        base = other.base_link
        for joint in other.robot.joints:
            frame = model.getFrameId(joint.child)
            pose = data.oMf[frame]
            by_other = other.get_transform(joint.child, base)
            off = np.abs(by_other[:3, 3] - pose.translation).max()
            assert off < 1e-9, (joint.name, off)
            x, y, z, w = pinocchio.Quaternion(pose.rotation).coeffs()
            yield case, joint.name, values.get(joint.name), [*pose.translation, w, x, y, z]


def main():
    data, rng = pathlib.Path(sys.argv[1]), np.random.default_rng(4)
    print("robot,case,joint,value,x,y,z,qw,qx,qy,qz")
    for robot, path in [
        ("panda", data / "motionbench/panda/panda.urdf"),
        ("ur5", data / "motionbench/ur5/ur5.urdf"),
        ("laikago", data / "laikago/laikago_description/urdf/laikago.urdf"),
    ]:
        for case, joint, value, pose in by_pinocchio(path, rng):
            print(robot, case, joint, "" if value is None else repr(value), *(repr(float(c)) for c in pose), sep=",")


main()
