#!/bin/sh
# Builds libcairn_models.a beside a built cairn and its runtime: models of library functions, and what stands for
# the markers of other tools. scripts/build-models.sh [DIRECTORY], by default target/release; does nothing when it is
# up to date.
set -eu
cd "$(dirname "$0")/.."

directory=${1:-target/release}
cairn=$directory/cairn
archive=$directory/libcairn_models.a
llvm=${LLVM_SYS_191_PREFIX:-/usr/lib/llvm-19}

if [ -e "$archive" ] && [ -z "$(find libc include "$cairn" scripts/build-models.sh -newer "$archive")" ]; then
    exit 0
fi
work=$(mktemp -d "$directory/models.XXXXXX")
trap 'rm -rf "$work"' EXIT
for source in libc/*.c include/cairn_markers.c include/cairn_fuzzer.c; do
    object=$work/$(basename "$source" .c).o
    # Functions of the library are to be called as written, from programs and shared libraries alike.
    CAIRN_CC_PLAIN=0 "$cairn" cc -O2 -std=gnu11 -Wall -Wextra -Werror -fno-builtin -fPIC -DCAIRN_INSTRUMENTED -c "$source" -o "$object"
done
"$llvm/bin/llvm-ar" rcs "$work/models.a" "$work"/*.o
# Moved into place last, so that an interrupted run leaves no half of it.
mv "$work/models.a" "$archive"
