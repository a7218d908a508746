"""The parts of benches/reliability.py: each yields cases, and a case returns what went wrong and its figures.

A case gets an empty folder to work in. Tables are compared byte by byte, all files but the manifest.
"""

import hashlib
import json
import os
import random
import re
import shutil
import subprocess
import time
from pathlib import Path

import reliability_inputs as inputs

NAMES = ["hostile", "errors", "kills", "races", "resume", "memory", "fuzz", "recheck"]

ROOT = Path(__file__).resolve().parent.parent
STRACE = shutil.which("strace")
# Calls that touch files, as strace groups them for injection.
CALLS = ["openat", "mkdirat", "renameat,renameat2", "unlinkat", "fsync,fdatasync", "flock", "write", "writev"]
CALLS += ["read,pread64", "close", "newfstatat,statx", "getdents64"]
ERRORS = ["EIO", "ENOSPC", "EACCES"]
# At most so many calls of one kind are hit in each thread, spread over all of them.
HITS = 24
# Words of the system's loader, printed before the program begins.
LOADER = "error while loading shared libraries"


class Ended:
    """How an execution ended: exit code (minus the signal), stderr, seconds, peak memory in MB.

    The peak counts that of this process, which stays below 25 MB.
    """

    def __init__(self, program, args, folder, before=(), seconds=300):
        start = time.monotonic()
        with open(folder / ".stderr", "wb") as errors:
            command = [*before, program, *args]
            child = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors)
        self.hung = False
        status, usage = wait(child, start + seconds)
        if status is None:
            self.hung = True
            child.kill()
            _, status, usage = os.wait4(child.pid, 0)
        child.returncode = self.code = os.waitstatus_to_exitcode(status)
        self.seconds, self.megabytes = time.monotonic() - start, usage.ru_maxrss / 1024
        self.text = (folder / ".stderr").read_text(errors="replace")

    def faults(self):
        """Violations of the rules that hold for every end, whatever was done to the program."""
        found = ["it hangs"] if self.hung else []
        found += [f"`{noise}` in {self.text[:300]}" for noise in ("panicked", "stack backtrace") if noise in self.text]
        if self.code not in (0, 1, 2, 3, 4) and not self.hung:
            found.append(f"exit code {self.code}: {self.text[:300]}")
        errors = sum(line.startswith("error:") for line in self.text.splitlines())
        if self.code == 1 and (errors != 1 or "help:" not in self.text):
            found.append(f"not one error with a remedy: {self.text[:300]}")
        return found


def wait(child, until):
    """The status and the resources used, or nothing where it takes too long."""
    pause = 0.001
    while time.monotonic() < until:
        pid, status, usage = os.wait4(child.pid, os.WNOHANG)
        if pid:
            return status, usage
        time.sleep(pause)
        pause = min(2 * pause, 0.05)
    return None, None


def tables(folder):
    """The files of a result by their digests; `None` where there is no manifest."""
    if not (folder / "manifest.json").exists():
        return None
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_file() and name != "manifest.json" and not name.startswith(".clearsweep"):
            with open(path, "rb") as file:
                found[name] = hashlib.file_digest(file, "sha256").hexdigest()
    return found


def strays(folder, kept):
    """Names in a folder that are not among `kept`, sorted."""
    return sorted(set(os.listdir(folder)) - set(kept))


class Job:
    """A run into r/o: `create` into nothing, `replace` over an older result."""

    def __init__(self, program, folder, name):
        self.program, self.folder, self.name = program, folder, name
        crowd = "generate crowd --out c --bodies 20 --frames 60 --runs 2 --density 0.4"
        assert Ended(program, crowd.split(), folder).code == 0, "the data set is generated"
        self.new_args = "run c/scene.toml --out r/o --threads 1 --progress none".split()
        self.old_args = "run c/scene.toml --out r/o --threads 1 --frames ..30".split()
        (folder / "r").mkdir()
        self.again(self.new_args)
        self.new = tables(folder / "r/o")
        self.again(self.old_args)
        self.old = tables(folder / "r/o")
        shutil.copytree(folder / "r/o", folder / "old")

    def again(self, args):
        shutil.rmtree(self.folder / "r")
        (self.folder / "r").mkdir()
        assert Ended(self.program, args, self.folder).code == 0, args

    def prepare(self):
        shutil.rmtree(self.folder / "r")
        (self.folder / "r").mkdir()
        if self.name == "replace":
            shutil.copytree(self.folder / "old", self.folder / "r/o")

    def args(self):
        return [*self.new_args, "--force"] if self.name == "replace" else self.new_args

    def judge(self, ended, injected):
        """The result after an injection, as a word, and what is wrong with it."""
        now = tables(self.folder / "r/o") if (self.folder / "r/o").is_dir() else None
        state = "none" if now is None else "old" if now == self.old else "new" if now == self.new else "mixture"
        before = "old" if self.name == "replace" else "none"
        fine = {"new"} if ended.code == 0 else {before}
        # A kill may come late, and so may the failure of what is said on stdout or stderr about a result that is whole.
        if ended.code < 0 or "stdout: cannot be written" in ended.text or ended.code == 1 and not ended.text:
            fine = {before, "new"}
        faults = [] if state in fine else [f"{injected}: exit code {ended.code}, the result is {state}: {ended.text[:300]}"]
        after = Ended(self.program, [*self.new_args, "--force"], self.folder)
        if after.code != 0 or tables(self.folder / "r/o") != self.new or strays(self.folder / "r", ["o"]):
            left = os.listdir(self.folder / "r")
            faults.append(f"{injected}: the next execution ends with {after.code}, {left}: {after.text[:300]}")
        return state, faults


def count_calls(job, call):
    """How often one thread of the job makes a call at most: strace counts hits for each thread."""
    job.prepare()
    Ended(job.program, job.args(), job.folder, [STRACE, "-f", "-qq", "-o", "calls", "-e", f"trace={call}"])
    threads = [line.split()[0] for line in (job.folder / "calls").read_text(errors="replace").splitlines() if "(" in line]
    return max(map(threads.count, set(threads)), default=0)


def inject(program, folder, name, call, mode):
    """Every hit of one call by one error or kill."""
    job = Job(program, folder, name)
    count, faults, figures = count_calls(job, call), [], {"tried": 0}
    hits = range(1, count + 1) if count <= HITS else [1 + k * (count - 1) // (HITS - 1) for k in range(HITS)]
    for hit in hits:
        job.prepare()
        what = f"inject={call}:{mode}:when={hit}"
        strace = [STRACE, "-f", "-qq", "-o", "calls", "-e", f"trace={call}", "-e", what]
        ended = Ended(program, job.args(), folder, strace)
        ended.code = -9 if ended.code in (137, -9) else ended.code
        injected = ended.code < 0 or "(INJECTED)" in (folder / "calls").read_text(errors="replace")
        silent = call == "write" and ended.code == 1 and not ended.text
        if ended.code == 127 and LOADER in ended.text:
            ended.code = 1
        elif ended.code >= 0 and not silent:
            faults += [f"{what}: {fault}" for fault in ended.faults()]
        state, wrong = job.judge(ended, what)
        faults += wrong
        end = "missed" if not injected else "killed" if ended.code < 0 else "done" if ended.code == 0 else "failed"
        figures["tried"] += 1
        figures[f"{end}_{state}"] = figures.get(f"{end}_{state}", 0) + 1
    return faults, figures


def errors(options, program):
    for name in ("create", "replace"):
        for call in CALLS:
            for error in ERRORS:
                yield f"{name} {call} {error}", lambda f, n=name, c=call, e=error: inject(program, f, n, c, f"error={e}")


def kills(options, program):
    if STRACE:
        for name in ("create", "replace"):
            for call in CALLS:
                yield f"{name} {call}", lambda f, n=name, c=call: inject(program, f, n, c, "signal=KILL")
    for moment in range(options.moments):
        yield f"moment {options.seed}/{moment}", lambda f, m=moment: kill_at(program, f, options.seed, m)


def kill_at(program, folder, seed, moment):
    """A replacing run killed at a random moment of its time."""
    job = Job(program, folder, "replace")
    job.prepare()
    whole = Ended(program, job.args(), folder).seconds
    job.prepare()
    at = random.Random(f"{seed} {moment}").uniform(0, 1.1) * whole
    ended = Ended(program, job.args(), folder, ["timeout", "-s", "KILL", f"{at:.4f}"])
    ended.code = -9 if ended.code in (137, -9) else ended.code
    state, faults = job.judge(ended, f"killed after {at:.4f} s of {whole:.4f}")
    return faults, {"kills": int(ended.code < 0), f"then_{state}": 1}


def races(options, program):
    ways = ["plain", "delayed", "without locks"] if STRACE else ["plain"]
    for block in range(options.rounds // 10):
        way = ways[block % len(ways)]
        yield f"{way} {options.seed}/{block}", lambda f, w=way, b=block: race(program, f, w, f"{options.seed} {b}")


def race(program, folder, way, seed):
    """Ten rounds of four processes that write to one directory, each a different result."""
    draw, faults, figures = random.Random(seed), [], {"rounds": 0}
    job = Job(program, folder, "create")
    args = [f"run c/scene.toml --out r/o --threads 1 --frames ..{12 * (k + 1)}".split() for k in range(4)]
    whole = []
    for one in args:
        job.again(one)
        whole.append(tables(folder / "r/o"))
    for number in range(10):
        if number % 2 == 0:
            job.prepare()
        before = tables(folder / "r/o") if (folder / "r/o").is_dir() else None
        children = []
        for one in args:
            delay = [] if way == "plain" else ["-e", f"inject=renameat2,unlinkat:delay_enter={draw.choice([0, 3000, 20000])}"]
            locks = ["-e", "inject=flock:error=ENOLCK"] if way == "without locks" else []
            calls = [STRACE, "-f", "-qq", "-o", "/dev/null", "-e", "trace=flock,renameat2,unlinkat", *delay, *locks]
            command = [*([] if way == "plain" else calls), program, *one, "--force"]
            children.append(subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True))
            time.sleep(draw.uniform(0, 0.08))
        texts = [child.communicate()[1] for child in children]
        codes = [child.returncode for child in children]
        now = tables(folder / "r/o") if (folder / "r/o").is_dir() else None
        won = [k for k in range(4) if codes[k] == 0]
        fine = any(whole[k] == now for k in won) if won else now == before
        if not fine or any(code not in (0, 1) for code in codes) or any("panicked" in text for text in texts):
            of = whole.index(now) if now in whole else "nothing whole"
            faults.append(f"round {number}: exit codes {codes}, the result is that of {of}: {texts}"[:600])
        figures["rounds"] += 1
        figures[f"won_by_{len(won)}"] = figures.get(f"won_by_{len(won)}", 0) + 1
        after = Ended(program, [*args[0], "--force"], folder)
        if after.code != 0 or tables(folder / "r/o") != whole[0] or strays(folder / "r", ["o"]):
            faults.append(f"round {number}: the next execution ends with {after.code}: {after.text[:300]}")
    return faults, figures


def resume(options, program):
    """A job of several parts of `distances` (200 bodies, all pairs, 6,000 frames), whose tables are made once."""
    folder = options.work / "resume"
    for moment in range(options.moments):
        yield f"moment {options.seed}/{moment}", lambda f, m=moment: resume_after(program, whole_job(program, folder), f, options.seed, m)


def whole_job(program, folder):
    """The job and its tables, by their digests, of an execution that is not interrupted."""
    args = ["run", str(folder / "c/scene.toml"), *"--within 1000m --columns distance --progress none".split()]
    if not (folder / "whole.json").exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        assert Ended(program, "generate crowd --out c --bodies 200 --frames 6000".split(), folder).code == 0
        ended = Ended(program, [*args, "--out", "whole"], folder, seconds=3600)
        found = {"seconds": ended.seconds, "tables": tables(folder / "whole")}
        shutil.rmtree(folder / "whole")
        (folder / "whole.json").write_text(json.dumps(found))
    return args, json.loads((folder / "whole.json").read_text())


def resume_after(program, job, folder, seed, moment):
    """A run killed at a random moment, then resumed: the bytes of an uninterrupted one."""
    args, whole = job
    at = random.Random(f"{seed} {moment}").uniform(0.05, 1) * whole["seconds"]
    child = subprocess.Popen([program, *args, "--out", "o"], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(at)
    child.kill()
    child.wait()
    parts = len(list((folder / "o/distances").glob("part-*.parquet")))
    done = (folder / "o/manifest.json").exists()
    ended = Ended(program, [*args, "--out", "o", "--resume"], folder, seconds=3600)
    # A run that was done before its moment has nothing to be resumed.
    faults = [] if done else ended.faults()
    if tables(folder / "o") != whole["tables"]:
        faults.append(f"killed after {at:.3f} s: other tables than uninterrupted")
    samples = (json.loads((folder / "o/manifest.json").read_text())["resumed"] or {}).get("samples", 0)
    again = parts * (16 << 20) - samples * 19900
    if parts and again > (16 << 20) and not done:
        faults.append(f"{again} rows of whole parts were computed again")
    figures = {"resumed": int(samples > 0), "done": int(done), "whole_parts": parts, "most_rows_of_parts_again": 0 if done else again}
    return faults, figures | {"seconds_whole": round(whole["seconds"], 1), "seconds_killed": round(at, 1), "seconds_again": round(ended.seconds, 1)}


def hostile(options, program):
    for name in inputs.FORMS:
        for block in range(options.blocks):
            yield f"{name} {options.seed}/{block}", lambda f, n=name, b=block: damage(program, f, n, f"{options.seed} {b}")


def damage(program, folder, name, seed):
    """Fifty damaged copies of one input, through the whole program."""
    draw, faults, figures = random.Random(f"{name} {seed}"), [], {"most_seconds": 0, "most_megabytes": 0}
    sound = inputs.write(program, folder, name, Ended)
    whole = sound.read_bytes()
    for number in range(50):
        sound.write_bytes(inputs.damaged(whole, draw))
        ended = Ended(program, "run scene.toml --out r/o --threads 2 --memory 64MB".split(), folder, seconds=120)
        faults += [f"{number}: {fault}" for fault in ended.faults()]
        # Exit code 2 is either usage, or a whole result in which nothing was there to be checked.
        written = (folder / "r/o/manifest.json").exists()
        if ended.code != 2 and written != (ended.code in (0, 3, 4)):
            faults.append(f"{number}: exit code {ended.code}, a manifest: {written}; {ended.text[:300]}")
        if ended.code == 1 and os.listdir(folder / "r"):
            faults.append(f"{number}: left behind: {os.listdir(folder / 'r')}")
        figures[f"exit_{ended.code}"] = figures.get(f"exit_{ended.code}", 0) + 1
        figures["most_seconds"] = max(figures["most_seconds"], round(ended.seconds, 2))
        figures["most_megabytes"] = max(figures["most_megabytes"], round(ended.megabytes))
        shutil.rmtree(folder / "r", ignore_errors=True)
        (folder / "r").mkdir()
    return faults, figures


# Shapes of job for memory: what generates them, and what is run.
SHAPES = {
    "static clash": ("generate box-grid --out c --bodies 50000 --frames 1", []),
    "dense crowd": ("generate crowd --out c --bodies 3000 --frames 64 --density 0.5", []),
    "long crowd": ("generate crowd --out c --bodies 200 --frames 10000", []),
    "many runs": ("generate separation --out c --runs 5000", []),
    "plant": ("generate pipe-rack --out c --frames 2000", []),
}


def memory(options, program):
    for shape in SHAPES:
        yield shape, lambda f, s=shape: limits(program, f, s)


def limits(program, folder, shape):
    """One job at four limits: peak memory in MB, seconds; the same bytes."""
    generate, more = SHAPES[shape]
    made = Ended(program, generate.split(), folder)
    if made.code != 0:
        return [f"{generate}: {made.text[:300]}"], {}
    faults, figures, first = [], {}, None
    for limit in ("1GB", "256MB", "64MB", "16MB"):
        ended = Ended(program, ["run", "c/scene.toml", "--out", "o", "--force", "--memory", limit, *more], folder, seconds=7200)
        faults += ended.faults()
        now = tables(folder / "o")
        first = first or now
        if now != first:
            faults.append(f"{limit}: other tables than at 1GB")
        figures[limit] = f"{ended.megabytes:.0f} MB, {ended.seconds:.2f} s"
    return faults, figures


def fuzz(options, program):
    for target in sorted(path.stem for path in (ROOT / "fuzz/fuzz_targets").glob("*.rs")):
        seconds = options.fuzz_seconds
        yield f"{target} {seconds} s", lambda f, t=target, s=seconds: fuzz_target(t, s)


def fuzz_target(target, seconds):
    done = subprocess.run([ROOT / "fuzz/run", str(seconds), target], capture_output=True, text=True, errors="replace")
    found = re.findall(r"stat::number_of_executed_units:\s*(\d+)", done.stderr + done.stdout)
    faults = [] if done.returncode == 0 else [(done.stderr + done.stdout)[-500:]]
    return faults, {"executions": sum(map(int, found)), "fuzz_seconds": seconds}


def cases(name, options, program):
    """The cases of a part: name, and what does it in a folder."""
    if name in ("errors",) and not STRACE:
        print(f"{name}: left out, strace is not installed")
        return []
    return globals()[name](options, program)
