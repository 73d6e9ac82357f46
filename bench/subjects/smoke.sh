#!/usr/bin/env bash
# The same command lines on both builds: output, errors, exit code and files left behind must be the same, byte by
# byte. Prints how many of them agree. Usage: smoke.sh [PROGRAM...|all]
source "$(dirname "$0")/common.sh"
scratch=$(mktemp -d)
trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
mkdir "$scratch/bin"
chmod 755 "$scratch"

# All that one command line does, with one build, in one file. Paths are the same for both.
record() {
    local kind=$1 program=$2 line=$3
    rm -rf "$scratch/here" "$scratch/bin/$program"
    cp "$(executable "$kind" "$program")" "$scratch/bin/$program"
    "$here/fixture.sh" "$scratch/here"
    (
        cd "$scratch/here"
        # Of every command in the line the exit code counts.
        env -i PATH="$scratch/bin:/usr/bin:/bin" LC_ALL=C TZ=UTC HOME="$scratch" \
            bash -c "trap 'echo \"exit code \$?\"' DEBUG; $line; true" >../stdout 2>../stderr </dev/null
        cat ../stdout ../stderr
        find . -printf '%p %m %s %l\n' -type f -exec sha256sum {} + | sort
    ) >"$scratch/$kind"
}

failed=0
for program in $(chosen "$@"); do
    same=0 lines=0
    while IFS= read -r line; do
        lines=$((lines + 1))
        record plain "$program" "$line"
        record cairn "$program" "$line"
        if cmp -s "$scratch/plain" "$scratch/cairn"; then
            same=$((same + 1))
        else
            echo "$program: differs in: $line" >&2
            diff -a "$scratch/plain" "$scratch/cairn" | head -5 >&2 || true
            failed=1
        fi
    done < <(rows smoke | sed -n "s/^$program *| //p")
    printf '%-9s | %d of %d\n' "$program" "$same" "$lines"
done
exit $failed
