#!/usr/bin/env bash
# All strategies side by side on the examples and on real programs (fetched and built by bench/subjects): a table for each
# program, and for all together how far each strategy is behind the best.
#
#     bench/strategies/run.sh DIR [PROGRAM...]          DIR gets trials.csv and curves.csv of each program
#     EXECS=4000 TRIALS=3 STRATEGIES="cgs;cfg" bench/strategies/run.sh DIR examples/roman sed
#
# By default: examples grep sed gawk xmlwf tree ptx.
source "$(dirname "$0")/../subjects/common.sh"
to=$(results "$@")
shift
programs=("$@")
[ $# -gt 0 ] || programs=(examples grep sed gawk xmlwf tree ptx)
strategies=${STRATEGIES:-auto;cgs;cgs,nodom;cgs,fixed;cfg;generational;carfast;random-branch;uniform-random;dfs;bfs;klee;random-path;random-state;covnew;md2u;depth;icnt;cpicnt;qc;random-input}
options=(--strategies "$strategies" --execs "${EXECS:-4000}" --trials "${TRIALS:-3}" --timeout "${TIMEOUT:-200}" --time "${TIME:-120s}" --quiet)

compare_example() {
    local name=$1 source=$root/$1.c symbolic arguments=()
    mapfile -t symbolic < <("$root/bench/symbolic.sh" "$source")
    [[ ${symbolic[*]} != *--sym-file* ]] || arguments=(-- @@)
    mkdir -p "$to/$name"
    cairn compare "${options[@]}" ${symbolic[*]} --csv "$to/$name/trials.csv" --curves "$to/$name/curves.csv" "$source" "${arguments[@]}"
}

for program in "${programs[@]}"; do
    names=$program
    [ "$program" != examples ] || names=$(cd "$root" && ls examples/*.c | sed 's/[.]c$//')
    for name in $names; do
        echo "== $name"
        if [[ $name == examples/* ]]; then
            compare_example "$name"
        else
            rm -rf "${to:?}/$name"
            DO=compare KEEP=$to/$name "$here/campaign.sh" "$name" "${options[@]}"
        fi
    done
done
python3 "$root/bench/strategies/table.py" "$to"
