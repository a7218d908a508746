#!/usr/bin/env bash
# E1, the whole job, Parquet to Parquet, against coal in Python, in turn: prints wall seconds and ratios.
#
#   benches/e1.sh PX_WORK PEERS [ROUNDS]
#
# PX_WORK: folder of the peers' harness after its `setup` and `inputs` (e1/, in/, v/); PEERS: the harness itself.
set -euo pipefail
px=$(cd "$1" && pwd)
peers=$(cd "$2" && pwd)
rounds=${3:-5}
cd "$(dirname "$0")/.."
cargo build --release --locked -q -p clearsweep -p xtask --bins
bin=$PWD/target/release
[ -e "$px/e1-scene/scene.toml" ] || "$bin/xtask" e1 "$px/e1" "$px/e1-scene"
cd "$px"

seconds() { # runs a command, prints its wall seconds
    local start end
    start=$(date +%s.%N)
    "$@" > /dev/null
    end=$(date +%s.%N)
    awk -v a="$start" -v b="$end" 'BEGIN { printf "%.3f", b - a }'
}

run() { seconds "$bin/clearsweep" run e1-scene/scene.toml --out e1-out --force --progress none "$@"; }

# The first run after twenty seconds of other work finds its files out of the page cache and, on a virtual machine, memory that
# its host has to give again: it is shown beside the median of the next three.
median() { printf '%s\n' "$@" | sort -n | sed -n 2p; }

printf '%8s %8s %8s %8s %8s %8s %8s %8s\n' round coal first ratio all ratio distance ratio
for round in $(seq "$rounds"); do
    coal=$(seconds v/bin/python "$peers/src/e1_coal.py")
    first=$(run)
    all=$(median "$(run)" "$(run)" "$(run)")
    distance=$(median "$(run --columns distance)" "$(run --columns distance)" "$(run --columns distance)")
    awk -v r="$round" -v c="$coal" -v f="$first" -v a="$all" -v d="$distance" \
        'BEGIN { printf "%8d %8.2f %8.3f %8.1f %8.3f %8.1f %8.3f %8.1f\n", r, c, f, c / f, a, c / a, d, c / d }'
done
run > /dev/null
v/bin/python "$OLDPWD/benches/e1_verify.py" e1-out "$px" | tail -20
