#!/usr/bin/env bash
# What the parts of Concolic Walk are worth: coral and opti with the walk as published, less or more of one part at a time.
# Usage: bench/walk/ablation.sh [OPTIONS-OF-CAIRN-RUN...]   (RUNS, TIME, JOBS as for run.sh)
set -euo pipefail
cd "$(dirname "$0")/../.."

lines=$(mktemp)
trap 'rm -f "$lines"' EXIT

# Median over the runs of how many targets of a row were reached.
median() {
    awk -v row="$1" '$1 == row { reached[$4] += $5 } END { for (seed in reached) print reached[seed] }' "$lines" |
        sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

echo "| variant | coral, of 64 | share of the baseline | as re-implemented | opti, of 6 |"
echo "|---|---|---|---|---|"
baseline=
# Variant, its settings, and the share of coral that the re-implemented walk keeps with them.
while read -r variant settings share; do
    options=(--walk classic)
    [ "$settings" = - ] || options+=(--walk-set "$settings")
    KEEP=$lines bench/walk/run.sh coral opti -- "${options[@]}" "$@" </dev/null >/dev/null
    coral=$(median coral)
    baseline=${baseline:-$coral}
    echo "| ${variant//_/ } | $coral | $(awk "BEGIN { printf \"%.2f\", $coral / $baseline }") | $share | $(median opti) |"
done <<END
baseline -               1
no_tabu tabu=off         0.67
no_bisection bisection=off 0.78
10_steps steps=10        0.86
75_steps steps=75        1.00
300_steps steps=300      1.03
3_neighbours neighbours=3 0.98
25_neighbours neighbours=25 1.04
100_neighbours neighbours=100 -
END
