#!/usr/bin/env bash
# By which route the rows of every data set are decided, by each method, and whether all write the same bytes.
#
#   benches/routes.sh WORK [DATA [PX_WORK]]
#
# WORK: a folder to generate into and to write tables to; what is there already is taken as it is. DATA: the folder with
# fetch_links/ and duplex/ (xtask/src/real_scenes.rs). PX_WORK: the peers' work folder (benches/e1.sh), for E1.
# CLEARSWEEP, TOOLS: another program, another `xtask` than those of target/release.
# Prints a table in Markdown; ends with 1 if any two tables differ or any row is uncertified.
set -euo pipefail
mkdir -p "$1"
work=$(cd "$1" && pwd)
data=${2:+$(cd "$2" && pwd)}
px=${3:+$(cd "$3" && pwd)}
cd "$(dirname "$0")/.."
if [ -z "${CLEARSWEEP:-}" ]; then
    cargo build --release --locked -q -p clearsweep -p xtask --bins
fi
program=${CLEARSWEEP:-$PWD/target/release/clearsweep}
tools=${TOOLS:-$(dirname "$program")/xtask}

generate() { # a data set, unless it is there
    [ -e "$work/$1/scene.toml" ] || "$program" generate "${@:2}" --out "$work/$1" > /dev/null
}

generate crowd crowd --bodies 200 --frames 2000 --seed 1
generate crush crowd --bodies 60 --frames 2000 --density 0.6 --seed 2
generate coherence coherence --object icosahedron --runs 3 --frames 2000 --omega 2 --seed 1
generate coherence-disk coherence --object disk --runs 3 --frames 2000 --omega 2 --seed 1
generate pipe-rack pipe-rack
generate separation separation --runs 10000
for poses in aligned headings noisy; do generate "shop-floor-$poses" shop-floor --poses "$poses" --frames 10000; done
generate box-grid box-grid
scenes=("datasets/contact/scene.toml")
names=(crowd crush coherence coherence-disk pipe-rack separation)
names+=(shop-floor-aligned shop-floor-headings shop-floor-noisy box-grid)
for name in "${names[@]}"; do scenes+=("$work/$name/scene.toml"); done
if [ -n "$data" ]; then
    [ -e "$work/real/duplex/scene.toml" ] || "$tools" real-scenes "$data" "$work/real" 2> /dev/null
    scenes+=("$work/real/fetch_links/scene.toml" "$work/real/duplex/scene.toml")
fi
if [ -n "$px" ]; then
    [ -e "$px/e1-scene/scene.toml" ] || "$tools" e1 "$px/e1" "$px/e1-scene"
    scenes+=("$px/e1-scene/scene.toml")
fi

run() { # SCENE, METHOD, OUT; 3 says that a requirement is violated: done all the same
    local code=0
    "$program" run "$1" --narrow "$2" --out "$3" --force --progress none > /dev/null 2>&1 || code=$?
    [ $code = 0 ] || [ $code = 3 ] || { echo "$1 with $2: exit code $code" >&2; return 1; }
}

same() { # whether two outputs hold the same files, byte for byte, but for their manifests
    diff <(cd "$1" && find . -type f | sort) <(cd "$2" && find . -type f | sort) > /dev/null || return 1
    (cd "$1" && find . -type f ! -name manifest.json) | while read -r file; do cmp -s "$1/$file" "$2/$file" || exit 1; done
}

line() { # NAME, METHOD, OUT, whether the tables are the same
    python3 - "$@" << 'PYTHON'
import json, sys
name, method, out, same = sys.argv[1:]
manifest = json.load(open(out + "/manifest.json"))
routes, by = manifest["routes"], manifest["counts"]["by_method"]
rows = sum(by.values())
asked = routes["queries"] + routes["skipped"]
def share(count, all):
    if count == 0:
        return "0"
    percent = 100 * count / all
    return f"{percent:.1f}" if percent >= 0.05 else "< 0.1"
classes = " / ".join(share(by[k], rows) for k in ("strict", "tie", "exact", "bound"))
ends = ("skipped", "beyond", "verified", "surface_verified", "searched", "surface_grown", "expanded", "cold")
cold = ("ties", "extended", "exact", "uncertified")
cells = [share(routes[k], asked) for k in ends] + [" / ".join(f"{routes[k]:,}" for k in cold)]
print("|", " | ".join([name, method, f"{rows:,}", classes, f"{asked:,}", *cells, same]), "|")
sys.exit(by["none"] + routes["uncertified"] > 0)
PYTHON
}

echo "| data | method | rows | strict / tie / exact / bound, % | samples | skipped | beyond | features | surface | searched | grown | expanded | cold, % | ties / extended / exact rung / uncertified | same bytes |"
echo "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
bad=0
for scene in "${scenes[@]}"; do
    name=$(basename "$(dirname "$scene")")
    for method in auto gjk vclip; do run "$scene" "$method" "$work/out/$name-$method"; done
    verdict=yes
    for method in auto vclip; do
        same "$work/out/$name-gjk" "$work/out/$name-$method" || { verdict=NO; bad=1; }
    done
    for method in auto gjk vclip; do line "$name" $method "$work/out/$name-$method" $verdict || bad=1; done
done
exit $bad
