#!/usr/bin/env bash
# Single queries of parallel faces, ours and the peers' in turn: benches/parallel.sh PX_WORK PEERS [ROUNDS]
#
# PX_WORK: the work folder of the peers' harness after its `setup`; PEERS: the harness. Inputs (benches/parallel_inputs.py)
# and references are made where they are missing: remove in/par* there after a change of the script. Prints, for each case, the
# least of all rounds in nanoseconds a query: ours by each method, the best peer at f64 accuracy, MuJoCo, and the ratios of
# these two to our first method. A peer whose answers are off by more than 1e-5 m somewhere does not count, and is named below
# the table.
# A round asks 470,000 queries ten times by each of our methods: two minutes where a query takes some microseconds, far more
# where it takes a millisecond. The machine should do nothing else. METHODS: ours, instead of all; PX_PASSES, PX_REPS: passes of
# ours, of the peers.
set -euo pipefail
export PX_WORK=$(cd "$1" && pwd)
peers=$(cd "$2" && pwd)
rounds=${3:-3}
methods=${METHODS:-auto gjk vclip}
cd "$(dirname "$0")/.."
cargo bench --bench peers_narrow --no-run -q
ours() { cargo bench -q --bench peers_narrow -- "$@"; }

names=(par_{box,cuboid,prism}_{touch,apart,over} par_pipe_{touch,apart} par_{floor,cuboid}_{aligned,headings,noisy})
cases=("${names[@]/#/par:}")

for poses in aligned headings noisy; do
    [ -e "$PX_WORK/par-floor/$poses/scene.toml" ] ||
        cargo run --release --locked -q -- generate shop-floor --poses $poses --frames 4000 --out "$PX_WORK/par-floor/$poses" > /dev/null
done
for name in "${names[@]}"; do
    [ -e "$PX_WORK/in/$name.pxq" ] && [ -e "$PX_WORK/in/par.pxs" ] && continue
    rm -f "$PX_WORK"/in/par*
    "$PX_WORK/v/bin/python" benches/parallel_inputs.py "$peers" "$PX_WORK/par-floor"
    break
done
for name in "${names[@]}"; do # of every 31st query; those that touch to the last bit stay undecided, and have none
    in=$PX_WORK/in/$name
    [ -e "$in.ref" ] || "$PX_WORK/bin/gen_ref" signed "$PX_WORK/in/par.pxs" "$in.pxq" "$in.ref" 31 > /dev/null
done

out=$(mktemp)
trap 'rm -f "$out"' EXIT
named() { sed "s/^{/{\"who\":\"$1\",/" >> "$out"; }
for _ in $(seq "$rounds"); do
    for method in $methods; do
        PX_NARROW=$method ours "${cases[@]}" | named "$method"
    done
    "$peers/peers" run coal default,warm,bvguess "${cases[@]}" | named coal
    "$peers/peers" run parry f64-contact,f64-cold,f64-warm "${cases[@]}" | named parry3d-f64
    "$peers/peers" run bullet64 gjkepa "${cases[@]}" | named bullet64
    "$peers/peers" run mujoco default "${cases[@]}" | named MuJoCo
done
"$PX_WORK/v/bin/python" - "$out" "$PX_WORK" $methods << 'END'
import json, os, sys
import numpy as np

def error(row, case):
    """The largest error of a peer's answers; infinite where there is none."""
    place = os.path.join(sys.argv[2], "{}", "{}")
    file = f"{row['peer']}@{row['variant']}@{case}.bin"
    found = np.fromfile(place.format("out", file), "<f8", offset=8).reshape(-1, 7)[:, 0]
    truth = np.fromfile(place.format("in", case + ".ref"), "<f8", offset=8)
    known = ~np.isnan(truth)
    return np.inf if np.isnan(found).any() else float(np.abs(found - truth)[known].max(initial=0))

methods = sys.argv[3:]
best, wrong, missed, errors = {}, {}, 0, {}
for line in open(sys.argv[1]):
    row = json.loads(line)
    case, who = row["case"].split(":")[-1], row["who"]
    if "peer" in row:
        key = case, row["peer"], row["variant"]
        if key not in errors:
            errors[key] = error(row, case)
        if errors[key] > 1e-5:
            wrong[key] = errors[key]
            continue
    ns = row.get("ns", row.get("ns_per_query_median"))
    best[case, who] = min(best.get((case, who), 1e99), ns)
    missed += row.get("missed", 0)
print(f"{'case':20}", *(f"{method:>7}" for method in methods), f"{'best f64 peer':>20} {'ratio':>6} {'MuJoCo':>7} {'ratio':>6}")
for case in dict.fromkeys(case for case, _ in best):
    ours = [best[case, method] for method in methods]
    line = " ".join([f"{case:20}", *(f"{ns:7.0f}" for ns in ours)])
    right = [(best[case, who], who) for who in ("coal", "parry3d-f64", "bullet64") if (case, who) in best]
    peer, who = min(right, default=(float("nan"), "none"))
    line += f" {peer:7.0f} {who:>12} {peer / ours[0]:6.3g}"
    print(line, f"{best[case, 'MuJoCo']:7.0f} {best[case, 'MuJoCo'] / ours[0]:6.3g}" if (case, "MuJoCo") in best else "")
print(f"brackets that miss a reference: {missed}")
for (case, peer, variant), off in wrong.items():
    print(f"not counted: {peer} ({variant}) in {case}, off by {off:.0e} m" if off < np.inf else
          f"not counted: {peer} ({variant}) in {case}, without an answer somewhere")
END
