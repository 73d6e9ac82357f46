#!/usr/bin/env bash
# Answers queries with the whole stack, with bit-blasting alone, with Z3 as the stack uses it and anew for every query,
# and with Z3, Bitwuzla and cvc5 from PyPI: same answers, mean and median per query, CPU in all, and the share of each
# layer. Usage: run.sh DIR [SECONDS-PER-QUERY]
# DIR is what dump.sh wrote: a directory per program, whose queries are answered in the order of their campaign. For the
# hard queries it is bench/queries.
source "$(dirname "$0")/../subjects/common.sh"
[ $# -ge 1 ] || die "usage: run.sh DIR [SECONDS-PER-QUERY]"
# The other solvers, in an environment of their own.
solvers=$work/solvers
if ! [ -e "$solvers/ready" ]; then
    python3 -m venv "$solvers"
    "$solvers/bin/pip" install --quiet z3-solver==5.4.0.0 bitwuzla==0.9.1 cvc5==1.4.2
    touch "$solvers/ready"
fi
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

for program in "$1"/*/; do
    [ -n "$(find "$program" -name '*.smt2' -print -quit)" ] || continue
    name=$(basename "$program")
    for how in "stack:" "sat:" "z3:" "z3:--fresh"; do
        # 1 says that some are unknown, or not as expected: the table tells.
        cairn solve --json --timeout "${2:-5}" --solver "${how%%:*}" ${how#*:} "$program" \
            >"$results/$name.${how%%:*}${how#*:}" 2>"$results/errors" || [ $? -le 1 ] || { cat "$results/errors" >&2; exit 1; }
    done
    for solver in z3 bitwuzla cvc5; do
        "$solvers/bin/python" "$here/../queries/other.py" "$solver" "${2:-5}" "$program" >"$results/$name.other-$solver"
    done
done
python3 "$here/../queries/table.py" "$results"
