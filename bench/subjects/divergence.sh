#!/usr/bin/env bash
# 1,000 executions: prints how many did not go where they were predicted to, executions per second, and branches covered.
# Usage: divergence.sh [PROGRAM...|all]
source "$(dirname "$0")/common.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

figure() { sed -n "s/.*\"$1\":\([0-9.]*\).*/\1/p" "$scratch/figures"; }

failed=0
for program in $(chosen "$@"); do
    if "$here/campaign.sh" "$program" --execs 1000 >"$scratch/figures" 2>"$scratch/summary"; then
        awk -v name="$program" -v runs="$(figure executions)" -v diverged="$(figure divergences)" \
            -v seconds="$(figure elapsed_seconds)" -v covered="$(figure branches_covered)" \
            -v total="$(figure branches_total)" 'BEGIN {
                printf "%-9s | %d of %d (%.1f %%) | %.0f | %d of %d\n",
                    name, diverged, runs, 100 * diverged / runs, runs / seconds, covered, total }'
        grep 'did not go where predicted' "$scratch/summary" | sed "s/^/$program: /" >&2 || true
    else
        printf '%-9s | %s\n' "$program" "$(tail -1 "$scratch/summary")"
        failed=1
    fi
done
exit $failed
