#!/usr/bin/env bash
# The corpus of Concolic Walk: what is covered of what can be, in 7 runs with seeds of their own.
#
#     bench/walk/run.sh [ROW...] [-- OPTIONS-OF-CAIRN-RUN...]
#     RUNS=3 TIME=10s JOBS=2 bench/walk/run.sh coral opti -- --walk classic --walk-set tabu=off
#
# A target counts if a plain build reaches it on one of the generated tests. TIME is for each target, or for a program
# whose branches are counted. KEEP=FILE keeps one line per campaign.
set -euo pipefail
cd "$(dirname "$0")/../.."

export CAIRN=${CAIRN:-$PWD/target/release/cairn}
CLANG=${CLANG:-clang-19}
runs=${RUNS:-7}
export TIME=${TIME:-10s}
corpus=bench/walk/corpus
WORK=$(mktemp -d)
export WORK
trap 'rm -rf "$WORK"' EXIT

rows=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
    rows+=("$1")
    shift
done
[ $# -eq 0 ] || shift
printf '%s\n' "$@" >"$WORK/options"
[ ${#rows[@]} -gt 0 ] || mapfile -t rows < <(awk '!/^#/ { print $1 }' "$corpus")

column() { awk -v row="$1" -v column="$2" '$1 == row { print $column }' "$corpus"; }

# 1-3,5 as 1 2 3 5.
numbers() {
    local range
    for range in ${1//,/ }; do seq "${range%-*}" "${range#*-}"; done
}

build() {
    "$CAIRN" cc -O1 "bench/walk/$1.c" -lm -o "$WORK/$1"
    "$CLANG" -O1 -Iinclude "bench/walk/$1.c" include/cairn_replay.c -lm -o "$WORK/$1.plain"
}

# Whether a plain build reaches the target on one of the tests of a campaign.
reached() {
    local test code
    for test in "$3"/queue/*; do
        code=0
        CAIRN_TEST=$test "$WORK/$1.plain" "$2" >/dev/null || code=$?
        [ "$code" != 10 ] || { echo 1; return; }
    done
    echo 0
}

# One campaign; prints: row program target seed covered total exhausted unknown seconds
campaign() {
    local row=$1 program=$2 target=$3 seed=$4 arguments=() out code=0 covered total options
    out=$(mktemp -d "$WORK/campaign.XXXXXX")
    mapfile -t options <"$WORK/options"
    [ -n "${options[0]}" ] || options=()
    [ "$target" = branches ] || arguments=("$target")
    "$CAIRN" run --json --quiet --force --time "$TIME" --seed "$seed" --out "$out" "${options[@]}" \
        "$WORK/$program" -- "${arguments[@]}" >"$out.json" 2>"$out.said" || code=$?
    # 1 says that crashes were found: dart's are meant.
    [ "$code" -le 1 ] || { cat "$out.said" >&2; return 1; }
    field() { grep -o "\"$1\":[^,}]*" "$out.json" | sed 's/.*://;q'; }
    if [ "$target" = branches ]; then
        covered=$(field branches_covered) total=$(field branches_total)
    else
        covered=$(reached "$program" "$target" "$out") total=1
    fi
    echo "$row $program $target $seed $covered $total $(field exhausted) $(field unknown) $(field elapsed_seconds)"
    rm -rf "$out" "$out.json" "$out.said"
}
export -f campaign reached

for row in "${rows[@]}"; do
    program=$(column "$row" 2)
    [ -n "$program" ] || { echo "walk: $corpus has no row $row" >&2; exit 2; }
    [ -e "$WORK/$program" ] || build "$program"
    targets=$(column "$row" 3)
    [ "$targets" = branches ] || targets=$(numbers "$targets")
    for seed in $(seq "$runs"); do
        for target in $targets; do echo "$row $program $target $seed"; done
    done
done | xargs -P "${JOBS:-1}" -I{} bash -euo pipefail -c 'campaign {}' >"$WORK/lines"
[ -z "${KEEP:-}" ] || cp "$WORK/lines" "$KEEP"

awk -f bench/walk/table.awk "$corpus" "$WORK/lines"
