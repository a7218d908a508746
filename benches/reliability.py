#!/usr/bin/env python3
"""The long campaign of docs/evidence/reliability.md: hostile inputs, injected errors, kills, races, memory, fuzzing, the recheck.

    benches/reliability.py WORK [PART...] [--seed N] [--blocks N] [--moments N] [--rounds N] [--fuzz-seconds N]
                           [--queries N] [--hours H] [--threads N] [--commit TEXT] [--target DIR]
    benches/reliability.py WORK --report

PART: hostile, errors, kills, races, resume, memory, fuzz, recheck; all of them without any. What is done is written to
WORK/record.jsonl, one line a case, so that a campaign that was stopped goes on where it was. Cases count for one program
only: another program (by its SHA-256) begins anew. The recheck keeps a record of its own, WORK/recheck.jsonl, of one
commit (--commit; that of the working tree, if left out).

--target: the folder of builds (target); programs are built in release first. CLEARSWEEP, RECHECK: other programs than
those. `errors`, some of `kills` and some of `races` need strace, and are left out with a word where it is missing; fuzz
needs a C++ compiler. Linux only. Ends with 1 if any case failed.
"""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True  # nothing is left beside the sources

import reliability_parts as parts  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent


class Record:
    """Cases that are done: an append-only file of lines of JSON. A line that a kill cut short counts as not written."""

    def __init__(self, path, program):
        self.path, self.program, self.lines = path, program, []
        text = path.read_bytes() if path.exists() else b""
        whole = text.rfind(b"\n") + 1
        if whole < len(text):
            os.truncate(path, whole)
        for number, line in enumerate(text[:whole].splitlines(), 1):
            try:
                self.lines.append(json.loads(line))
            except ValueError:
                sys.exit(f"{path}, line {number}: no JSON; remove the line to repeat its case")

    def of_program(self):
        return [line for line in self.lines if line["program"] == self.program]

    def done(self, part, case):
        return any(line["part"] == part and line["case"] == case for line in self.of_program())

    def add(self, part, case, faults, figures, seconds):
        line = {"part": part, "case": case, "faults": faults, "figures": figures}
        line |= {"seconds": round(seconds, 2), "program": self.program, "at": time.strftime("%FT%TZ", time.gmtime())}
        with open(self.path, "a") as file:
            file.write(json.dumps(line) + "\n")
            file.flush()
            os.fsync(file.fileno())
        self.lines.append(line)


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("work", type=Path)
    parser.add_argument("part", nargs="*", choices=[[], *parts.NAMES])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--blocks", type=int, default=20, help="blocks of 50 hostile inputs, for each format")
    parser.add_argument("--moments", type=int, default=25, help="kills at random moments")
    parser.add_argument("--rounds", type=int, default=200, help="races")
    parser.add_argument("--fuzz-seconds", type=int, default=3600, help="for each target")
    parser.add_argument("--queries", type=int, default=10**9)
    parser.add_argument("--hours", type=float, default=1e6, help="the recheck begins no chunk after so many")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--commit")
    parser.add_argument("--target", type=Path, default=ROOT / "target")
    parser.add_argument("--report", action="store_true")
    return parser.parse_args()


def programs(options):
    """The program and the recheck, built unless they are named."""
    release = options.target / "release"
    named = [os.environ.get("CLEARSWEEP"), os.environ.get("RECHECK")]
    if not all(named):
        build = ["cargo", "build", "--release", "--locked", "-q", "-p", "clearsweep", "-p", "xtask", "--bins"]
        subprocess.run(build, cwd=ROOT, check=True, env=os.environ | {"CARGO_TARGET_DIR": str(options.target)})
    program, recheck = named[0] or release / "clearsweep", named[1] or release / "xtask"
    return str(Path(program).resolve()), str(Path(recheck).resolve())


def run_part(name, options, record, program):
    """All cases of a part that are not done. Returns how many failed."""
    failed = 0
    for case, work in parts.cases(name, options, program):
        if record.done(name, case):
            continue
        folder = options.work / "now"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        start = time.monotonic()
        faults, figures = work(folder)
        record.add(name, case, faults, figures, time.monotonic() - start)
        print(f"{name} {case}: {figures}", *[f"\n  FAULT {fault}" for fault in faults[:5]], flush=True)
        failed += bool(faults)
        shutil.rmtree(folder, ignore_errors=True)
    return failed


def run_recheck(options, recheck):
    """The campaign of queries; what it finds goes to stderr and to the end of WORK/recheck.log."""
    describe = ["git", "describe", "--always", "--dirty"]
    commit = options.commit or subprocess.run(describe, cwd=ROOT, capture_output=True, text=True).stdout.strip()
    command = [recheck, "recheck", "--campaign", str(options.work / "recheck.jsonl"), "--queries", str(options.queries)]
    command += ["--seed", str(options.seed), "--threads", str(options.threads), "--hours", str(options.hours)]
    command += ["--commit", commit or "unknown"]
    with open(options.work / "recheck.log", "a") as log:
        child = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        for line in child.stderr:
            log.write(line)
            log.flush()
            print(line, end="", file=sys.stderr)
    return child.wait() != 0


def total(figures, more):
    """Counts are summed, names beginning with `most_` keep the largest."""
    for key, value in more.items():
        figures[key] = max(figures.get(key, 0), value) if key.startswith("most_") else figures.get(key, 0) + value


def report(record):
    """The record as tables in Markdown, one for each program; cases of memory line by line."""
    for program in dict.fromkeys(line["program"] for line in record.lines):
        record.program = program
        lines = record.of_program()
        print(f"\nprogram {program[:12]}\n\n| part | cases | failed | minutes | figures |\n| --- | --- | --- | --- | --- |")
        for name in dict.fromkeys(line["part"] for line in lines):
            of = [line for line in lines if line["part"] == name]
            figures = {}
            if name != "memory":
                for line in of:
                    total(figures, line["figures"])
            failed, minutes = sum(bool(line["faults"]) for line in of), sum(line["seconds"] for line in of) / 60
            text = ", ".join(f"{key.replace('_', ' ')} {value:,}" for key, value in sorted(figures.items()))
            print(f"| {name} | {len(of)} | {failed} | {minutes:.1f} | {text} |")
        for line in lines:
            if line["part"] == "memory":
                print(f"| {line['case']} | {line['figures']} |")


def main():
    options = arguments()
    options.work.mkdir(parents=True, exist_ok=True)
    options.work = options.work.resolve()
    if options.report:
        report(Record(options.work / "record.jsonl", ""))
        return 0
    program, recheck = programs(options)
    # Not read at once: the peak memory of a child counts that of this process.
    with open(program, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    record, failed = Record(options.work / "record.jsonl", digest), 0
    for name in options.part or parts.NAMES:
        if name == "recheck":
            failed += run_recheck(options, recheck)
        else:
            failed += run_part(name, options, record, program)
    report(record)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
