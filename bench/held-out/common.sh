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
