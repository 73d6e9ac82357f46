#!/usr/bin/env bash
# From a C file to branch coverage, tests and a crash, the crash replayed on an ordinary build, and an HTML report.
# `make demo` builds Cairn first.
set -euo pipefail
cd "$(dirname "$0")/.."
home=$PWD

export PATH=$PWD/target/release:$PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp examples/calculator.c "$work"
cd "$work"

bold= dim= plain=
if [ -t 1 ]; then bold=$'\e[1m' dim=$'\e[2m' plain=$'\e[0m'; fi

title() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }
show() { printf '%s$ %s%s\n' "$dim" "$*" "$plain"; }
run() { show "$@"; "$@"; }
# A test's bytes on one line: ^@ is a zero, \n a new line.
printable() { cat -v "$1" | awk 'NR > 1 { printf "\\n" } { printf "%s", $0 }'; }

title "A calculator reads a line from standard input. What can 5 bytes make it do?"
code=0
run cairn run --sym-stdin 5 --time 60s calculator.c || code=$?
[ "$code" -le 1 ] || exit "$code"

title "Some of the tests, and what an ordinary build answers"
run clang-19 -g calculator.c -o calculator
for test in $(ls cairn-out/queue | tail -n 8); do
    answer=$(./calculator <"cairn-out/queue/$test") || true
    printf '    %-14s %s\n' "$(printable "cairn-out/queue/$test")" "$answer"
done

crash=$(find cairn-out/crashes -name 'id:*' | sort | head -n 1)
[ -n "$crash" ] || { echo "no crash was found" >&2; exit 1; }
title "The input that breaks it: $(printable "$crash")"
run cairn replay ./calculator "$crash" || true
show "./calculator < $crash"
code=0
{ ./calculator <"$crash"; } 2>/dev/null || code=$?
[ "$code" -gt 128 ] || { echo "the ordinary build does not crash" >&2; exit 1; }
echo "killed by SIG$(kill -l "$code")"

title "All of it as a page: coverage line by line, why the rest is not covered, findings"
page=$home/target/demo-report.html
run cairn report cairn-out --out "$page"

title "Your turn: target/release/cairn run --sym-stdin 16 yourprogram.c"
