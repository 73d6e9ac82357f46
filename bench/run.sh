#!/usr/bin/env bash
# Measures what Cairn promises about speed; every line prints a figure and its goal.
# Ratios are medians over alternating runs on this machine, with the spread. Usage: bench/run.sh [ROUNDS]
set -euo pipefail
cd "$(dirname "$0")/.."

rounds=${1:-9}
cairn=target/release/cairn
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# One core for everything that is measured: the other one is left to the rest of the system.
pin=()
if command -v taskset >/dev/null; then pin=(taskset -c 0); fi

median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
spread() { sort -n | awk 'NR == 1 { low = $1 } { high = $1 } END { printf "%.2f..%.2f", low, high }'; }

# Other tenants of the machine only ever make things slower: the best of each side is the steadiest figure.
best_ratio() {
    awk 'NR == 1 || $1 < a { a = $1 } NR == 1 || $2 < b { b = $2 } END { printf "%.2f", b / a }' "$work/times"
}

# User CPU seconds of a command.
user_time() {
    local TIMEFORMAT=%U
    { time "${pin[@]}" "$@" >"$work/out" 2>&1; } 2>&1
}

# Ratio of instrumented to plain code on concrete work.
ratio() {
    local name=$1 goal=$2
    clang-19 -O2 "bench/programs/$name.c" -o "$work/$name.plain"
    "$cairn" cc -O2 "bench/programs/$name.c" -o "$work/$name.cairn"
    for _ in $(seq "$rounds"); do
        local plain cairned
        plain=$(user_time "$work/$name.plain"); cp "$work/out" "$work/expected"
        cairned=$(user_time "$work/$name.cairn")
        cmp -s "$work/out" "$work/expected" || { echo "bench: $name prints something else when instrumented" >&2; exit 1; }
        echo "$plain $cairned"
    done >"$work/times"
    awk '{ print $2 / $1 }' "$work/times" >"$work/ratios"
    printf '%-10s instrumented / clang -O2: %.2fx (spread %s over %d rounds; best against best %.2fx), goal <= %s\n' \
        "$name" "$(median <"$work/ratios")" "$(spread <"$work/ratios")" "$rounds" "$(best_ratio)" "$goal"
}

# Executions per second of the fork server, tracing and reading the trace included.
throughput() {
    local goal=$1 runs=3000
    "$cairn" cc -O2 bench/programs/forkserver64.c -o "$work/forkserver64"
    cargo build --release --quiet -p cairn-campaign --example throughput
    for _ in $(seq "$rounds"); do
        "${pin[@]}" target/release/examples/throughput "$work/forkserver64" 64 "$runs"
    done >"$work/lines"
    awk '{ print $1 }' "$work/lines" >"$work/rates"
    printf '%-10s %.0f executions/s on one core (spread %s over %d rounds), goal >= %s\n' \
        forkserver "$(median <"$work/rates")" "$(spread <"$work/rates")" "$rounds" "$goal"
    printf '%-10s %s\n' "" "$(sort -n "$work/lines" | awk '{ l[NR] = $0 } END { print l[int((NR + 1) / 2)] }')"
}

ratio hash 2.5x
ratio compress 2.5x
throughput 1500
