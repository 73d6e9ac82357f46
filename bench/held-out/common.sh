# Shared by the scripts of this folder: where things are, and how to read the table.
source "$(dirname "${BASH_SOURCE[0]}")/../subjects/common.sh"
here=$root/bench/held-out
work=$root/.held-out
harness=$here/harness

# Files that a program needs beside its input, in a directory of their own.
files() {
    mkdir -p "$2"
    case $1 in
    units) cp "$work"/plain/units/*.units "$2" ;;
    patch) printf 'one\ntwo\nthree\n' >"$2/original" ;;
    esac
}

# Makes a scratch directory with builds of a program and its seed, and enters the part of it where the program runs.
# Generated input may name any file: `user` runs a command as nobody (if we are root), who may not write there.
prepare() {
    local program=$1 kind
    shift
    scratch=$(mktemp -d)
    trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
    chmod 755 "$scratch"
    mkdir "$scratch/seeds"
    mkdir -m 777 "$scratch/out" "$scratch/tmp" "$scratch/profile"
    files "$program" "$scratch/here"
    chmod -R a-w "$scratch/here"
    for kind in "$@"; do cp "$work/$kind/$program/program" "$scratch/$kind"; done
    printf "$(column programs "$program" 4)" >"$scratch/seeds/seed"
    symbolic=(--sym-stdin "$(column programs "$program" 3)" --seeds "$scratch/seeds")
    read -ra arguments <<<"$(column programs "$program" 5)"
    user=()
    if [ "$(id -u)" = 0 ]; then user=(setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all); fi
    # Neither time zone, nor language, nor the user's settings are part of the input.
    user+=(env -i PATH="$PATH" LC_ALL=C TZ=UTC HOME=/ TMPDIR="$scratch/tmp")
    cd "$scratch/here"
}
