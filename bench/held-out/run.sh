#!/usr/bin/env bash
# Cairn beside AFL++ with CMPLOG, at equal CPU seconds (of all processes), one worker each, from the same trivial seed.
# Counted are branch sides by one replay of all inputs on a coverage build. A trial that exists is not run again; those
# of Cairn belong to the present build of it.
#
#     bench/held-out/run.sh [--time CPU_SECONDS] [--trials N] [--together] [PROGRAM...]
#
# By default 60 seconds, 5 trials, all programs. --together: also both, exchanging inputs, half the CPU seconds each.
source "$(dirname "$0")/common.sh"
seconds=60 trials=5 tools=(cairn afl)
while [[ ${1:-} == --* ]]; do
    case $1 in
    --time) seconds=$2; shift ;;
    --trials) trials=$2; shift ;;
    --together) tools+=(together) ;;
    *) die "unknown option $1" ;;
    esac
    shift
done

mapfile -t programs < <(chosen "$@")
"$here/fetch.sh" >/dev/null
"$here/build.sh" "${programs[@]}"
version=$(sha256sum "$root/target/release/cairn" | head -c 12)
results=$work/results/$seconds

# Where a trial is kept.
record() {
    case $1 in
    afl) echo "$results/$2/afl-$3.json" ;;
    *) echo "$results/$2/$1-$version-$3.json" ;;
    esac
}

for trial in $(seq "$trials"); do
    for program in "${programs[@]}"; do
        mkdir -p "$results/$program"
        for tool in "${tools[@]}"; do
            file=$(record "$tool" "$program" "$trial")
            [ ! -s "$file" ] || continue
            "$here/trial.sh" "$tool" "$program" "$seconds" "$trial" >"$file.part"
            mv "$file.part" "$file"
            echo "$program $tool $trial: $(head -c 60 "$file")" >&2
        done
    done
done
python3 "$here/table.py" table "$results" "$version" "$trials" "${programs[@]}"
