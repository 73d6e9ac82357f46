# Shared by the scripts of this folder that measure: where things are, CPU time, medians.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cairn=target/release/cairn
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# One core for everything that is measured: the other one is left to the rest of the system.
pin=()
if command -v taskset >/dev/null; then pin=(taskset -c 0); fi

median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
best() { sort -n | head -n 1; }
spread() { sort -n | awk 'NR == 1 { low = $1 } { high = $1 } END { printf "%.2f..%.2f", low, high }'; }

# CPU seconds, user and system, of a command and all that it waits for. What it prints is in $work/out.
cpu_time() {
    local TIMEFORMAT='%U %S'
    { time "${pin[@]}" "$@" >"$work/out" 2>&1; } 2>&1 | awk '{ print $1 + $2 }'
}

# A JSON document of so many bytes.
document() {
    bench/document.py "$1" >"$work/$1.json"
    echo "$work/$1.json"
}

build_throughput() {
    cargo build --release --quiet --workspace --example throughput --example document
}
