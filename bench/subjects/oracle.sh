#!/usr/bin/env bash
# On 50 generated inputs, compares every value that depends on the input with what its expression says. Prints how
# many are wrong. Usage: oracle.sh [PROGRAM...|all]
source "$(dirname "$0")/common.sh"
summary=$(mktemp)
trap 'rm -f "$summary"' EXIT

failed=0
for program in $(chosen "$@"); do
    "$here/campaign.sh" "$program" --execs 50 --oracle >/dev/null 2>"$summary" || failed=1
    found=$(sed -n 's/^oracle: \(.*\) compared with their expressions, \(.*\) differ/\2 of \1/p' "$summary")
    # Nothing compared is nothing shown.
    [ -n "$found" ] || failed=1
    printf '%-9s | %s\n' "$program" "${found:-no value depends on the input}"
done
exit $failed
