#!/bin/sh
# Removes Rust's arithmetic routines from libcairn_runtime.a: scripts/trim-runtime.sh [DIRECTORY], by default
# target/release. Among them are fmod and floor. With these in the archive, a program that forgets -lm would link, and a
# configure script that tests which library has fmod would find that none is needed. The few routines that the runtime
# itself needs are in libgcc, which every program is linked with. Nothing in it unwinds: the personality symbol that Rust's
# core library references would make every program load one more library.
# Functions that compilers call implicitly become the runtime's own (crates/runtime/src/mem.rs): a program may define
# a memcpy of its own. Only the wrappers of these functions call the C library's.
set -eu
cd "$(dirname "$0")/.."

archive=${1:-target/release}/libcairn_runtime.a
llvm=${LLVM_SYS_191_PREFIX:-/usr/lib/llvm-19}

routines=$("$llvm/bin/llvm-ar" t "$archive" | grep '^compiler_builtins' || true)
[ -n "$routines" ] || exit 0
trimmed=$(mktemp "$archive.XXXXXX")
trap 'rm -f "$trimmed"' EXIT
cp "$archive" "$trimmed"
# shellcheck disable=SC2086 # one word for each member
"$llvm/bin/llvm-ar" d "$trimmed" $routines
"$llvm/bin/llvm-objcopy" --redefine-sym _Unwind_Resume=rust_eh_personality \
    --redefine-sym memcpy=__cairn_memcpy --redefine-sym memmove=__cairn_memmove --redefine-sym memset=__cairn_memset \
    --redefine-sym memcmp=__cairn_memcmp --redefine-sym bcmp=__cairn_memcmp --redefine-sym strlen=__cairn_strlen \
    --redefine-sym __cairn_libc_memcpy=memcpy --redefine-sym __cairn_libc_memmove=memmove \
    --redefine-sym __cairn_libc_memset=memset "$trimmed"
# Moved into place, so that an interrupted run leaves no partial archive.
mv "$trimmed" "$archive"
