#!/usr/bin/env bash
# Learns on each program, then compares what was learnt with the weights that ship and with strategies made by hand.
#
#     bench/learn/run.sh DIR [PROGRAM...]               DIR gets weights, journals and comparisons
#     TIME=15m JOBS=2 TRIALS=10 STRATEGIES="cfg;klee" bench/learn/run.sh DIR grep
#
# By default: sed grep gawk (fetched and built by bench/subjects), and all strategies that learning may put beside weights.
source "$(dirname "$0")/../subjects/common.sh"
to=$(results "$@")
shift
programs=("$@")
[ $# -gt 0 ] || programs=(sed grep gawk)
jobs=${JOBS:-$(nproc)}
strategies=${STRATEGIES:-"cfg;cgs;random-branch;generational;klee;cpicnt"}

for program in "${programs[@]}"; do
    rm -rf "${to:?}/$program" "${to:?}/$program-compared"
    DO=learn KEEP=$to/$program "$here/campaign.sh" "$program" --time "${TIME:-15m}" --jobs "$jobs" --timeout 500
    # Campaigns run as nobody.
    chmod -R a+rX "$to"
    DO=compare KEEP=$to/$program-compared "$here/campaign.sh" "$program" \
        --strategies "parametric:$to/$program/learnt.toml;parametric;$strategies" \
        --execs 4000 --trials "${TRIALS:-10}" --jobs "$jobs" --seed 100 --timeout 500
done
