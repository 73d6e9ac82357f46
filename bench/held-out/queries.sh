#!/usr/bin/env bash
# Dumps queries of short campaigns, and keeps so many of each program, evenly chosen over the campaign: a corpus for
# bench/queries/run.sh. Usage: queries.sh DIR [SECONDS] [COUNT] [PROGRAM...]   (20 seconds, 300 queries)
source "$(dirname "$0")/common.sh"
[ $# -ge 1 ] || die "usage: queries.sh DIR [SECONDS] [COUNT] [PROGRAM...]"
mkdir -p "$1"
to=$(cd "$1" && pwd)
seconds=${2:-20} count=${3:-300}
shift $(($# < 3 ? $# : 3))
programs=("$@")
[ $# -gt 0 ] || programs=(bc libpng zlib luac mxml libyaml units patch sqlite)

# Queries that are not decided in a second are part of the set: the limit is a generous one.
dump() (
    prepare "$1" cairn
    "${user[@]}" cairn run --quiet --time "${seconds}s" --solver-timeout 5000 --dump-queries "$scratch/out/queries" \
        "${symbolic[@]}" --out "$scratch/out/campaign" "$scratch/cairn" -- "${arguments[@]}" >/dev/null || [ $? -le 1 ]
    mkdir -p "$to/$1"
    find "$scratch/out/queries" -name '*.smt2' | sort >"$scratch/all"
    awk -v all="$(wc -l <"$scratch/all")" -v count="$count" \
        'int(NR * count / all) > int((NR - 1) * count / all) || all <= count' "$scratch/all" | xargs -r cp -t "$to/$1"
)

"$here/fetch.sh" >/dev/null
KINDS="cairn plain" "$here/build.sh" "${programs[@]}"
for program in "${programs[@]}"; do
    dump "$program"
    echo "$program: $(find "$to/$program" -name '*.smt2' | wc -l) queries"
done
