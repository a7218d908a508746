"""Measures divided jobs: python3 benches/shards.py PROGRAM WORK [--runs 100000] [--frames 110] [--within 120mm] [--paper] [--chaos]

Generates a Monte Carlo data set (`generate separation`), computes it on one machine and as 7, 16 and 100 shards in shuffled order, and merges the
shards. Each number of shards is computed twice: by two processes of one thread, and by one process at a time of two threads. Prints a Markdown
table of wall time, processor time and peak memory, with ratios to one machine in the same call. Every Parquet file of a merge is compared with
that of one machine, byte by byte, and each fast merge by `verify`. The first call at the default size takes some minutes on two cores, and needs
5 GB in WORK. The data set is kept there for the next call.

--paper also prints the tables of docs/evidence/scale-out.md, "A job of 10^9 runs": with `--frames 25 --within 80mm`, which are those of datasets/separation.

--chaos tests instead of measuring: one shard is computed twice at once, ten workers compute 40 shards while processes are killed at random and
started again, and single bits of one shard are flipped. A merge then gives the bytes of one machine, or an error that names the shard.

Needs PROGRAM, Linux or macOS, and Python's own library.
"""

import argparse
import concurrent.futures
import filecmp
import json
import math
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

COUNTS = [7, 16, 100]
CORES = 2
MOVING, PAIRS = 3, 6  # of the data set: bodies that move, and pairs that are not ignored
GROUP_ROWS = 1 << 20  # rows of a row group of poses that `generate` writes
FOOTER_S = 20e-6  # for each row group of the input, measured on a file of 10,000
WORKERS, CHAOS_SHARDS, KILLS_PER_SHARD = 10, 40, 3


@dataclass
class Cost:
    """The cost of processes: seconds from the first start to the last end, their processor time, the peak memory of the largest one."""

    wall: float
    cpu: float = math.nan
    peak_mb: float = math.nan
    code: int = 0
    errors: str = ""


class Process:
    """A process whose resources are measured."""

    def __init__(self, words):
        self.begin = time.perf_counter()
        self.child = subprocess.Popen([str(word) for word in words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def end(self):
        errors = self.child.stderr.read()
        _, status, used = os.wait4(self.child.pid, 0)
        self.child.stderr.close()
        self.child.returncode = code = os.waitstatus_to_exitcode(status)
        peak = used.ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)
        return Cost(time.perf_counter() - self.begin, used.ru_utime + used.ru_stime, peak, code, errors)


def measured(words, codes=(0,)):
    cost = Process(words).end()
    if cost.code not in codes:
        sys.exit(f"{' '.join(map(str, words))}: exit code {cost.code}\n{cost.errors}")
    return cost


def together(commands, at_once):
    """Runs commands, some of them at once."""
    begin = time.perf_counter()
    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        costs = list(pool.map(measured, commands))
    return Cost(time.perf_counter() - begin, sum(cost.cpu for cost in costs), max(cost.peak_mb for cost in costs))


def copied(source, target):
    """Copies a directory to the disk."""
    begin, used = time.perf_counter(), time.process_time()
    shutil.copytree(source, target)
    for path in filter(Path.is_file, target.rglob("*")):
        with open(path, "rb+") as file:
            os.fsync(file.fileno())
    return Cost(time.perf_counter() - begin, time.process_time() - used)


def tables(folder):
    return sorted(path.relative_to(folder) for path in folder.rglob("*.parquet"))


def size(folder):
    return sum((folder / name).stat().st_size for name in tables(folder))


def first_difference(one, other):
    """The first Parquet file that is not the same in both directories; None: all are."""
    names = sorted({*tables(one), *tables(other)})
    are_there = ((one / name).is_file() and (other / name).is_file() for name in names)
    return next((name for name, is_there in zip(names, are_there) if not is_there or not filecmp.cmp(one / name, other / name, False)), None)


def expect_equal(one, other):
    name = first_difference(one, other)
    if name is not None:
        sys.exit(f"{other / name} differs from {one / name}")


def remove(folder):
    shutil.rmtree(folder, ignore_errors=True)
    return folder


class Bench:
    """A data set, and what is run on it."""

    def __init__(self, arguments):
        self.program, self.work, self.within = arguments.program.resolve(), arguments.work.resolve(), arguments.within
        self.runs, self.frames = arguments.runs, arguments.frames
        data = self.work / f"data-{self.runs}-{self.frames}"
        self.scene, self.one = data / "scene.toml", remove(self.work / "one")
        if not self.scene.exists():
            self.work.mkdir(parents=True, exist_ok=True)
            options = ["--runs", self.runs, "--frames", self.frames, "--out", data, "--progress", "none"]
            measured([self.program, "generate", "separation", *options])

    def run(self, out, threads, *options):
        requires = ["--within", self.within, "--require", "50mm"]
        return [self.program, "run", self.scene, "--out", out, *requires, "--threads", threads, "--progress", "none", *options]

    def whole(self):
        return measured(self.run(remove(self.one), CORES), (0, 3))

    def shard(self, index, count, out, threads):
        return self.run(out, threads, "--shard", f"{index}/{count}")

    def merge(self, shards, out, *options):
        return [self.program, "merge", shards, "--out", remove(out), "--threads", CORES, *options]

    def poses(self):
        return self.runs * self.frames * MOVING

    def rows(self):
        return json.loads((self.one / "manifest.json").read_text())["summary"]["rows"]


def megabytes(cost):
    return "" if math.isnan(cost.peak_mb) else f"{cost.peak_mb:.0f}"


def measure(bench):
    """Measures everything, prints the table, and returns the costs by name."""
    bench.whole()  # reads the poses into the page cache
    costs = {"one machine, 2 threads": bench.whole()}
    order = random.Random(1)
    for count in COUNTS:
        shards, again = remove(bench.work / f"shards-{count}"), remove(bench.work / f"again-{count}")
        indices = order.sample(range(count), count)
        name = f"{count} shards"
        costs[f"{name}, 2 processes of 1 thread"] = together([bench.shard(index, count, shards, 1) for index in indices], CORES)
        costs[f"{name}, 1 process of 2 threads"] = together([bench.shard(index, count, again, CORES) for index in indices], 1)
        expect_equal(shards, again)
        remove(again)
        merged, fast = bench.work / "merged", bench.work / "fast"
        costs[f"merge of {count}"] = measured(bench.merge(shards, merged), (0, 3))
        expect_equal(bench.one, merged)
        costs[f"merge --fast of {count}"] = measured(bench.merge(shards, fast, "--fast"), (0, 3))
        measured([bench.program, "verify", bench.one, fast])
        measured([bench.program, "verify", fast])
        for folder in [shards, merged, fast]:
            remove(folder)
    costs["verify"] = measured([bench.program, "verify", bench.one, "--threads", CORES])
    costs["plain copy, with fsync"] = copied(bench.one, remove(bench.work / "copy"))
    remove(bench.work / "copy")
    costs["one machine, again"] = bench.whole()
    one, volume = costs["one machine, 2 threads"], size(bench.one)
    print(f"{bench.runs:,} runs of {bench.frames} frames, {bench.poses():,} poses, {bench.rows():,} rows, {volume / 1e6:,.1f} MB of tables\n")
    print("| what | wall, s | processor, s | memory, MB | wall / one machine | processor / one machine | GB/s |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, cost in costs.items():
        rate = f"{volume / cost.wall / 1e9:.3f}" if name.startswith(("merge", "verify", "plain")) else ""
        ratios = f"{cost.wall / one.wall:.2f} | {cost.cpu / one.cpu:.2f}"
        print(f"| {name} | {cost.wall:.2f} | {cost.cpu:.2f} | {megabytes(cost)} | {ratios} | {rate} |")
    print("\nAll merged tables are those of one machine, byte for byte; all fast merges have the same rows.")
    return costs


def footer_bytes(path):
    """The bytes of the footer of a Parquet file."""
    with open(path, "rb") as file:
        file.seek(-8, os.SEEK_END)
        return struct.unpack("<I", file.read(4))[0]


def on_paper(bench, costs):
    """Prints the tables of docs/evidence/scale-out.md, "A job of 10^9 runs"."""
    one, volume, rows, poses = costs["one machine, 2 threads"], size(bench.one), bench.rows(), bench.poses()
    file = bench.scene.parent / "trajectories.parquet"
    few, many = COUNTS[0], COUNTS[-1]
    p = poses / one.cpu
    b, k, w = file.stat().st_size / poses, rows / bench.runs, volume / rows
    h = footer_bytes(file) / math.ceil(poses / GROUP_ROWS)
    o = (costs[f"{many} shards, 2 processes of 1 thread"].cpu - one.cpu) / many
    m, f, c, v = (volume / costs[name].wall for name in (f"merge of {few}", f"merge --fast of {few}", "plain copy, with fsync", "verify"))
    # Fast merges: the rows that the others encode vary more than the shards cost.
    n = (costs[f"merge --fast of {many}"].cpu - costs[f"merge --fast of {few}"].cpu) / (many - few)
    figures = [
        ("p", "poses of a core", f"{p:,.0f} /s"),
        ("", "rows of a core", f"{rows / one.cpu:,.0f} /s"),
        ("b", "bytes read of a pose", f"{b:.1f}"),
        ("h", "bytes of a footer for each row group", f"{h:,.0f}"),
        ("k", "rows of `distances` of a run", f"{k:.3f}"),
        ("w", "bytes written of a row, with all tables", f"{w:.1f}"),
        ("o", "overhead of a shard", f"{o * 1e3:.0f} ms"),
        ("m", "`merge`, 2 threads", f"{m / 1e9:.3f} GB/s, {m / w:,.0f} rows/s"),
        ("n", "`merge`, for each shard", f"{n * 1e3:.1f} ms"),
        ("f", "`merge --fast`, 2 threads", f"{f / 1e9:.3f} GB/s"),
        ("c", "plain copy", f"{c / 1e9:.2f} GB/s"),
        ("v", "`verify`, 2 threads", f"{v / 1e9:.2f} GB/s"),
    ]
    print("\n| | figure | value |\n| --- | --- | --- |")
    for letter, name, value in figures:
        print(f"| {letter} | {name} | {value} |")
    runs, frames, machines, cores, shards = 10**9, 25, 1_000, 16, 4_000
    storage, price, lifetime, harder = 50e9, 0.04, 1_000, 1_000
    all_poses, written = runs * frames * MOVING, runs * k * w
    groups = math.ceil(all_poses / GROUP_ROWS)
    poses_read, footers_read = all_poses * b + shards * GROUP_ROWS * b, shards * groups * h
    print("\n| step | result |\n| --- | --- |")
    for name, value in [
        ("input", f"{all_poses * b / 1e12:.2f} TB"),
        ("poses read by a machine", f"{poses_read / machines / 1e9:.2f} GB"),
        ("footers read by a machine", f"{footers_read / machines / 1e9:.2f} GB"),
        ("written by a machine", f"{written / machines / 1e6:,.0f} MB"),
        ("all tables", f"{written / 1e9:,.0f} GB"),
        ("`merge` on one machine", f"{(written / m + shards * n) / 60:,.0f} min"),
        ("`merge --fast`", f"{(written / f + shards * n) / 60:,.0f} min"),
        ("a plain copy, for comparison", f"{written / c / 60:,.0f} min"),
        ("`verify` of the result", f"{written / v / 60:,.0f} min"),
    ]:
        print(f"| {name} | {value} |")
    print("\n| step | this job | poses 1,000 times as expensive |\n| --- | --- | --- |")
    hours = [(all_poses / p * factor + shards * (o + groups * FOOTER_S)) / 3600 for factor in (1, harder)]
    computing = [hour * 3600 / (machines * cores) for hour in hours]
    reading = (poses_read + footers_read) / storage
    walls = [max(seconds, reading) for seconds in computing]
    prices = [wall / 3600 * machines * cores * price for wall in walls]
    steps = [
        ("hours of cores", hours, "{:,.1f}"),
        ("computing, on 16,000 cores", computing, "{:,.0f} s"),
        ("reading, all machines together", [reading] * 2, "{:,.0f} s"),
        ("wall time", walls, "{:,.0f} s"),
        ("failed machines expected", [machines * wall / 3600 / lifetime for wall in walls], "{:.3f}"),
        ("price", prices, "{:,.2f} $"),
        ("price of 10^6 pairs in frames", [cost / (runs * frames * PAIRS / 1e6) for cost in prices], "{:.7f} $"),
    ]
    for name, values, form in steps:
        print(f"| {name} | {form.format(values[0])} | {form.format(values[1])} |")


class Chaos:
    """Shards whose workers are killed, shards that are computed twice, and shards that are damaged."""

    def __init__(self, bench, damages):
        self.bench, self.damages = bench, damages
        self.shards, self.out = remove(bench.work / "shards"), bench.work / "merged"
        self.lock, self.kills, self.late = threading.Lock(), 0, 0
        self.tries = [0] * CHAOS_SHARDS
        self.waiting = random.Random(2).sample(range(1, CHAOS_SHARDS), CHAOS_SHARDS - 1)

    def folder(self, index):
        return self.shards / f"shard-{index:05}-of-{CHAOS_SHARDS:05}"

    def run(self):
        bench = self.bench
        bench.whole()
        twins = [Process(bench.shard(0, CHAOS_SHARDS, self.shards, 1)) for _ in range(2)]
        ends = [twin.end() for twin in twins]
        for end in ends:
            if end.code != 0:
                sys.exit(f"one shard twice at once: exit code {end.code}\n{end.errors}")
        longest = max(end.wall for end in ends) * WORKERS / CORES
        with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
            for worker in [pool.submit(self.work, longest) for _ in range(WORKERS)]:
                worker.result()
        left = sorted(path.name for path in self.shards.iterdir() if path.name.startswith("."))
        measured(bench.merge(self.shards, self.out), (0, 3))
        expect_equal(bench.one, self.out)
        measured(bench.merge(self.shards, self.out, "--fast"), (0, 3))
        measured([bench.program, "verify", bench.one, self.out])
        print(f"{CHAOS_SHARDS} shards by {WORKERS} workers: {self.kills} killed, {self.late} ended before their signal, 1 computed twice at once; "
              f"{len(left)} temporary directories left. The merged tables are those of one machine, byte for byte.")
        self.damage()

    def work(self, longest):
        """Computes shards until all stand. A process is killed after a random time, up to KILLS_PER_SHARD times a shard."""
        while True:
            with self.lock:
                if not self.waiting:
                    return
                index = self.waiting.pop()
            process = Process(self.bench.shard(index, CHAOS_SHARDS, self.shards, 1))
            if self.tries[index] < KILLS_PER_SHARD:
                delay = random.Random(f"{index} {self.tries[index]}").uniform(0, longest)
                timer = threading.Timer(delay, os.kill, (process.child.pid, signal.SIGKILL))
                timer.start()
                # `end` reaps the process: its number is not given to another one before.
                os.waitid(os.P_PID, process.child.pid, os.WEXITED | os.WNOWAIT)
                timer.cancel()
                timer.join()
            end = process.end()
            if end.code not in (0, -signal.SIGKILL):
                raise SystemExit(f"shard {index}: exit code {end.code}\n{end.errors}")
            with self.lock:
                self.kills += end.code != 0
                self.late += end.code == 0 and self.tries[index] < KILLS_PER_SHARD
                self.tries[index] += 1
                if end.code != 0:
                    self.waiting.insert(0, index)

    def damage(self):
        """Flips single bits of one shard, and merges."""
        choose = random.Random(3)
        index = choose.randrange(CHAOS_SHARDS)
        files = sorted(path for path in self.folder(index).rglob("*") if path.is_file())
        found, wrong = {"named": 0, "equal": 0, "found by verify": 0}, []
        for number in range(self.damages):
            path = files[number % len(files)]
            # The keys of a table are among its first bytes: these are chosen as often as the many behind them.
            at, bit = int(path.stat().st_size ** choose.random()) - 1, choose.randrange(8)
            flip(path, at, bit)
            for options in [[], ["--fast"]]:
                result = self.merged_of_damaged(index, options)
                if result in found:
                    found[result] += 1
                else:
                    words = " ".join(["merge", *options])
                    wrong.append(f"bit {bit} of byte {at} of {path.relative_to(self.shards)}: {words}: {result}")
            flip(path, at, bit)
        print(f"{self.damages} single bits of shard {index} flipped, each merged and merged fast: {found['named']} errors that name the shard, "
              f"{found['equal']} equal results, {found['found by verify']} fast merges whose damage `verify` finds.")
        if wrong:
            sys.exit("\n".join(wrong))

    def merged_of_damaged(self, index, options):
        """How a merge of a damaged shard ends: named, equal, found by verify, or a text that says what is wrong."""
        bench = self.bench
        end = Process(bench.merge(self.shards, self.out, *options)).end()
        if end.code not in (0, 3):
            return "named" if end.code == 1 and self.folder(index).name in end.errors else f"exit code {end.code}\n{end.errors}"
        if not options:
            name = first_difference(bench.one, self.out)
            return "equal" if name is None else f"{name} differs, without an error"
        if Process([bench.program, "verify", self.out]).end().code != 0:
            return "found by verify"
        # `verify` has read the tables: they hold what the manifest tells.
        is_equal = Process([bench.program, "verify", bench.one, self.out]).end().code == 0
        return "equal" if is_equal else "other rows, without an error"


def flip(path, at, bit):
    with open(path, "r+b") as file:
        file.seek(at)
        byte = file.read(1)[0]
        file.seek(at)
        file.write(bytes([byte ^ 1 << bit]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--runs", type=int, default=100_000)
    parser.add_argument("--frames", type=int, default=110)
    parser.add_argument("--within", default="120mm")
    parser.add_argument("--paper", action="store_true")
    parser.add_argument("--chaos", action="store_true")
    parser.add_argument("--damages", type=int, default=18, help="bits that --chaos flips, one after the other")
    arguments = parser.parse_args()
    bench = Bench(arguments)
    if arguments.chaos:
        return Chaos(bench, arguments.damages).run()
    costs = measure(bench)
    if arguments.paper:
        on_paper(bench, costs)


main()
