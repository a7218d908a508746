"""Measures the cost of rules: python3 benches/rules.py PROGRAM WORK [ROUNDS]

Writes a crowd of 120 bodies in 9,000 frames, which has about a million rows, and runs it on one thread in turn: without rules, with 200
rules that nothing violates, and with the same rules at 20 mm, which many bodies violate as they pass through each other. Prints the
user time of each, least and median, and their ratios to the job without rules. PROGRAM: `target/release/clearsweep`.
"""

import os
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

BODIES = 120
RULES = 200


def rules(require: float) -> str:
    def rule(k: int) -> str:
        names = f'a = "body-{k % BODIES:05}"\nb = "body-*{k % 10}"'
        return f'[[rule]]\nname = "r{k}"\n{names}\nrequire = {require}\n'

    return "".join(map(rule, range(RULES)))


def user_time(command: list[str]) -> float:
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 3):
        sys.exit(f"exit code {child.returncode}: {' '.join(command)}")
    return usage.ru_utime


def main() -> None:
    program, work, rounds = Path(sys.argv[1]).resolve(), Path(sys.argv[2]), int((*sys.argv, "9")[3])
    made = work / "crowd"
    crowd = ["crowd", "--out", made, "--bodies", BODIES, "--frames", 9000, "--density", 0.3, "--seed", 1]
    shutil.rmtree(made, ignore_errors=True)
    subprocess.run([program, "generate", *map(str, crowd)], check=True, stdout=subprocess.DEVNULL)
    text = (made / "scene.toml").read_text()
    scenes = {"no rules": text, "200 rules, kept": text + rules(-1.0), "200 rules, violated": text + rules(0.02)}
    times: dict[str, list[float]] = {name: [] for name in scenes}
    for _ in range(rounds):
        for name, scene in scenes.items():
            (made / "timed.toml").write_text(scene)
            options = ["--out", str(work / "out"), "--threads", "1", "--force"]
            times[name].append(user_time([str(program), "run", str(made / "timed.toml"), *options]))
    least, median = ([pick(found) for found in times.values()] for pick in (min, statistics.median))
    for name, a, b in zip(scenes, least, median):
        print(f"{name}: {a:.2f} s at least ({a / least[0]:.2f}), {b:.2f} s by the median ({b / median[0]:.2f})")


if __name__ == "__main__":
    main()
