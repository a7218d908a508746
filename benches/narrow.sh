#!/usr/bin/env bash
# Single queries, ours and the peers' in turn: benches/narrow.sh PX_WORK PEERS [ROUNDS]
#
# PX_WORK: the work folder of the peers' harness after `setup` and `inputs`; PEERS: the harness. Prints, for each case, the
# least of all rounds in nanoseconds a query: ours by each method, the best peer at f64 accuracy, MuJoCo (accurate to 1e-7).
# A round takes about two minutes; the machine should do nothing else.
set -euo pipefail
export PX_WORK=$(cd "$1" && pwd)
peers=$(cd "$2" && pwd)
rounds=${3:-3}
cd "$(dirname "$0")/.."
cargo bench --bench peers_narrow --no-run -q
ours() { cargo bench -q --bench peers_narrow -- "$@"; }

n1=() n2=()
for shape in cube icosa disk sphere642; do for omega in 0.1 1 25; do n1+=("n1:n1_${shape}_$omega"); done; done
for kind in sep touch over; do for k in 8 32 128 512; do n2+=("n2_$k:n2_${k}_$kind"); done; done

out=$(mktemp)
trap 'rm -f "$out"' EXIT
named() { sed "s/^{/{\"who\":\"$1\",/" >> "$out"; }
for _ in $(seq "$rounds"); do
    for method in auto gjk vclip; do
        PX_NARROW=$method ours "${n1[@]}" | named "$method"
        PX_NARROW=$method PX_COLD=1 ours "${n2[@]}" | named "$method"
    done
    "$peers/peers" run coal default "${n1[@]}" "${n2[@]}" | named coal
    "$peers/peers" run coal warm,bvguess "${n1[@]}" | named coal
    "$peers/peers" run parry f64-contact,f64-cold "${n1[@]}" "${n2[@]}" | named parry3d-f64
    "$peers/peers" run parry f64-warm "${n1[@]}" | named parry3d-f64
    "$peers/peers" run mujoco default "${n1[@]}" "${n2[@]}" | named MuJoCo
done
python3 - "$out" << 'END'
import json, sys
best, missed = {}, 0
for line in open(sys.argv[1]):
    row = json.loads(line)
    case, ns = row["case"].split(":")[-1], row.get("ns", row.get("ns_per_query_median"))
    key = case, row["who"]
    best[key] = min(best.get(key, 1e99), ns)
    missed += row.get("missed", 0)
print(f"{'case':16} {'auto':>7} {'gjk':>7} {'vclip':>7} {'best f64 peer':>20} {'ratio':>6} {'MuJoCo':>7} {'ratio':>6}")
for case in dict.fromkeys(case for case, _ in best):
    auto, gjk, vclip = (best[case, who] for who in ("auto", "gjk", "vclip"))
    peer, who = min((best[case, who], who) for who in ("coal", "parry3d-f64") if (case, who) in best)
    line = f"{case:16} {auto:7.0f} {gjk:7.0f} {vclip:7.0f} {peer:7.0f} {who:>12} {peer / auto:6.2f}"
    print(line, f"{best[case, 'MuJoCo']:7.0f} {best[case, 'MuJoCo'] / auto:6.2f}" if (case, "MuJoCo") in best else "")
print(f"brackets that miss a reference: {missed}")
END
