"""The SRDF that `check --srdf` proposes beside that of each robot's authors, which MoveIt's setup assistant made.

    python benches/srdf_peers.py CLEARSWEEP DATA [SAMPLES]

CLEARSWEEP: the program. DATA: a folder with motionbench/panda, motionbench/ur5 and panda/panda_description. SAMPLES: random postures of
each robot, 10,000 if left out. One line a robot, then each pair on which both differ: the reason of each, and the share of postures that meet.
"""

import json
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
from pathlib import Path

# Description and SRDF.
ROBOTS = {
    "Panda (motionbench)": ("motionbench/panda/panda.urdf", "motionbench/panda/panda.srdf"),
    "Panda (panda_description)": ("panda/panda_description/urdf/panda.urdf", "panda/panda_description/srdf/panda.srdf"),
    "UR5 with gripper (motionbench)": ("motionbench/ur5/ur5.urdf", "motionbench/ur5/ur5.srdf"),
}

# Folder that the package of panda_description names its own folder by.
PACKAGE = "package://example-robot-data/robots/"


def proposed(program, urdf, samples):
    """The object `srdf` of `check --json`."""
    with tempfile.TemporaryDirectory() as folder:
        text = urdf.read_text()
        if PACKAGE in text:
            package = urdf.parent.parent.parent
            urdf = Path(folder) / urdf.name
            urdf.write_text(text.replace(PACKAGE, f"{package}/"))
        robot = f'[[robot]]\nurdf = "{urdf}"\nname = "r"\n'
        scene = Path(folder) / "scene.toml"
        scene.write_text(f'[scene]\nlength_unit = "m"\n[query]\nwithin = 0.01\n{robot}[[sweep]]\nsteps = 1\n')
        command = [program, "check", scene, "--json", "--srdf", Path(folder) / "out.srdf", "--srdf-samples", samples]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(done.stderr)
        return json.loads(done.stdout)["srdf"]


def stated(path):
    """Reasons by pair, in an SRDF."""
    rules = xml.parse(path).getroot().iter("disable_collisions")
    return {frozenset([rule.get("link1"), rule.get("link2")]): rule.get("reason") for rule in rules}


def main():
    program, data = sys.argv[1], Path(sys.argv[2]).absolute()
    samples = int(sys.argv[3]) if len(sys.argv) > 3 else 10_000
    print("| robot | pairs | ours: off | of them proven | theirs: off | off in ours alone | off in theirs alone |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    differences = []
    for name, (urdf, srdf) in ROBOTS.items():
        found = proposed(program, data / urdf, samples)
        pairs = {frozenset([pair["link1"], pair["link2"]]): pair for pair in found["pairs"]}
        theirs = stated(data / srdf)
        known = {pair: reason for pair, reason in theirs.items() if pair in pairs}
        ours = {pair for pair, of in pairs.items() if of["reason"]}
        proven = sum(of["proven"] is True for of in pairs.values())
        alone = [sum(1 for _ in one - other) for one, other in ((ours, set(known)), (set(known), ours))]
        print(f"| {name} | {len(pairs)} | {len(ours)} | {proven} | {len(known)} | {alone[0]} | {alone[1]} |", flush=True)
        bare = len(theirs) - len(known)
        if bare:
            differences.append(f"{name}: {bare} pairs of theirs have a link without collision geometry, or none of that name")
        for pair, of in pairs.items():
            reasons = [of["reason"] or "checked", known.get(pair) or "checked"]
            if reasons[0] != reasons[1]:
                proof = " (proven)" if of["proven"] else ""
                share = f"{100 * of['contacts'] / samples:.2f} %"
                differences.append(
                    f"{name}: {of['link1']} and {of['link2']}: ours {reasons[0]}{proof}, theirs {reasons[1]}; meet in {share}"
                )
    print("", *differences, sep="\n")


if __name__ == "__main__":
    main()
