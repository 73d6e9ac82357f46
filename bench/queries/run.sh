#!/usr/bin/env bash
# Answers dumped queries with the whole stack, with Z3 as the stack uses it, and with Z3 anew for every query: same
# answers, mean and median per query, CPU in all, and the share of each layer. Usage: run.sh DIR [SECONDS-PER-QUERY]
# DIR is what dump.sh wrote: a directory per program, whose queries are answered in the order of their campaign.
source "$(dirname "$0")/../subjects/common.sh"
[ $# -ge 1 ] || die "usage: run.sh DIR [SECONDS-PER-QUERY]"
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

for program in "$1"/*/; do
    [ -n "$(find "$program" -name '*.smt2' -print -quit)" ] || continue
    name=$(basename "$program")
    for how in "stack:" "z3:" "z3:--fresh"; do
        # 1 says that some are unknown, or not as expected: the table tells.
        cairn solve --json --timeout "${2:-5}" --solver "${how%%:*}" ${how#*:} "$program" \
            >"$results/$name.${how%%:*}${how#*:}" 2>"$results/errors" || [ $? -le 1 ] || { cat "$results/errors" >&2; exit 1; }
    done
done
python3 "$here/../queries/table.py" "$results"
