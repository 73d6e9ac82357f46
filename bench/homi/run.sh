#!/usr/bin/env bash
# What pruning does for the best plain frontier strategy of each program (fetched and built by bench/subjects): branches,
# states and memory, with and without it, at equal time.
#
#     bench/homi/run.sh DIR [PROGRAM...]                DIR gets the campaigns
#     TIME=10m TRIALS=3 BASE=cpicnt bench/homi/run.sh DIR grep sed
#
# By default: grep sed gawk ptx pr dd ginstall vdir trueprint. Which strategy is best is found by short campaigns, unless
# BASE names one.
source "$(dirname "$0")/../subjects/common.sh"
to=$(results "$@")
shift
programs=("$@")
[ $# -gt 0 ] || programs=(grep sed gawk ptx pr dd ginstall vdir trueprint)
frontier="random-state;random-path;klee;covnew;md2u;depth;icnt;cpicnt;qc"

# The strategy that covers most in short campaigns.
best() {
    DO=compare KEEP=$to/$1/plain "$here/campaign.sh" "$1" --strategies "$frontier" --time "${FIND_TIME:-60s}" --trials 2 --quiet >&2
    python3 "$root/bench/homi/table.py" best "$to/$1/plain/trials.csv"
}

for program in "${programs[@]}"; do
    rm -rf "${to:?}/$program"
    mkdir -p "$to/$program"
    base=${BASE:-$(best "$program")}
    for strategy in "$base" "homi:$base" "randomprune:$base"; do
        for seed in $(seq "${TRIALS:-3}"); do
            kept=$to/$program/$strategy-$seed
            KEEP=$kept python3 "$root/bench/homi/table.py" run "$kept" \
                "$here/campaign.sh" "$program" --strategy "$strategy" --time "${TIME:-10m}" --seed "$seed" --quiet
        done
    done
done
python3 "$root/bench/homi/table.py" table "$to"
