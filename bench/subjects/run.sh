#!/usr/bin/env bash
# Fetches, builds and checks the programs, and prints one table. Usage: run.sh [PROGRAM...|all]
source "$(dirname "$0")/common.sh"
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

failed=0
"$here/fetch.sh" >/dev/null
"$here/build.sh" "$@" >&2
for check in smoke oracle divergence; do
    "$here/$check.sh" "$@" >"$results/$check" || failed=1
done

# What a check says of a program.
told() { sed -n "s/^$2 *| //p" "$results/$1"; }

echo "| program | make, CPU s: clang, cairn cc | command lines that agree | wrong values, 50 inputs | diverged | executions/s | branches covered |"
echo "|---|---|---|---|---|---|---|"
for program in $(chosen "$@"); do
    package=$(column programs "$program" 2)
    echo "| $program | $(cat "$work/plain/$package.seconds"), $(cat "$work/cairn/$package.seconds") |" \
        "$(told smoke "$program") | $(told oracle "$program") | $(told divergence "$program") |"
done
exit $failed
