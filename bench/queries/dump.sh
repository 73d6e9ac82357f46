#!/usr/bin/env bash
# Dumps queries of campaigns on the examples and on real programs (fetched and built by bench/subjects), until each has
# had its time. Usage: dump.sh DIR [SECONDS] [PROGRAM...]   (30 seconds each; by default sed grep gawk xmlwf dd diff)
source "$(dirname "$0")/../subjects/common.sh"
[ $# -ge 1 ] || die "usage: dump.sh DIR [SECONDS] [PROGRAM...]"
mkdir -p "$1"
to=$(cd "$1" && pwd)
seconds=${2:-30}
shift $(($# < 2 ? $# : 2))
programs=("$@")
[ $# -gt 0 ] || programs=(sed grep gawk xmlwf dd diff)
each=3000

# Queries that no campaign on a loaded machine decides in a second are part of the set: the limit is a generous one.
options=(--time "${seconds}s" --solver-timeout 5000 --dump-limit "$each" --quiet)

for source in "$root"/examples/*.c; do
    name=$(basename "$source" .c)
    scratch=$(mktemp -d)
    mapfile -t symbolic < <("$root/bench/symbolic.sh" "$source")
    arguments=()
    [[ ${symbolic[*]} != *--sym-file* ]] || arguments=(-- @@)
    cairn run "${options[@]}" ${symbolic[*]} --out "$scratch/out" --dump-queries "$to/$name" "$source" \
        "${arguments[@]}" >/dev/null || [ $? -le 1 ]
    rm -rf "$scratch"
done
for program in "${programs[@]}"; do
    # The campaign runs as nobody.
    mkdir -m 777 "$to/$program"
    "$root/bench/subjects/campaign.sh" "$program" "${options[@]}" --dump-queries "$to/$program" >/dev/null
done
find "$to" -name '*.smt2' | wc -l | sed "s/$/ queries in ${to//\//\\/}/"
