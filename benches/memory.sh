#!/usr/bin/env bash
# Time and peak memory of five shapes of job at four limits of memory, one of them also with a requirement that many pairs
# violate, and whether the tables are the same at all limits.
#
#   benches/memory.sh WORK [BEFORE]
#
# WORK: a folder to generate into and to write tables to; generated files that are there already are taken as they are.
# BEFORE: a program to compare with, in turn.
# CLEARSWEEP: another program than that of target/release. ROUNDS: runs of each job, 3 if left out; the least counts.
# BODIES: of the static scene, 1,000,000 if left out. JOBS, LIMITS: a part of the jobs, of the limits.
# The base of a job is its peak at 1 MB with few pairs (`few`): the program, the scene, prepared shapes and blocks of poses.
# Prints a table in Markdown; ends with 1 if the tables of two runs differ.
set -euo pipefail
mkdir -p "$1"
work=$(cd "$1" && pwd)
before=${2:-}
cd "$(dirname "$0")/.."
if [ -z "${CLEARSWEEP:-}" ]; then
    cargo build --release --locked -q
fi
program=${CLEARSWEEP:-$PWD/target/release/clearsweep}
rounds=${ROUNDS:-3}
read -ra limits <<< "${LIMITS:-16MB 64MB 256MB 1GB}"
read -ra jobs <<< "${JOBS:-static clash dense long runs heavy}"

python3 benches/memory.py "$work" "${BODIES:-1000000}"
generate() { # a data set, unless it is there
    [ -e "$work/$1/scene.toml" ] || "$program" generate "${@:2}" --out "$work/$1" --progress none > /dev/null
}
generate dense crowd --bodies 20000 --frames 6 --density 0.6
generate long crowd --bodies 12 --frames 200000 --density 0.3
generate runs crowd --bodies 12 --frames 50 --runs 5000 --density 0.3

# Its seconds, its seconds of CPU time and its peak memory in kB; fails as it fails. A new interpreter without modules starts
# it, because the memory of a process counts that of the one that started it, about 10 MB here.
timed() { # COMMAND...
    python3 -I -S - "$@" << 'PYTHON'
import os, sys, time
begun = time.perf_counter()
null = [(os.POSIX_SPAWN_OPEN, fd, "/dev/null", os.O_RDWR, 0) for fd in (0, 1, 2)]
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=null)
_, status, usage = os.wait4(child, 0)
seconds = time.perf_counter() - begun
if os.waitstatus_to_exitcode(status) not in (0, 3):
    sys.exit(" ".join(sys.argv[1:]) + ": failed")
print(f"{seconds:.3f} {usage.ru_utime + usage.ru_stime:.3f} {usage.ru_maxrss}")
PYTHON
}

run() { # PROGRAM, JOB, LIMIT, OUT, OPTIONS...
    local program=$1 folder=$2 limit=$3 out=$4
    shift 4
    [ "$folder" != clash ] || folder=static
    timed "$program" run "$work/$folder/scene.toml" --memory "$limit" --out "$out" --force --progress none "$@"
}

digest() { # of all tables of an output
    (cd "$1" && find . -type f ! -name manifest.json | sort | xargs sha256sum | sha256sum | cut -c1-16)
}

measured=$work/measured.txt
: > "$measured"
declare -A few=([static]="--within 0" [clash]="--within 0" [dense]="--within 0" [long]="--frames 0..64" [runs]="--runs 0..1")
few[heavy]="--frames 0..64"
for job in "${jobs[@]}"; do
    options=()
    [ $job != dense ] || options=(--within 1.0)
    [ $job != clash ] || options=(--require 0.055)
    for round in $(seq "$rounds"); do
        for limit in "${limits[@]}"; do
            for who in after ${before:+before}; do
                binary=$program
                [ $who = after ] || binary=$before
                figures=$(run "$binary" "$job" "$limit" "$work/out" "${options[@]}")
                echo "$job $limit $who $figures $(digest "$work/out")" >> "$measured"
            done
        done
    done
    echo "$job - base $(run "$program" "$job" 1MB "$work/out" ${few[$job]}) -" >> "$measured"
done
rm -rf "$work/out"

python3 - "$measured" "$before" << 'PYTHON'
import sys
lines = [line.split() for line in open(sys.argv[1])]
before = bool(sys.argv[2])
def least(job, limit, who):
    found = [tuple(map(float, line[3:6])) for line in lines if line[:3] == [job, limit, who]]
    return [min(column) for column in zip(*found)]
def megabytes(kilobytes):
    return f"{kilobytes * 1024 / 1e6:.0f} MB"
print("| job | `--memory` | time, CPU time | peak | beyond the base |" + (" before: time, CPU time | peak |" if before else ""))
print("| --- | --- | --- | --- | --- |" + (" --- | --- |" if before else ""))
bad = False
for job in dict.fromkeys(line[0] for line in lines):
    base = next(float(line[5]) for line in lines if line[0] == job and line[2] == "base")
    bad |= len({line[6] for line in lines if line[0] == job and line[2] != "base"}) > 1
    for limit in dict.fromkeys(line[1] for line in lines if line[0] == job and line[2] != "base"):
        seconds, cpu, peak = least(job, limit, "after")
        cells = [job, limit, f"{seconds:.2f} s, {cpu:.2f} s", megabytes(peak), megabytes(peak - base)]
        if before:
            seconds, cpu, peak = least(job, limit, "before")
            cells += [f"{seconds:.2f} s, {cpu:.2f} s", megabytes(peak)]
        print("|", " | ".join(cells), "|")
print("\nThe tables", "DIFFER." if bad else "are the same at all limits" + (", and those before." if before else "."))
sys.exit(bad)
PYTHON
