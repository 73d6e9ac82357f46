#!/bin/sh
# Prepares a Debian machine with Rust for building Cairn: installs the missing Debian packages and fetches
# Z3 into .deps/. Prints nothing if there is nothing to do.
# With --tests also the tests' tools: csmith (random programs), AFL++ and lcov (readers of campaigns and reports), tmux (a
# terminal), groff (manual pages), a browser (HTML reports), CMake and make (projects), a JSON validator, and the sources of
# all crates, one of which ships a schema for it.
set -eu
cd "$(dirname "$0")/.."

z3_package=z3-solver==5.4.0.0
z3_sha256=0549ffad554178a59480ba41b5279cfbb27053ed5a2da269ae1a48214d5db34b
z3_library=libz3.so.5.4
z3_dir=.deps/z3/lib

wanted_for=${1:-}

say() { echo "setup: $*" >&2; }
stop() { say "$*"; exit 2; }

# The packages that Cairn needs: g++ for the C++ library that LLVM and Z3 use, libclang-rt for the sanitizers that confirm findings.
wanted_packages() {
    echo g++ libc6-dev clang-19 libclang-rt-19-dev llvm-19 llvm-19-dev lld-19
    z3_present || has_pip || echo python3-pip
    [ "$wanted_for" != --tests ] || echo csmith libcsmith-dev afl++ gnuplot-nox tmux groff-base lcov chromium cmake make python3-jsonschema
}

z3_present() { [ -e "$z3_dir/$z3_library" ] && [ -e "$z3_dir/libz3.so" ]; }
has_pip() { python3 -m pip --version >/dev/null 2>&1; }

missing_packages() {
    missing=
    for package in $(wanted_packages); do
        state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) || state=
        [ "$state" = installed ] || missing="$missing $package"
    done
    echo "${missing# }"
}

# Prints the command that gives root rights: none for root, sudo if it needs no password or there is a terminal.
root_prefix() {
    if [ "$(id -u)" = 0 ]; then
        return 0
    fi
    command -v sudo >/dev/null || return 1
    sudo -n true 2>/dev/null || [ -t 0 ] || return 1
    echo sudo
}

install_packages() {
    prefix=$(root_prefix) || stop "as root, install these packages and try again: apt-get install $missing"
    say "installing $missing"
    log=$(mktemp)
    # A package list that cannot be fetched is no error: another one may have all packages.
    $prefix apt-get update -q >"$log" 2>&1 || true
    # shellcheck disable=SC2086 # a list of words
    if ! $prefix env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends \
        -o DPkg::Lock::Timeout=300 $missing >>"$log" 2>&1 </dev/null; then
        tail -n 15 "$log" >&2
        rm -f "$log"
        stop "could not install: $missing"
    fi
    rm -f "$log"
}

fetch_z3() {
    say "fetching Z3"
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: \
        --dest "$work" "$z3_package" || stop "could not fetch $z3_package"
    set -- "$work"/*.whl
    echo "$z3_sha256  $1" | sha256sum --check --status || stop "$z3_package is not the file that was expected"
    python3 -m zipfile -e "$1" "$work/unpacked"
    mkdir -p "$z3_dir"
    # Moved into place last, so that an interrupted run is not mistaken for a complete one.
    ln -sf "$z3_library" "$z3_dir/libz3.so"
    cp "$work/unpacked/z3/lib/$z3_library" "$z3_dir/$z3_library.new"
    mv "$z3_dir/$z3_library.new" "$z3_dir/$z3_library"
}

[ "$(uname -sm)" = "Linux x86_64" ] || stop "Cairn runs on 64-bit x86 Linux only"
command -v cargo >/dev/null || stop "Rust is missing: install it with rustup, then try again"
if command -v dpkg-query >/dev/null; then
    missing=$(missing_packages)
    [ -z "$missing" ] || install_packages
else
    command -v clang-19 >/dev/null || stop "this is no Debian: install clang, lld and the development files of LLVM, all of version 19"
fi
z3_present || fetch_z3
[ "$wanted_for" != --tests ] || cargo fetch --quiet --locked || stop "could not fetch the sources of all crates"
