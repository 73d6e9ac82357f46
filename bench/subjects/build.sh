#!/usr/bin/env bash
# Builds packages with clang and with `cairn cc`, each in a tree of its own. Usage: build.sh [PROGRAM...|all]
source "$(dirname "$0")/common.sh"

# Nothing of the build system itself is rebuilt.
make=(make AUTOMAKE=: ACLOCAL=: AUTOCONF=: AUTOHEADER=: MAKEINFO=true)

compiler() { if [ "$1" = plain ]; then echo clang-19; else echo "cairn cc"; fi; }

unpack() {
    mkdir -p "$2"
    tar -xf "$work/src/$1"_*.orig.tar.* -C "$2" --strip-components=1
}

# In the source directory: configures as a user would.
configure() {
    local package=$1 kind=$2 options
    [ -x configure ] || [ -x buildconf.sh ] || return 0
    # A checkout, not a release: needs autoconf, automake and libtool.
    [ -x configure ] || ./buildconf.sh || return
    read -ra options <<<"$(column packages "$package" 4)"
    FORCE_UNSAFE_CONFIGURE=1 CC=$(compiler "$kind") CFLAGS="-g -O2 $(column packages "$package" 5)" \
        ./configure --disable-nls --disable-dependency-tracking --disable-rpath "${options[@]}"
}

# In the source directory: all steps of make.
make_all() {
    local package=$1 kind=$2 step steps
    IFS=';' read -ra steps <<<"$(column packages "$package" 6)"
    # Generated headers that a single target does not depend on.
    printf 'include Makefile\nbuilt: $(BUILT_SOURCES)\n' >built.mk
    for step in "${steps[@]}"; do
        read -ra step <<<"${step/BUILT_SOURCES/-f built.mk built}"
        "${make[@]}" CC="$(compiler "$kind")" "${step[@]}" || return
    done
}

# CPU seconds of a command, whose output goes to a log.
cpu_seconds() {
    local log=$1 TIMEFORMAT='%U %S'
    shift
    { time "$@" >"$log" 2>&1; } 2>&1 | awk '{ printf "%.0f", $1 + $2 }'
}

build() {
    local package=$1 kind=$2 tree="$work/$2/$1" configuring=0 making
    [ -d "$tree" ] || unpack "$package" "$tree"
    cd "$tree/$(column packages "$package" 3)"
    if [ ! -e configured ]; then
        configuring=$(cpu_seconds configure.log configure "$package" "$kind") || die "see $PWD/configure.log"
        touch configured
    fi
    "${make[@]}" clean >/dev/null 2>&1 || true
    making=$(cpu_seconds make.log make_all "$package" "$kind") || die "see $PWD/make.log"
    echo "$making" >"$tree.seconds"
    printf '%-10s %-5s configure %4d s, make %4d s\n' "$package" "$kind" "$configuring" "$making"
}

# What configure found out must not depend on the compiler.
compare_configuration() {
    local file
    while read -r file; do
        diff "$work/plain/$file" "$work/cairn/$file" || die "configure took cairn cc for something else than clang"
    done < <(cd "$work/plain" && find "$1" -name config.h -o -name '*_config.h')
}

for package in $(for p in $(chosen "$@"); do column programs "$p" 2; done | uniq); do
    [ -e "$work/plain/$package.seconds" ] || build "$package" plain
    build "$package" cairn
    compare_configuration "$package"
done
