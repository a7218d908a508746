#!/usr/bin/env bash
# Plants in one file: time and memory of `check` and `run`, and whether the rows are those of the same parts one by one.
#
#   benches/plant_files.sh WORK [DUPLEX]
#
# WORK: a folder to generate into and to write tables to; generated files that are there already are taken as they are.
# DUPLEX: a folder with architecture_parts/ and mep_parts/, an OBJ file for each part of a house (benches/plant_files.py).
# CLEARSWEEP: another program than that of target/release. ROUNDS: runs of each job, 3 if left out; the least counts.
# Prints tables in Markdown; ends with 1 if the rows of a file differ from those of its parts.
set -euo pipefail
mkdir -p "$1"
work=$(cd "$1" && pwd)
duplex=${2:+$(cd "$2" && pwd)}
cd "$(dirname "$0")/.."
if [ -z "${CLEARSWEEP:-}" ]; then
    cargo build --release --locked -q
fi
program=${CLEARSWEEP:-$PWD/target/release/clearsweep}
rounds=${ROUNDS:-3}
python3 benches/plant_files.py "$work/in" ${duplex:+"$duplex"}

# Its seconds, its seconds of CPU time and its peak memory in kB; fails as it fails. A new interpreter without modules starts
# it, because the memory of a process counts that of the one that started it, about 10 MB here.
timed() { # ERRORS, COMMAND...: a file for messages, and what is measured
    python3 -I -S - "$@" << 'PYTHON'
import os, sys, time
begun = time.perf_counter()
null = [(os.POSIX_SPAWN_OPEN, fd, "/dev/null", os.O_RDWR, 0) for fd in (0, 1)]
null += [(os.POSIX_SPAWN_OPEN, 2, sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)]
child = os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ, file_actions=null)
_, status, usage = os.wait4(child, 0)
seconds = time.perf_counter() - begun
if status:
    sys.exit(" ".join(sys.argv[2:]) + ": failed\n" + open(sys.argv[1]).read())
print(f"{seconds:.4f} {usage.ru_utime + usage.ru_stime:.4f} {usage.ru_maxrss}")
PYTHON
}

same() { # whether two outputs hold the same rows, byte for byte; bodies.parquet has groups, which only the file gives
    local table
    for table in distances penetrations; do
        diff -rq "$1/$table" "$2/$table" > /dev/null || return 1
    done
    for table in pairs runs; do cmp -s "$1/$table.parquet" "$2/$table.parquet" || return 1; done
}

measured=$work/measured.txt
: > "$measured"
bad=0
names=(plant-1000 plant-100000 objects-5000 ${duplex:+duplex})
for name in "${names[@]}"; do
    for round in $(seq "$rounds"); do
        for input in file parts; do # in turn
            for job in check fly clash; do
                scene=$work/in/$name/$([ $job = check ] && echo fly || echo $job)-$input.toml
                command=("$program" check "$scene")
                if [ $job != check ]; then
                    command=("$program" run "$scene" --out "$work/out/$name-$job-$input" --force --progress none)
                fi
                figures=$(timed "$work/errors.txt" "${command[@]}")
                echo "$name $input $job $figures" >> "$measured"
            done
        done
    done
    for job in fly clash; do
        verdict=yes
        same "$work/out/$name-$job-file" "$work/out/$name-$job-parts" || { verdict=NO; bad=1; }
        echo "$name $job same $verdict" >> "$measured"
    done
done

python3 - "$work" "${names[@]}" << 'PYTHON'
import json, sys
work, names = sys.argv[1], sys.argv[2:]
lines = [line.split() for line in open(f"{work}/measured.txt")]
def least(*key):
    found = [tuple(map(float, line[3:])) for line in lines if tuple(line[:3]) == key]
    return [min(column) for column in zip(*found)]
def figures(*key):
    seconds, cpu, kilobytes = least(*key)
    return f"{seconds:.2f} s, {cpu:.2f} s, {kilobytes * 1024 / 1e6:.0f} MB"
def summary(name, job, input):
    return json.load(open(f"{work}/out/{name}-{job}-{input}/manifest.json"))["summary"]
print("Least wall time, CPU time and peak memory:\n")
print("| data | bodies | given as | `check` | `run`, 200 frames | rows | static clash check | rows | same bytes |")
print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
for name in names:
    verdicts = [line[3] for line in lines if line[0] == name and line[2] == "same"]
    equal = "yes" if verdicts == ["yes", "yes"] else "NO"
    for input, words in (("file", "one file"), ("parts", "parts one by one")):
        fly, clash = (summary(name, job, input) for job in ("fly", "clash"))
        assert fly["rows"] > 0 and clash["rows"] > 0, f"{name}: there is nothing to compare"
        cells = [name, f"{clash['bodies']:,}", words, figures(name, input, "check"), figures(name, input, "fly")]
        cells += [f"{fly['rows']:,}", figures(name, input, "clash"), f"{clash['rows']:,}", equal]
        print("|", " | ".join(cells), "|")
print("\n| memory a body, 100,000 less 1,000 nodes | `check` | `run`, 200 frames | static clash check |")
print("| --- | --- | --- | --- |")
for input, words in (("file", "one file"), ("parts", "parts one by one")):
    sizes = ("plant-100000", "plant-1000")
    many, few = ([least(name, input, job)[2] for job in ("check", "fly", "clash")] for name in sizes)
    more = [a - b for a, b in zip(many, few)]
    print(f"| {words} |", " | ".join(f"{kilobytes * 1024 / 99_000:,.0f} bytes" for kilobytes in more), "|")
PYTHON
exit $bad
