#!/usr/bin/env bash
# Measures what Cairn promises about speed; every line prints a figure and its goal. Other tenants of the machine only
# ever make things slower, so that the best of several rounds is the steadiest figure. Usage: bench/run.sh [ROUNDS]
source "$(dirname "$0")/common.sh"

rounds=${1:-7}
execs=6000

# Ratio of instrumented to plain code on concrete work; the rounds of both alternate.
ratio() {
    local name=$1
    clang-19 -O2 "bench/programs/$name.c" -o "$work/$name.plain"
    "$cairn" cc -O2 "bench/programs/$name.c" -o "$work/$name.cairn"
    for _ in $(seq "$rounds"); do
        local plain cairned
        plain=$(cpu_time "$work/$name.plain"); cp "$work/out" "$work/expected"
        cairned=$(cpu_time "$work/$name.cairn")
        cmp -s "$work/out" "$work/expected" || { echo "bench: $name prints something else when instrumented" >&2; exit 1; }
        echo "$plain $cairned"
    done >"$work/times"
    awk '{ print $2 / $1 }' "$work/times" >"$work/ratios"
    local best_ratio
    best_ratio=$(awk 'NR == 1 || $1 < a { a = $1 } NR == 1 || $2 < b { b = $2 } END { printf "%.3f", b / a }' "$work/times")
    echo "$best_ratio" >>"$work/best_ratios"
    printf '%-12s instrumented / clang -O2: %.2fx best against best (median %.2fx, spread %s)\n' \
        "$name" "$best_ratio" "$(median <"$work/ratios")" "$(spread <"$work/ratios")"
}

concrete() {
    local name
    for name in hash compress blocksort interpreter; do ratio "$name"; done
    awk '{ sum += log($1) } END { printf "%-12s geometric mean %.2fx, goal <= 2x\n", "concrete", exp(sum / NR) }' "$work/best_ratios"
}

# Executions per CPU second of a whole campaign: target, driver and solver.
campaign() {
    local strategy=$1 seconds
    "$cairn" cc -O2 bench/programs/json.c -o "$work/json"
    for _ in $(seq "$rounds"); do
        seconds=$(cpu_time "$cairn" run --strategy "$strategy" --seed 1 --execs "$execs" --sym-stdin 143 \
            --seeds bench/inputs --out "$work/campaign" --force "$work/json")
        echo "$seconds" | awk -v n="$execs" '{ print n / $1 }'
    done >"$work/rates"
    printf '%-12s %.0f executions per CPU second, 143 bytes of JSON, %s (best; spread %s), goal >= 2000\n' \
        campaign "$(sort -n "$work/rates" | tail -n 1)" "$strategy" "$(spread <"$work/rates")"
}

# What one traced run of a document takes.
parse() {
    local bytes=$1 goal=$2 runs=$3 file
    file=$(document "$bytes")
    for _ in $(seq "$rounds"); do
        "${pin[@]}" target/release/examples/throughput "$work/json" "$file" "$runs"
    done >"$work/lines"
    sed 's/.*, \([0-9]*\) us target.*/\1/' "$work/lines" >"$work/times"
    printf '%-12s %d us CPU of the target to parse %d bytes (best; spread %s), goal %s; %s\n' parse "$(best <"$work/times")" \
        "$bytes" "$(spread <"$work/times")" "$goal" "$(head -n 1 "$work/lines" | sed 's/.*decoding, //')"
}

# Short runs: what a fork server's execution costs, tracing and reading the trace included.
short_runs() {
    "$cairn" cc -O2 bench/programs/forkserver64.c -o "$work/forkserver64"
    for _ in $(seq "$rounds"); do
        "${pin[@]}" target/release/examples/throughput "$work/forkserver64" 64 3000
    done >"$work/lines"
    printf '%-12s %s (best of %d), goal >= 1500 runs/s\n' "short runs" "$(sort -n "$work/lines" | tail -n 1)" "$rounds"
}

build_throughput
concrete
campaign auto
campaign generational
parse 4096 "<= 1500 us" 60
short_runs
