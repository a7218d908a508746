#!/usr/bin/env bash
# Triangle meshes against coal's OBBRSS, in turn: benches/mesh_narrow.sh PX_WORK PEERS [ROUNDS]
#
# PX_WORK: the work folder of the peers' harness after `setup` and `inputs`; PEERS: the harness. Two meshes of 20,480 triangles at three
# gaps (N3): cold, each query a pair of its own; coherent, each pair sliding past at its gap for 20 samples, by 1 % of its size a sample; into,
# each pair going on in a random direction, so that at small gaps about half of them run into each other (coal only says that they
# overlap); and far pairs with a cut-off of a tenth of the size. coal has no memory and no cut-off for meshes: it is asked the same
# queries. BENCH_ARGUMENTS: more arguments for cargo, such as --no-default-features. Prints the least of all rounds in microseconds a query. The machine should do nothing else.
set -euo pipefail
export PX_WORK=$(cd "$1" && pwd)
peers=$(cd "$2" && pwd)
rounds=${3:-3}
cd "$(dirname "$0")/.."
read -ra arguments <<< "${BENCH_ARGUMENTS:-}"
ours() { cargo bench -q "${arguments[@]}" --bench peers_narrow "$@"; }
ours --no-run
python3=$PX_WORK/v/bin/python
"$python3" benches/mesh_motions.py "$peers" "$PX_WORK"

cases=() coherent=() into=() far=()
for name in ico bumpy; do
    for gap in 0.01 0.1 1; do
        cases+=("n3:n3_${name}_$gap")
        coherent+=("n3:n3s_${name}_$gap")
        into+=("n3:n3c_${name}_$gap")
    done
    far+=("n3:n3_${name}_1:0.2")
done
out=$(mktemp)
trap 'rm -f "$out"' EXIT
named() { sed "s/^{/{\"who\":\"$1\",/" >> "$out"; }
for _ in $(seq "$rounds"); do
    PX_COLD=1 PX_PASSES=3 ours -- "${cases[@]}" | named cold
    PX_PASSES=3 ours -- "${coherent[@]}" | named coherent
    PX_PASSES=1 ours -- "${into[@]}" | named into
    PX_COLD=1 PX_PASSES=3 ours -- "${far[@]}" | named far
    PX_REPS=1 "$peers/peers" run coal default "${cases[@]}" "${coherent[@]}" "${into[@]}" | named coal
done
"$python3" - "$out" << 'END'
import json, sys
best, missed, worst = {}, 0, 0.0
for line in open(sys.argv[1]):
    row = json.loads(line)
    key = row["who"], row["case"].split(":")[-1]
    best[key] = min(best.get(key, 1e99), row.get("ns", row.get("ns_per_query_median")) / 1e3)
    missed, worst = missed + row.get("missed", 0), max(worst, row.get("worst", 0.0))
columns = ["cold", "coherent", "into", "far"]
print(f"{'us a query':13}" + "".join(f"{'coal':>8} {name:>9} {'ratio':>7}" for name in columns))
for name in ["ico", "bumpy"]:
    for gap in ["0.01", "0.1", "1"]:
        line = f"{name + '_' + gap:13}"
        for who, case in zip(columns, ["n3", "n3s", "n3c", "n3"]):
            peer, ours = best["coal", f"{case}_{name}_{gap}"], best.get((who, f"{case}_{name}_{gap}"))
            line += f"{peer:8.0f} {ours:9.1f} {peer / ours:7.1f}" if ours else ""
        print(line)
print(f"brackets that miss a reference: {missed}; largest difference from a reference: {worst:.1e} m")
END
