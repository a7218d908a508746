"""Joint paths of MotionBenchMaker's problems: the time to prove one, and what checks of samples at the resolutions of planners let pass.

    python benches/robot_paths.py PROGRAM DATA OUT [--paths 100] [--robot panda]

DATA: the folder motionbench. Each path is the straight line in joint space from the start to the goal of a problem, among its own obstacles. Needs
polars.
"""

import argparse
import json
import math
import pathlib
import subprocess

import polars

JOINTS = {
    "panda": [f"panda_joint{k}" for k in range(1, 8)],
    "ur5": ["shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint", "wrist_1_joint", "wrist_2_joint", "wrist_3_joint"],
}
# Samples a radian of the way in joint space; MoveIt's longest segment is a share of the extent of the space.
VAMP = 32.0
MOVEIT = 0.005
EXTENT = {"panda": math.sqrt(sum(w * w for w in [5.7946, 3.5256, 5.7946, 3.0015, 5.7946, 3.77, 5.7946])), "ur5": math.sqrt(6) * 2 * math.pi}


def obstacle(row, name):
    shape = f"box = [{row['d1']}, {row['d2']}, {row['d3']}]" if row["shape"] == "box" else f"cylinder = [{row['d2']}, {row['d1']}, 64]"
    q = ", ".join(f"{key} = {row[key]}" for key in ["qw", "qx", "qy", "qz"])
    place = f"position = [{row['x']}, {row['y']}, {row['z']}]\norientation = {{ {q} }}"
    return f'[[body]]\nname = "{name}"\nstatic = true\nshape = {{ {shape} }}\n{place}\n'


def write(folder, robot, data, problem, obstacles, steps, model, until=1.0):
    folder.mkdir(parents=True, exist_ok=True)
    names = JOINTS[robot]
    lines = ["run,frame," + ",".join(names)]
    for step in range(steps + 1):
        share = until * step / steps
        values = [problem[f"start_{k}"] * (1 - share) + problem[f"goal_{k}"] * share for k in range(1, len(names) + 1)]
        lines.append(f"0,{step}," + ",".join(repr(value) for value in values))
    (folder / "joints.csv").write_text("\n".join(lines) + "\n")
    text = '[scene]\nlength_unit = "m"\njoints = "joints.csv"\n[query]\nwithin = 0\nanswer = "distance"\n[motion]\nbetween = "joint"\n'
    text += f'[[robot]]\nurdf = "{data / robot / robot}.urdf"\nsrdf = "{data / robot / robot}.srdf"\n' + (f'model = "{model}"\n' if model else "")
    for number, row in enumerate(obstacles):
        text += obstacle(row, f"obstacle-{number}")
    (folder / "scene.toml").write_text(text)


def run(program, folder):
    words = [program, "run", "scene.toml", "--out", "out", "--force", "--json", "--threads", "1"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    assert done.returncode in (0, 3), done.stderr
    manifest = json.loads((folder / "out/manifest.json").read_text())
    summary = manifest["summary"]
    between = summary["intervals"]
    # A row at a sample is a collision that a check of samples sees.
    sampled = summary["rows"] > 0
    contact = between["by_status"]["contact"] > 0
    first = between["first_contact"]
    share = first["frame"] + first["contact_lo"] if first else None
    return manifest["timings"], sampled, contact, between["by_status"]["undecided"], share


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--paths", type=int, default=100)
    parser.add_argument("--robot", default="panda")
    parser.add_argument("--model", default="")
    given = parser.parse_args()
    program, data, robot = given.program.resolve(), given.data.resolve(), given.robot
    problems = polars.read_parquet(data / "problems.parquet").filter(polars.col("robot") == robot)
    obstacles = polars.read_parquet(data / "obstacles.parquet").filter(polars.col("robot") == robot)
    chosen = problems.sort("index", "scene").head(given.paths)
    for label, steps_of in [
        ("VAMP", lambda length: math.ceil(length * VAMP)),
        ("MoveIt", lambda length: math.ceil(length / (MOVEIT * EXTENT[robot]))),
    ]:
        seconds, steps_all, missed, contacts, undecided = [], 0, 0, 0, 0
        clear = [0.0, 0]
        for problem in chosen.iter_rows(named=True):
            width = len(JOINTS[robot])
            length = math.sqrt(sum((problem[f"goal_{k}"] - problem[f"start_{k}"]) ** 2 for k in range(1, width + 1)))
            steps = max(steps_of(length), 1)
            own = obstacles.filter((polars.col("scene") == problem["scene"]) & (polars.col("index") == problem["index"]))
            write(given.out, robot, data, problem, list(own.iter_rows(named=True)), steps, given.model)
            timings, sampled, contact, open_, first = run(program, given.out)
            took = lambda timings: timings["broad_s"] + timings["narrow_s"]
            seconds.append(took(timings))
            steps_all += steps
            contacts += contact
            undecided += open_
            missed += contact and not sampled
            if first is not None:
                # The part before the first contact alone, in segments of the same length.
                until = 0.98 * first / steps
                steps = max(math.floor(steps * until), 1)
                write(given.out, robot, data, problem, list(own.iter_rows(named=True)), steps, given.model, until)
                timings, _, contact, open_, _ = run(program, given.out)
                undecided += open_
            if not contact:
                clear = [clear[0] + took(timings), clear[1] + steps]
        print(
            f"{robot}, segments as {label}: {len(seconds)} paths, {steps_all} segments, {1e3 * sum(seconds) / len(seconds):.2f} ms a path; "
            f"{contacts} in contact, {missed} of them unseen by samples; before their first contact {clear[1]} segments are proven clear, "
            f"{1e6 * clear[0] / max(clear[1], 1):.1f} us each; {undecided} intervals undecided"
        )


main()
