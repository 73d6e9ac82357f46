#!/bin/sh
# Builds libcairn_models.a next to a built cairn and its runtime: models of library functions, and the markers of
# other tools. scripts/build-models.sh [DIRECTORY], by default target/release; does nothing if it is up to date.
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
    # -fno-builtin keeps calls of library functions as written; -fPIC serves programs and shared libraries alike.
    # Without records: models are no part of the user's program.
    CAIRN_CC_PLAIN=0 CAIRN_CC_RECORD=0 "$cairn" cc -O2 -std=gnu11 -Wall -Wextra -Werror -fno-builtin -fPIC -DCAIRN_INSTRUMENTED -c "$source" -o "$object" 2>"$work/messages" \
        && [ ! -s "$work/messages" ] || { cat "$work/messages" >&2; exit 1; }
done

# Models call the C library's functions as __cairn_libc_NAME. The archive has an object for each that jumps to NAME; if the
# program interposes NAME, `cairn cc` links another that looks up the library's (driver/interposition.rs). The allocator's
# functions keep their names, since a program's own replace those of the library, and so do reserved names.
"$llvm/bin/llvm-nm" --undefined-only --format=just-symbols "$work"/*.o \
    | grep -Ev '^(__.*|cairn_.*|LLVMFuzzer.*|malloc|calloc|realloc|free|stdin|stdout|stderr|re_syntax_options|optind|optarg|opterr|optopt|.*:|)$' \
    | sort -u >"$work/functions"
sed 's/.*/& __cairn_libc_&/' "$work/functions" >"$work/renamed"
for object in "$work"/*.o; do
    "$llvm/bin/llvm-objcopy" --redefine-syms="$work/renamed" "$object"
done
mkdir "$work/jumps"
while read -r name; do
    printf '.text\n.hidden __cairn_libc_%s\n.globl __cairn_libc_%s\n.type __cairn_libc_%s,@function\n__cairn_libc_%s:\njmp *%s@GOTPCREL(%%rip)\n.section .note.GNU-stack,"",@progbits\n' \
        "$name" "$name" "$name" "$name" "$name" | "$llvm/bin/llvm-mc" -triple=x86_64-linux-gnu -filetype=obj -o "$work/jumps/$name.o" -
done <"$work/functions"
"$llvm/bin/llvm-ar" rcs "$work/models.a" "$work"/*.o "$work"/jumps/*.o
# Moved into place last, so that an interrupted run leaves no partial archive.
mv "$work/models.a" "$archive"
