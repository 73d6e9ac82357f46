#!/usr/bin/env bash
# Random programs: what `cairn cc` makes of them must do what clang makes of them does.
#
#     bench/csmith.sh [PROGRAMS=200] [SEED=1]             checksums and exit codes, plain against instrumented
#     bench/csmith.sh --symbolic [PROGRAMS=50] [SEED=1]   some globals are input: 20 executions each, checked by the oracle
#
# Needs Debian's csmith and libcsmith-dev. Programs that a plain build does not end in time are skipped and counted.
# Failing programs are kept, and named at the end; exit code 1 if there are any.
set -euo pipefail
cd "$(dirname "$0")/.."

mode=differential
if [ "${1:-}" = --symbolic ]; then
    mode=symbolic
    shift
fi
default=200
[ "$mode" = differential ] || default=50
programs=${1:-$default}
first=${2:-1}

export CAIRN=${CAIRN:-$PWD/target/release/cairn}
export CLANG=${CLANG:-clang-19}
for tool in csmith "$CLANG" "$CAIRN"; do
    command -v "$tool" >/dev/null || { echo "csmith.sh: $tool is missing (Debian: apt install csmith libcsmith-dev)" >&2; exit 2; }
done
work=$(mktemp -d)
export WORK=$work

# Runs one program; prints `same`, `skipped` or what went wrong.
differential() {
    local dir=$WORK/$1
    mkdir "$dir"
    (cd "$dir" && csmith --seed "$1" >program.c) # it also writes files beside
    "$CLANG" -w -O1 -I/usr/include/csmith "$dir/program.c" -o "$dir/plain" || { echo "clang failed"; return; }
    local plain=0 traced=0
    timeout 2 "$dir/plain" >"$dir/expected" 2>&1 || plain=$?
    [ "$plain" != 124 ] || { echo skipped; return; }
    "$CAIRN" cc -w -O1 -I/usr/include/csmith "$dir/program.c" -o "$dir/instrumented" || { echo "cairn cc failed"; return; }
    timeout 60 "$dir/instrumented" >"$dir/found" 2>&1 || traced=$?
    if [ "$plain" = "$traced" ] && cmp -s "$dir/expected" "$dir/found"; then echo same; else echo "differs"; fi
}

# Makes the first globals of plain integer type input, and explores.
symbolic() {
    local dir=$WORK/$1
    mkdir "$dir"
    (cd "$dir" && csmith --seed "$1" >original.c)
    awk '
        /^static (volatile )?u?int(8|16|32|64)_t g_[0-9]+ = / && found < 4 {
            match($0, /g_[0-9]+/); names[found++] = substr($0, RSTART, RLENGTH)
        }
        { print }
        /^int main \(int argc/ { in_main = 1 }
        in_main && /^{/ {
            for (i = 0; i < found; i++)
                printf "    cairn_symbolic((void *)&%s, sizeof %s, \"%s\");\n", names[i], names[i], names[i]
            in_main = 0
        }' "$dir/original.c" | sed '1i #include <cairn.h>' >"$dir/program.c"
    "$CLANG" -w -O1 -Iinclude -I/usr/include/csmith "$dir/program.c" include/cairn_replay.c -o "$dir/plain" || { echo "clang failed"; return; }
    timeout 2 "$dir/plain" >/dev/null 2>&1 || { echo skipped; return; }
    "$CAIRN" cc -w -I/usr/include/csmith "$dir/program.c" -o "$dir/instrumented" || { echo "cairn cc failed"; return; }
    local code=0
    timeout 120 "$CAIRN" run --oracle --quiet --execs 20 --timeout 5000 --time 60s --out "$dir/out" "$dir/instrumented" \
        >"$dir/said" 2>&1 || code=$?
    if [ "$code" -le 1 ] && grep -q ', 0 differ$' "$dir/said"; then echo same
    elif [ "$code" -le 1 ] && ! grep -q '^oracle: ' "$dir/said"; then echo skipped
    else echo "oracle or campaign failed"; fi
}

one() {
    local answer
    answer=$("$1" "$2")
    echo "$2 $answer"
    case $answer in same | skipped) rm -rf "${WORK:?}/$2" ;; esac
}
export -f one differential symbolic

seq "$first" $((first + programs - 1)) | xargs -P 2 -I{} bash -c "one $mode {}" >"$work/answers"
count() { grep -c " $1\$" "$work/answers" || true; }
same=$(count same) skipped=$(count skipped)
failed=$((programs - same - skipped))
echo "csmith, $mode: $programs programs from seed $first: $same as they should be, $skipped skipped, $failed failed"
if [ "$failed" -gt 0 ]; then
    grep -v -e ' same$' -e ' skipped$' "$work/answers"
    echo "kept in $work"
    exit 1
fi
rm -rf "$work"
