# Shared by the scripts of this folder: where things are, and how to read the two tables.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$root/.subjects
export PATH="$root/target/release:$PATH"

die() { echo "$(basename "$0"): $*" >&2; exit 1; }

# Lines of a table without comments.
rows() { grep -v '^#' "$here/$1"; }

# Column N of the row called NAME.
column() { rows "$1" | awk -F ' *[|] *' -v name="$2" -v n="$3" '$1 == name { print $n }'; }

# The programs asked for; all without arguments.
chosen() {
    if [ $# = 0 ] || [ "$1" = all ]; then rows programs | awk '{ print $1 }'; else printf '%s\n' "$@"; fi
}

# The executable of a program in one of the two trees, plain or cairn.
executable() {
    local package; package=$(column programs "$2" 2)
    [ -n "$package" ] || die "there is no program called $2"
    echo "$work/$1/$package/$(column packages "$package" 3)/$(column programs "$2" 3)"
}

# Where a script's results go: the directory it is given first.
results() {
    [ $# -ge 1 ] || die "usage: $(basename "$0") DIR [PROGRAM...]"
    mkdir -p "$1"
    (cd "$1" && pwd)
}
