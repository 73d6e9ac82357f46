#!/usr/bin/env bash
# Cairn beside other tools, on the same program and document, in one run: CPU milliseconds per execution. Measured is
# what is on PATH (symcc, ko-clang of SymSan, klee, afl-clang-fast and afl-fuzz); nothing is built or fetched, and
# what is absent is said. Usage: bench/compare-tools.sh [ROUNDS]
source "$(dirname "$0")/common.sh"

rounds=${1:-5}
program=bench/programs/json.c
input=bench/inputs/document.json

has() {
    command -v "$1" >/dev/null && return 0
    printf '%-28s absent: no %s on PATH\n' "$2" "$1"
    return 1
}

# CPU milliseconds of one execution, the best of all rounds; so many are made at a time.
report() {
    local name=$1 count=$2
    shift 2
    for _ in $(seq "$rounds"); do cpu_time "$@" | awk -v n="$count" '{ printf "%.3f\n", $1 * 1000 / n }'; done >"$work/times"
    printf '%-28s %8s ms per execution (spread %s)\n' "$name" "$(best <"$work/times")" "$(spread <"$work/times")"
}

# Runs a command so many times on the document.
many() {
    local count=$1
    shift
    for _ in $(seq "$count"); do "$@" <"$input" >/dev/null 2>&1 || true; done
}
export -f many
export input

measure_cairn() {
    "$cairn" cc -O2 "$program" -o "$work/json.cairn"
    report "cairn, tracing" 500 target/release/examples/throughput "$work/json.cairn" "$input" 500
    report "cairn, campaign with solving" 3000 "$cairn" run --seed 1 --execs 3000 --sym-stdin 143 --seeds bench/inputs \
        --out "$work/out.cairn" --force "$work/json.cairn"
}

measure_symcc() {
    has symcc SymCC || return 0
    symcc -O2 "$program" -o "$work/json.symcc"
    mkdir -p "$work/out.symcc"
    SYMCC_OUTPUT_DIR="$work/out.symcc" SYMCC_ENABLE_LINEARIZATION=0 report "SymCC, one document solved" 1 bash -c "many 1 $work/json.symcc"
    SYMCC_NO_SYMBOLIC_INPUT=1 report "SymCC, concrete" 20 bash -c "many 20 $work/json.symcc"
}

measure_symsan() {
    has ko-clang SymSan || return 0
    has fgtest SymSan || return 0
    KO_CC=clang ko-clang -O2 "$program" -o "$work/json.symsan"
    mkdir -p "$work/out.symsan"
    TAINT_OPTIONS="taint_file=stdin output_dir=$work/out.symsan" report "SymSan, one document solved" 1 fgtest "$work/json.symsan" "$input"
}

measure_klee() {
    has klee KLEE || return 0
    clang-19 -O1 -Xclang -disable-O0-optnone -emit-llvm -c "$program" -o "$work/json.bc"
    report "KLEE, 10 s of paths" 1 klee --posix-runtime --libc=uclibc --max-time=10s --output-dir="$work/out.klee" "$work/json.bc" --sym-stdin 143
}

# A fuzzer solves nothing: this is what an execution costs that only collects coverage.
measure_afl() {
    has afl-clang-fast AFL++ || return 0
    afl-clang-fast -O2 "$program" -o "$work/json.afl" >/dev/null 2>&1 || { echo "AFL++: afl-clang-fast cannot compile here"; return 0; }
    local seconds execs
    seconds=$(AFL_SKIP_CPUFREQ=1 AFL_NO_AFFINITY=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_NO_UI=1 \
        cpu_time afl-fuzz -V 10 -i bench/inputs -o "$work/out.afl" -- "$work/json.afl")
    execs=$(awk '$1 == "execs_done" { print $3 }' "$work/out.afl/default/fuzzer_stats")
    awk -v s="$seconds" -v n="$execs" 'BEGIN { printf "%-28s %8.3f ms per execution, mutating instead of solving\n", "AFL++, coverage alone", s * 1000 / n }'
}

build_throughput
measure_cairn
measure_symcc
measure_symsan
measure_klee
measure_afl
