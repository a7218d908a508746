"""Pairs of links that are checked, and those that are not, by reason, beside MuJoCo's own filter.

    python benches/robot_pairs.py CLEARSWEEP FOLDER [PACKAGES]

CLEARSWEEP: the program. FOLDER: searched for robot descriptions (`.urdf`, with the `.srdf` beside it or in `../srdf`; MJCF, of
which a file that is loaded alone by MuJoCo is one robot). Of several SRDFs that of the same name counts. PACKAGES: the folder that holds
the packages which `package://` names, if none of the folders above does. Needs the package mujoco. One line a robot; the last column counts
pairs of bodies that MuJoCo's broad phase lets through (weld, parent and exclude filters, `contype` and `conaffinity`).
"""

import itertools
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import mujoco


def mujoco_pairs(path):
    """Pairs of bodies with geometry, and those that MuJoCo checks. Source: `mj_collision` and its filters in the documentation."""
    model = mujoco.MjModel.from_xml_path(str(path))
    weld, parent = model.body_weldid, model.body_parentid
    geoms = {}
    for geom in range(model.ngeom):
        if model.geom_contype[geom] or model.geom_conaffinity[geom]:
            geoms.setdefault(int(model.geom_bodyid[geom]), []).append(geom)
    excluded = {int(signature) for signature in model.exclude_signature}
    checked = 0
    for a, b in itertools.combinations(sorted(geoms), 2):
        top_a, top_b = weld[a], weld[b]
        is_parent = 0 not in (top_a, top_b) and (weld[parent[top_a]] == top_b or weld[parent[top_b]] == top_a)
        is_masked = not any(
            model.geom_contype[g] & model.geom_conaffinity[h] or model.geom_contype[h] & model.geom_conaffinity[g]
            for g, h in itertools.product(geoms[a], geoms[b])
        )
        if top_a == top_b or is_parent or is_masked or (a << 16) + b in excluded:
            continue
        checked += 1
    return len(geoms) * (len(geoms) - 1) // 2, checked


def our_pairs(program, key, path, srdf):
    """The answer of `check --json` about the robot alone, all joints swept."""
    robot = f'[[robot]]\n{key} = "{path}"\nname = "r"\n' + (f'srdf = "{srdf}"\n' if srdf else "")
    if len(sys.argv) > 3:
        robot += f'packages = ["{Path(sys.argv[3]).absolute()}"]\n'
    with tempfile.TemporaryDirectory() as folder:
        scene = Path(folder) / "scene.toml"
        scene.write_text(f'[scene]\nlength_unit = "m"\n[query]\nwithin = 0.01\n{robot}[[sweep]]\nsteps = 1\n')
        done = subprocess.run([program, "check", scene, "--json"], capture_output=True, text=True, check=False)
        if done.returncode:
            return done.stderr.splitlines()[0] if done.stderr else str(done.returncode)
        return json.loads(done.stdout)


def robot_name(path):
    """The name that a description or an SRDF states."""
    named = re.search(r'<robot[^>]*\bname\s*=\s*"([^"]*)"', path.read_text(errors="replace"))
    return named and named[1]


def robots(folder):
    for path in sorted(folder.rglob("*.urdf")):
        near = [*path.parent.glob("*.srdf"), *(path.parent.parent / "srdf").glob("*.srdf")]
        near.sort(key=lambda file: (file.stem != path.stem, robot_name(file) != robot_name(path), file))
        for srdf in [None, *near[:1]]:
            yield "urdf", path, srdf
    for path in sorted(folder.rglob("*.xml")):
        if "<mujoco" in path.read_text(errors="replace"):
            yield "mjcf", path, None


def main():
    program, folder = str(Path(sys.argv[1]).resolve()), Path(sys.argv[2]).resolve()
    for key, path, srdf in robots(folder):
        found = our_pairs(program, key, path, srdf)
        name = str(path.relative_to(folder)) + (" + SRDF" if srdf else "")
        if isinstance(found, str):
            print(f"{name}: {found}")
            continue
        try:
            mujoco_says = "of {} pairs {} checked by MuJoCo".format(*mujoco_pairs(path)) if key == "mjcf" else ""
        except ValueError as error:
            mujoco_says = f"MuJoCo does not load it alone ({str(error).splitlines()[0][:60]})"
        checked = found["pairs_possible"] - found["pairs_ignored"]
        reasons = ", ".join(f"{reason}: {pairs}" for reason, pairs in found["pairs_ignored_by_reason"].items())
        print(f"{name}: {found['pairs_possible']} possible, {checked} checked; {reasons}; {mujoco_says}")


if __name__ == "__main__":
    main()
