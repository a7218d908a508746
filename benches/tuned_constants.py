"""Measures the worth of the tuned constants: python3 benches/tuned_constants.py WORK [DATA] [CONSTANT ...]

Copies the tracked files to WORK/tree, lets each constant of the table below be set by an environment variable, builds that, and runs
the cases of each constant with half and with double of its value, in turn with the value that stands. Prints the ratios of the least
times of seven rounds: processor time on one thread, or, for constants that divide work among threads (`wall`), wall time on two. Linux
divides processor time into that of the user and that of the system by sampling: only the sum is exact. The machine should do nothing else.
A ratio of 0.97 at `double` says that double would be better here, if `as it is`, the same program once more, is nearer to 1 than that.
BUILT=1 in the environment takes the program of an earlier call.

The results stand in docs/evidence/log/tuned-constants.md. DATA: the folder of real models, for the cases `gears` and `chain`; without
it they are skipped, and said to be. Needs git and Python's own library.
"""

import math
import os
import random
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROUNDS = 7

# Cases: a generated data set or a function that writes one, and options of `run`.
CASES = {
    "crowd": (["crowd", "--bodies", "80", "--frames", "2000", "--density", "0.3"], []),
    "crowd-gjk": (["crowd", "--bodies", "80", "--frames", "640", "--density", "0.3"], ["--narrow", "gjk"]),
    "crowd-dual": (["crowd", "--bodies", "80", "--frames", "640", "--density", "0.3"], ["--narrow", "cd-dual"]),
    "crowd-linear": (["crowd", "--bodies", "30", "--frames", "640", "--density", "0.3"], ["--between", "linear"]),
    "cold": (["crowd", "--bodies", "600", "--runs", "16", "--frames", "1", "--density", "0.3"], []),
    "separation": (["separation", "--runs", "400"], []),
    "slow": (["coherence", "--object", "sphere642", "--omega", "0.1", "--runs", "4", "--frames", "10000"], []),
    "fast": (["coherence", "--object", "sphere642", "--omega", "25", "--runs", "4", "--frames", "5000"], []),
    "disk": (["coherence", "--object", "disk", "--omega", "5", "--runs", "4", "--frames", "8000"], []),
    "pieces": ("pieces", []),
    "gears": ("gears", ["--between", "none", "--frames", "0..120"]),
    "gears-screw": ("gears", ["--between", "screw", "--frames", "0..6"]),
    "chain": ("chain-links", ["--between", "none"]),
    "many": (["crowd", "--bodies", "3000", "--frames", "64", "--density", "0.02"], []),
    "many-tree": (["crowd", "--bodies", "3000", "--frames", "64", "--density", "0.02"], ["--broad", "tree"]),
    "many-grid": (["crowd", "--bodies", "3000", "--frames", "64", "--density", "0.02"], ["--broad", "grid"]),
    "many-hash": (["crowd", "--bodies", "3000", "--frames", "64", "--density", "0.02"], ["--broad", "hash"]),
    "many-coherent": (["crowd", "--bodies", "3000", "--frames", "64", "--density", "0.02"], ["--broad", "coherent-hash"]),
    "many-sweep": (["crowd", "--bodies", "3000", "--frames", "64", "--density", "0.02"], ["--broad", "sweep"]),
    "plant": (["pipe-rack", "--frames", "6000"], []),
    "plant-hash": (["pipe-rack", "--frames", "6000"], ["--broad", "hash"]),
    "few": (["crowd", "--bodies", "40", "--frames", "8000"], []),
    "still": ("still", []),
}

MESHES = ["gears", "chain"]
BROAD = ["many", "plant", "crowd"]
# (crate/src/file, constant, type, cases); a number of cases marked by `wall` is measured in seconds on two threads.
CONSTANTS = [
    ("narrow/src/learned.rs", "LASTING", "f32", ["crowd", "slow", "fast", "disk"]),
    ("narrow/src/learned.rs", "FIRST_LIFETIME", "f32", ["crowd", "slow", "fast", "disk"]),
    ("narrow/src/learned.rs", "LAST_CHANGE", "f32", ["crowd", "slow", "fast", "disk"]),
    ("narrow/src/learned.rs", "MANY_STEPS", "f32", ["crowd", "fast", "disk"]),
    ("narrow/src/learned.rs", "LINE", "f32", ["crowd", "fast", "disk"]),
    ("narrow/src/learned.rs", "FADING", "f32", ["crowd", "fast", "disk"]),
    ("narrow/src/batch/one_pair.rs", "FEW", "u32", ["crowd", "fast", "disk"]),
    ("narrow/src/relative.rs", "FEW", "u32", ["crowd", "cold", "separation"]),
    ("narrow/src/batch/many_pairs.rs", "LEAST", "usize", ["cold", "separation"]),
    ("narrow/src/batch/many_pairs.rs", "VERTICES", "usize", ["cold", "separation"]),
    ("narrow/src/culling/mod.rs", "VERTICES", "usize", ["crowd", "slow", "fast"]),
    ("narrow/src/cold_start.rs", "TOWARD", "f64", ["cold", "separation"]),
    ("narrow/src/cold_start.rs", "OVERLAP", "f64", ["cold", "crowd"]),
    ("narrow/src/support.rs", "CLIMB_ABOVE", "usize", ["slow", "fast", "crowd-gjk"]),
    ("narrow/src/certificate/scan.rs", "FEW", "usize", ["crowd", "disk", "cold"]),
    ("narrow/src/duality/difference.rs", "SCANNED", "usize", ["crowd-dual"]),
    ("narrow/src/vclip/first_states.rs", "ROUNDS", "usize", ["cold", "separation"]),
    ("narrow/src/visited_pairs.rs", "SWEEP", "u32", ["pieces"]),
    ("narrow/src/visited_pairs.rs", "KEEP", "u32", ["pieces"]),
    ("narrow/src/visited_pairs.rs", "MOST", "usize", ["pieces"]),
    ("narrow/src/mesh/search.rs", "TURNS", "usize", MESHES),
    ("narrow/src/mesh/search.rs", "DESCENTS", "usize", MESHES),
    ("narrow/src/mesh/search.rs", "LARGER", "f64", MESHES),
    ("narrow/src/mesh/collecting.rs", "SHORT", "f64", MESHES),
    ("narrow/src/mesh/collecting.rs", "DEARER", "usize", MESHES),
    ("narrow/src/mesh/turning.rs", "SEPARATED", "f64", MESHES),
    ("narrow/src/mesh/turning.rs", "MOST_LEAVES", "usize", MESHES),
    ("narrow/src/mesh/front.rs", "MOST_PAIRS", "usize", MESHES),
    ("narrow/src/mesh/front.rs", "MANY_NODES", "usize", MESHES),
    ("narrow/src/mesh/front.rs", "FEW_USES", "u32", MESHES),
    ("narrow/src/mesh/front.rs", "LONGEST_WAIT", "u32", MESHES),
    ("narrow/src/mesh/front.rs", "FRESH", "usize", MESHES),
    ("narrow/src/mesh/sweep.rs", "LARGER", "f64", MESHES),
    ("narrow/src/interval/block.rs", "COVER", "usize", ["crowd-linear", "gears-screw"]),
    ("narrow/src/interval/block.rs", "TRIES", "usize", ["crowd-linear", "gears-screw"]),
    ("narrow/src/interval/surfaces/node_pairs.rs", "LARGER", "f64", ["gears-screw"]),
    ("broad/src/auto.rs", "GRID_MIN_MOVING", "usize", BROAD),
    ("broad/src/auto.rs", "SIMILAR_RATIO", "u32", BROAD),
    ("broad/src/auto.rs", "TREE_FIXED_PER_MOVING", "usize", BROAD),
    ("broad/src/auto.rs", "MIXED_SIZES_FACTOR", "f64", BROAD),
    ("broad/src/cost.rs", "FIXED_PER_MOVING", "usize", BROAD),
    ("broad/src/block_split.rs", "RETRY", "u64", BROAD),
    ("broad/src/block_split.rs", "TEST", "f64", BROAD),
    ("broad/src/hash/standard.rs", "BRUTE_FORCE_FIXED", "usize", ["plant-hash"]),
    ("broad/src/sweep/mod.rs", "SWAP_LIMIT", "f64", ["many-sweep"]),
    ("broad/src/sweep/mod.rs", "LONGEST_PAUSE", "u32", ["many-sweep"]),
    ("broad/src/merge.rs", "COUNTING_THRESHOLD", "usize", ["many-tree", "plant"]),
    ("broad/src/grid/size_class.rs", "ROWS_PER_BOX", "u64", ["many-grid"]),
    ("broad/src/grid/size_class.rs", "STRETCH", "f64", ["many-grid"]),
    ("broad/src/tree/hilbert.rs", "UNREFINED", "usize", ["many-tree"]),
    ("engine/src/caches.rs", "KEEP_BLOCKS", "u64", ["few", "crowd"]),
    ("broad/src/tree/search.rs", "CHUNK", "usize", ["wall many-tree"]),
    ("broad/src/grid/search.rs", "CHUNK", "usize", ["wall many-grid"]),
    ("broad/src/hash/standard.rs", "CHUNK", "usize", ["wall many-hash"]),
    ("broad/src/hash/coherent.rs", "CHUNK", "usize", ["wall many-coherent"]),
    ("engine/src/narrowing.rs", "GRAIN", "usize", ["wall few", "wall cold"]),
    ("engine/src/narrowing.rs", "TASKS", "usize", ["wall few", "wall cold"]),
    ("engine/src/static_stage.rs", "CAREFUL", "usize", ["wall still"]),
    ("engine/src/static_stage.rs", "GROWTH", "usize", ["wall still"]),
    ("engine/src/pipeline.rs", "BATCH_BYTES", "u64", ["wall few", "wall separation"]),
    ("engine/src/pipeline.rs", "BATCH_BLOCKS", "u64", ["wall few", "wall separation"]),
    ("engine/src/pipeline.rs", "STRETCH", "usize", ["wall few", "wall separation"]),
    ("engine/src/pipeline.rs", "FEW_BODIES", "usize", ["wall few", "wall crowd"]),
]

# Parts that can be left out (set to 1), to see what they are worth: (crate/src/file, name, text, text with the switch).
PARTS = [
    ("narrow/src/batch/one_pair.rs", "WITHOUT_ONE_PAIR",
     "(Some(a), Some(b), Some(poses)) => Some(", "(Some(a), Some(b), Some(poses)) if WITHOUT_ONE_PAIR() == 0 => Some(",
     ["crowd", "slow", "fast", "disk"]),
    ("narrow/src/batch/many_pairs.rs", "WITHOUT_MANY_PAIRS",
     "if !search.tracks() || queries.len() < LEAST", "if WITHOUT_MANY_PAIRS() == 1 || !search.tracks() || queries.len() < LEAST",
     ["crowd", "cold", "separation"]),
    ("narrow/src/interval/block.rs", "WITHOUT_INTERVAL_ROWS",
     "left &= !terms.by_rows(&rows, stats, out);", "if WITHOUT_INTERVAL_ROWS() == 0 { left &= !terms.by_rows(&rows, stats, out); }",
     ["crowd-linear", "gears-screw"]),
]


def variable(file, constant):
    return file.replace("/src/", "_").replace("/mod.rs", "").replace(".rs", "").replace("/", "_").upper() + "_" + constant


def reader(name, type_, value, env, indent="", public=""):
    """A function in place of a constant."""
    read = f'std::env::var("{env}").ok().and_then(|v| v.parse().ok()).unwrap_or(({value}) as f64)'
    return (f"{indent}#[allow(non_snake_case, clippy::all)]\n{indent}#[inline(always)]\n{indent}{public}fn {name}() -> {type_} "
            f"{{ static V: std::sync::OnceLock<f64> = std::sync::OnceLock::new(); *V.get_or_init(|| {read}) as {type_} }}")


def with_switches(tree):
    """Replaces the constants by functions; returns their values."""
    values = {}
    for file, constant, type_, _ in CONSTANTS:
        path = tree / "crates" / file
        text = path.read_text()
        found = re.search(rf"^( *)((?:pub(?:\([a-z ]+\))? )?)const {constant}: {type_} = ([^;]+);", text, flags=re.M)
        if not found:
            sys.exit(f"{path}: no constant {constant}: {type_}")
        values[file, constant] = found[3]
        lines = text.replace(found[0], "@@", 1).split("\n")
        for i, line in enumerate(lines):
            if not line.lstrip().startswith(("//", "use ")):
                line = re.sub(rf"^(\s*){constant} =>", rf"\1value if value == {constant}() =>", line)
                lines[i] = re.sub(rf"(?<![\w:])(?<![^.]\.){constant}\b(?!\()", f"{constant}()", line)
        text = "\n".join(lines).replace("@@", reader(constant, type_, found[3], variable(file, constant), found[1], found[2]))
        path.write_text(text)
    return values


def users(tree):
    """The uses of public constants in other files."""
    for file, old, new in [
        ("narrow/src/batch/many_pairs.rs", "(1..FEW)", "(1..FEW())"),
        ("narrow/src/batch/many_pairs/placed.rs", "<= CLIMB_ABOVE", "<= CLIMB_ABOVE()"),
        ("narrow/src/epa/bipyramid.rs", "<= CLIMB_ABOVE", "<= CLIMB_ABOVE()"),
        ("narrow/src/pair.rs", "> CLIMB_ABOVE", "> CLIMB_ABOVE()"),
        ("narrow/src/mesh/collecting.rs", "== MOST_PAIRS", "== MOST_PAIRS()"),
        ("engine/src/job.rs", "pipeline::FEW_BODIES", "pipeline::FEW_BODIES()"),
    ]:
        path = tree / "crates" / file
        text = path.read_text()
        if old not in text:
            sys.exit(f"{path}: no `{old}`")
        path.write_text(text.replace(old, new))


def build(work):
    tree = work / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    tree.mkdir(parents=True)
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True).stdout.split(b"\0")
    for file in filter(None, (name.decode() for name in files)):
        source, target = ROOT / file, tree / file
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_symlink():
            target.symlink_to(os.readlink(source))
        else:
            shutil.copyfile(source, target)
    values = with_switches(tree)
    users(tree)
    for file, name, old, new, _ in PARTS:
        path = tree / "crates" / file
        # `with_switches` was there before.
        old, new = (re.sub(r"\bLEAST\b", "LEAST()", text) for text in (old, new))
        text = path.read_text()
        if old not in text:
            sys.exit(f"{path}: no `{old}`")
        text = text.replace(old, new) + "\n" + reader(name, "u32", "0", name) + "\n"
        path.write_text(text)
    command = ["cargo", "build", "--release", "--locked", "-p", "clearsweep", "--target-dir", str(work / "target")]
    subprocess.run(command, cwd=tree, check=True, env={**os.environ, "RUSTFLAGS": "-Adead_code"})
    return work / "target/release/clearsweep", values


def heaps(folder):
    """A heap of sixty boxes goes around another one, as CSV and OBJ."""
    draws = random.Random(4)
    folder.mkdir(parents=True)
    for name in "ab":
        lines = []
        for part in range(60):
            middle = [draws.uniform(-0.6, 0.6) for _ in range(3)]
            lines.append(f"o part{part}")
            for corner in range(8):
                lines.append("v " + " ".join(repr(m + (0.06 if corner >> axis & 1 else -0.06)) for axis, m in enumerate(middle)))
            for side in [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]:
                lines.append("f " + " ".join(str(8 * part + corner + 1) for corner in side))
        (folder / f"{name}.obj").write_text("\n".join(lines) + "\n")
    rows = ["frame,body,x,y,z,qw,qx,qy,qz"]
    for frame in range(2000):
        turn = frame / 1000 * 2 * math.pi
        away, half = 1.5 + 0.25 * math.sin(7 * turn), 1.25 * turn
        rows.append(f"{frame},b,{away * math.cos(turn)!r},{away * math.sin(turn)!r},{0.3 * math.sin(5 * turn)!r},"
                    f"{math.cos(half)!r},0.0,{math.sin(half)!r},0.0")
    (folder / "t.csv").write_text("\n".join(rows) + "\n")
    (folder / "scene.toml").write_text(
        '[scene]\nname = "pieces"\nlength_unit = "m"\ntrajectories = "t.csv"\n[query]\nwithin = 0.3\n'
        '[[body]]\nname = "a"\ngeometry = "a.obj"\nmodel = "pieces"\nstatic = true\n'
        '[[body]]\nname = "b"\ngeometry = "b.obj"\nmodel = "pieces"\n')


def still(folder):
    """Five thousand boxes at rest."""
    draws = random.Random(7)
    folder.mkdir(parents=True)
    lines = ['[scene]\nname = "still"\nlength_unit = "m"\n[query]\nwithin = 0.3\nstatic_pairs = true\n']
    for body in range(5000):
        place = ", ".join(repr(draws.uniform(0.0, 20.0)) for _ in range(3))
        lines.append(f'[[body]]\nname = "b{body}"\nshape = {{ box = [0.3, 0.2, 0.25] }}\nstatic = true\nposition = [{place}]\n')
    (folder / "scene.toml").write_text("".join(lines))


def scene_of(case, program, work, data):
    """The scene of a case; `None` where its data are missing."""
    source = CASES[case][0]
    if source in ("gears", "chain-links"):
        path = data / "mechanisms" / source / "scene.toml" if data else None
        return path if path and path.exists() else None
    folder = work / "data" / (source if isinstance(source, str) else "-".join(word.strip("-") for word in source))
    if not folder.exists():
        if isinstance(source, str):
            {"pieces": heaps, "still": still}[source](folder)
        else:
            subprocess.run([program, "generate", *source, "--out", folder, "--progress", "none"], check=True, stdout=subprocess.DEVNULL)
    return folder / "scene.toml"


class Measuring:
    """Runs a case with several settings in turn."""

    def __init__(self, program, work, data):
        self.program, self.work, self.data = program, work, data

    def ratios(self, case, settings):
        """Least times of the settings as shares of that without any; None without data."""
        by_wall = case.startswith("wall ")
        case = case.removeprefix("wall ")
        scene = scene_of(case, self.program, self.work, self.data)
        if scene is None:
            return None
        run = [self.program, "run", scene, "--out", self.work / f"out-{os.getpid()}", "--force", "--progress", "none", "--device", "cpu",
               "--threads", "2" if by_wall else "1", "--columns", "distance", *CASES[case][1]]
        least = [math.inf] * (len(settings) + 1)
        for _ in range(ROUNDS):
            for index, given in enumerate([{}, *settings]):
                least[index] = min(least[index], self.seconds(run, {**os.environ, **given}, by_wall))
        return [time_ / least[0] for time_ in least[1:]]

    @staticmethod
    def seconds(run, environment, by_wall):
        start = time.perf_counter()
        child = subprocess.Popen(run, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        said = child.stderr.read()
        _, status, used = os.wait4(child.pid, 0)
        if os.waitstatus_to_exitcode(status) not in (0, 3):
            sys.exit(said.decode())
        return time.perf_counter() - start if by_wall else used.ru_utime + used.ru_stime


def rounded(type_, value):
    return repr(value) if type_.startswith("f") else str(max(0, round(value)))


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    work = Path(sys.argv[1]).resolve()
    rest = sys.argv[2:]
    data = Path(rest.pop(0)).resolve() if rest and Path(rest[0]).is_dir() else None
    program, values = build(work) if not os.environ.get("BUILT") else (work / "target/release/clearsweep", None)
    if values is None:
        values = {(f, c): re.search(rf"const {c}: {t} = ([^;]+);", (ROOT / "crates" / f).read_text())[1] for f, c, t, _ in CONSTANTS}
    measuring = Measuring(program, work, data)
    print("| constant | value | case | half | double | as it is |\n| --- | --- | --- | --- | --- | --- |")
    for file, constant, type_, cases in CONSTANTS:
        if rest and constant not in rest and file not in rest:
            continue
        value = values[file, constant]
        number = eval(value.replace("_", ""), {"__builtins__": {}})  # such as `8 << 20`
        for case in cases:
            settings = [{variable(file, constant): rounded(type_, number * factor)} for factor in (0.5, 2)] + [{}]
            ratios = measuring.ratios(case, settings)
            if ratios is None:
                print(f"skipped: {file} {constant}, case {case}: no data", file=sys.stderr)
                continue
            print(f"| `{file}` `{constant}` | {value} | {case} | {ratios[0]:.3f} | {ratios[1]:.3f} | {ratios[2]:.3f} |", flush=True)
    print("\n| part left out | case | ratio |\n| --- | --- | --- |")
    for _, name, _, _, cases in PARTS:
        for case in cases if not rest or name in rest else []:
            ratios = measuring.ratios(case, [{name: "1"}])
            if ratios is not None:
                print(f"| {name} | {case} | {ratios[0]:.3f} |", flush=True)


if __name__ == "__main__":
    main()
