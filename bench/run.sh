#!/usr/bin/env bash
# Measures what Cairn promises about speed, and prints a table with the goals. Other tenants of the machine only ever make
# things slower, so that the best of several rounds is the steadiest figure. Usage: bench/run.sh [ROUNDS]
source "$(dirname "$0")/common.sh"

rounds=${1:-7}
execs=6000

# A row of the table: what, figure, spread, `<=` or `>=`, goal, unit.
goal() {
    awk -v figure="$2" -v is="$4" -v goal="$5" -v what="$1" -v spread="$3" -v unit="$6" 'BEGIN {
        met = is == "<=" ? figure <= goal : figure >= goal
        printf "| %s | %s %s (%s) | %s %s | %s |\n", what, figure, unit, spread, is, goal, met ? "yes" : "no"
    }' | tee -a "$work/goals" >&2
}

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
    printf '%s: instrumented / clang -O2 %.2f, best against best (median %.2f, spread %s)\n' \
        "$name" "$best_ratio" "$(median <"$work/ratios")" "$(spread <"$work/ratios")"
}

concrete() {
    local name mean
    for name in hash compress blocksort interpreter; do ratio "$name"; done
    mean=$(awk '{ sum += log($1) } END { printf "%.2f", exp(sum / NR) }' "$work/best_ratios")
    goal "concrete code, instrumented / clang -O2, geometric mean" "$mean" "$(spread <"$work/best_ratios") over programs" "<=" 2 times
}

# Executions per CPU second of a whole campaign: target, driver and solver.
campaign() {
    local strategy=$1 seconds
    for _ in $(seq "$rounds"); do
        seconds=$(cpu_time "$cairn" run --strategy "$strategy" --seed 1 --execs "$execs" --sym-stdin 143 \
            --seeds bench/inputs --out "$work/campaign" --force "$work/json")
        echo "$seconds" | awk -v n="$execs" '{ printf "%.0f\n", n / $1 }'
    done >"$work/rates"
    goal "campaign, 143 bytes of JSON, $strategy" "$(sort -n "$work/rates" | tail -n 1)" "$(spread <"$work/rates")" ">=" 2000 \
        "executions per CPU second"
}

# What one traced run of a document takes.
parse() {
    local bytes=$1 most=$2 runs=$3 file
    file=$(document "$bytes")
    for _ in $(seq "$rounds"); do
        "${pin[@]}" target/release/examples/throughput "$work/json" "$file" "$runs"
    done >"$work/lines"
    sed 's/.*, \([0-9]*\) us target.*/\1/' "$work/lines" >"$work/times"
    goal "symbolic parse of $bytes bytes of JSON, $(head -n 1 "$work/lines" | sed 's/.*decoding, //')" "$(best <"$work/times")" \
        "$(spread <"$work/times")" "<=" "$most" "us CPU of the target"
}

# Short runs: what a fork server's execution costs, tracing and reading the trace included.
short_runs() {
    "$cairn" cc -O2 bench/programs/forkserver64.c -o "$work/forkserver64"
    for _ in $(seq "$rounds"); do
        "${pin[@]}" target/release/examples/throughput "$work/forkserver64" 64 3000
    done | sed 's/ runs.*//' >"$work/rates"
    goal "short runs, 64 bytes" "$(sort -n "$work/rates" | tail -n 1)" "$(spread <"$work/rates")" ">=" 1500 "a second"
}

# Tracing a document once and asking for the other side of all its branches. The goals are a tenth of what SymSan was seen to
# take for documents of this size.
solve() {
    local kind=$1 target=$2 file=$3 most=$4
    for _ in $(seq "$rounds"); do "${pin[@]}" target/release/examples/document "$target" "$file"; done >"$work/lines"
    sed 's/ ms.*//' "$work/lines" >"$work/times"
    goal "$kind document of $(wc -c <"$file") bytes solved, $(head -n 1 "$work/lines" | sed 's/.*; //')" "$(best <"$work/times")" \
        "$(spread <"$work/times")" "<=" "$most" "ms CPU"
}

# What a second worker brings, as a median over seeds.
workers() {
    bench/workers.sh "$rounds" | while IFS=' ' read -r strategy _ _ _ _ ratio _ range; do
        goal "two workers instead of one, ${strategy%:}" "$ratio" "$(tr -d '()' <<<"$range")" ">=" 1.8 times
    done
}

build_throughput
"$cairn" cc -O2 bench/programs/json.c -o "$work/json"
concrete
campaign auto
campaign generational
parse 4096 1500 60
short_runs
solve JSON "$work/json" bench/inputs/document.json 90
xmlwf=.subjects/cairn/expat/expat/xmlwf/xmlwf
if [ -x "$xmlwf" ]; then solve XML "$xmlwf" bench/xml/document.xml 500; else echo "no xmlwf here (bench/subjects/build.sh xmlwf): XML is left out"; fi
if [ "$(nproc)" -gt 1 ]; then workers; fi
echo
bench/scale/run.sh
echo
bench/compare-tools.sh
echo
printf '| what | best (spread) | goal | met |\n|---|---|---|---|\n'
cat "$work/goals"
