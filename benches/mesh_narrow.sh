#!/usr/bin/env bash
# Triangle meshes against coal's OBBRSS, in turn: benches/mesh_narrow.sh PX_WORK PEERS [ROUNDS]
#
# PX_WORK: the work folder of the peers' harness after `setup` and `inputs`; PEERS: the harness. Two meshes of 20,480 triangles at three
# gaps (N3): cold, each query a pair of its own; coherent, each pair moving on for 20 samples, by 1 % of its size a sample; and far pairs with a
# cut-off of a tenth of the size. coal has no memory and no cut-off for meshes: it is asked the same queries. Prints the least of all
# rounds in microseconds a query. The machine should do nothing else.
set -euo pipefail
export PX_WORK=$(cd "$1" && pwd)
peers=$(cd "$2" && pwd)
rounds=${3:-3}
cd "$(dirname "$0")/.."
cargo bench --bench peers_narrow --no-run -q
python3=$PX_WORK/v/bin/python
"$python3" - "$peers/gen" "$PX_WORK/in" << 'END'
import sys
sys.path.insert(0, sys.argv[1])
import numpy as np, pxio
folder = sys.argv[2]
draw = np.random.default_rng(5)
for name in ["ico", "bumpy"]:
    for gap in ["0.01", "0.1", "1"]:
        queries = pxio.read_queries(f"{folder}/n3_{name}_{gap}.pxq")[:25]
        moved = np.repeat(queries, 20)
        for i, query in enumerate(queries):
            step, spin = draw.normal(size=3), draw.normal(size=3)
            step *= 0.02 / np.linalg.norm(step)
            spin *= 0.01 / np.linalg.norm(spin)
            for k in range(20):
                q = moved[20 * i + k]
                q["seq"] = i
                q["pb"][:3] += k * step
                w, v = np.cos(k * 0.005), spin / 0.01 * np.sin(k * 0.005)
                a, u = query["pb"][3], query["pb"][4:7]
                q["pb"][3:] = [w * a - v @ u, *(w * u + a * v + np.cross(v, u))]
        pxio.write_queries(f"{folder}/n3c_{name}_{gap}.pxq", moved)
END

cases=() coherent=() far=()
for name in ico bumpy; do
    for gap in 0.01 0.1 1; do
        cases+=("n3:n3_${name}_$gap")
        coherent+=("n3:n3c_${name}_$gap")
    done
    far+=("n3:n3_${name}_1:0.2")
done
out=$(mktemp)
trap 'rm -f "$out"' EXIT
named() { sed "s/^{/{\"who\":\"$1\",/" >> "$out"; }
for _ in $(seq "$rounds"); do
    PX_COLD=1 PX_PASSES=3 cargo bench -q --bench peers_narrow -- "${cases[@]}" | named cold
    PX_PASSES=3 cargo bench -q --bench peers_narrow -- "${coherent[@]}" | named coherent
    PX_COLD=1 PX_PASSES=3 cargo bench -q --bench peers_narrow -- "${far[@]}" | named far
    PX_REPS=1 "$peers/peers" run coal default "${cases[@]}" "${coherent[@]}" | named coal
done
"$python3" - "$out" << 'END'
import json, sys
best, missed, worst = {}, 0, 0.0
for line in open(sys.argv[1]):
    row = json.loads(line)
    key = row["who"], row["case"].split(":")[-1]
    best[key] = min(best.get(key, 1e99), row.get("ns", row.get("ns_per_query_median")) / 1e3)
    missed, worst = missed + row.get("missed", 0), max(worst, row.get("worst", 0.0))
print(f"{'us a query':12} {'coal':>8} {'cold':>8} {'ratio':>7} {'coal':>8} {'coherent':>8} {'ratio':>7} {'far':>8} {'ratio':>8}")
for name in ["ico", "bumpy"]:
    for gap in ["0.01", "0.1", "1"]:
        case = f"{name}_{gap}"
        coal, cold = best["coal", f"n3_{case}"], best["cold", f"n3_{case}"]
        moving, coherent = best["coal", f"n3c_{case}"], best["coherent", f"n3c_{case}"]
        line = f"{case:12} {coal:8.0f} {cold:8.1f} {coal / cold:7.1f} {moving:8.0f} {coherent:8.1f} {coal / coherent:7.1f}"
        far = best.get(("far", f"n3_{case}")) if gap == "1" else None
        print(line + (f" {far:8.2f} {coal / far:8.0f}" if far else ""))
print(f"brackets that miss a reference: {missed}; largest difference from a reference: {worst:.1e} m")
END
