#!/usr/bin/env bash
# Builds programs with `cairn cc`, with clang's coverage, with AFL++, and with AFL++'s CMPLOG, each in a tree of its
# own. Usage: build.sh [PROGRAM...|all]   (KINDS="cairn plain" builds these only)
source "$(dirname "$0")/common.sh"
source "$here/recipes.sh"
export AFL_QUIET=1

compilers() {
    CFLAGS="-g -O2"
    case $1 in
    cairn) CC="cairn cc" ;;
    # Counters that are mapped to a file count what ends in a crash, too.
    plain) CC=clang-19 CFLAGS+=" -fprofile-instr-generate -fcoverage-mapping -mllvm -runtime-counter-relocation" ;;
    afl) CC=afl-clang-fast ;;
    cmplog) CC=afl-clang-fast; export AFL_LLVM_CMPLOG=1 ;;
    esac
    # Old sources: what newer compilers call errors.
    CFLAGS+=" -Wno-implicit-function-declaration -Wno-implicit-int"
}

# True if there is such a build; those of Cairn are as old as it.
present() {
    local built=$work/$2/$1/program
    [ -x "$built" ] && { [ "$2" != cairn ] || [ "$built" -nt "$root/target/release/cairn" ]; }
}

build() {
    local program=$1 kind=$2 tree="$work/$2/$1"
    rm -rf "$tree"
    mkdir -p "$tree"
    tar -xf "$work/src/$(column programs "$program" 2)"_*.orig.tar.* -C "$tree" --strip-components=1
    compilers "$kind"
    cd "$tree"
    # In the background `set -e` holds although its failure is handled.
    "$program" >build.log 2>&1 &
    wait $! || die "$program, $kind: see $tree/build.log"
    echo "$program $kind" >&2
}

for tool in clang-19 llvm-cov-19 afl-fuzz ed tclsh; do
    command -v "$tool" >/dev/null || die "needs $tool (scripts/setup.sh --tests, packages ed and tcl)"
done
for program in $(chosen "$@"); do
    for kind in ${KINDS:-cairn plain afl cmplog}; do
        present "$program" "$kind" || (build "$program" "$kind")
    done
done
