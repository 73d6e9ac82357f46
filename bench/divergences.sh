#!/usr/bin/env bash
# Share of runs that do not go where they were predicted to, on real programs and on two small ones.
#
#     bench/divergences.sh [SECONDS=30] [TRIALS=3] [SUBJECT...]
#
# Subjects: those of bench/subjects that are built (fetch.sh and build.sh there), the harness of cJSON if its source was
# fetched, and the ring buffer and JSON printer of tests/regressions. Trial N is a campaign of so many seconds with seed N.
# Prints a table. Exit code 1 if a subject's share is not below the goal of 0.5 %, 2 if it could not be measured.
source "$(dirname "$0")/subjects/common.sh"
die() { echo "divergences.sh: $*" >&2; exit 2; }

seconds=${1:-30}
trials=${2:-3}
goal=0.5
[[ $seconds =~ ^[1-9][0-9]*$ && $trials =~ ^[1-9][0-9]*$ ]] || die "usage: divergences.sh [SECONDS] [TRIALS] [SUBJECT...]"
subjects=("${@:3}")
[ -x "$root/target/release/cairn" ] || die "there is no target/release/cairn: make build"
scratch=$(mktemp -d)
chmod 755 "$scratch"
trap 'rm -rf "$scratch"' EXIT

is_package_program() { [ -n "$(column programs "$1" 2)" ]; }

cjson_archive() { ls "$work"/src/cjson_*.orig.tar.* 2>/dev/null | head -n 1; }

# All subjects that can be measured here; names the others on standard error.
available() {
    local program
    for program in $(chosen); do
        if [ -x "$(executable cairn "$program")" ]; then echo "$program"; else echo "$program is not built: left out" >&2; fi
    done
    if [ -n "$(cjson_archive)" ]; then echo cjson; else echo "cjson is not fetched: left out" >&2; fi
    printf '%s\n' json_round_trip ring_buffer
}

# Compiles one of the subjects that are no program of a package.
compile() {
    case $1 in
    cjson)
        mkdir "$scratch/source"
        tar -xf "$(cjson_archive)" -C "$scratch/source" --strip-components=1
        cairn cc -g -O1 "$scratch/source/fuzzing/cjson_read_fuzzer.c" "$scratch/source/cJSON.c" -lm -o "$scratch/cjson"
        ;;
    json_round_trip | ring_buffer) cairn cc -g -O1 "$root/tests/regressions/$1.c" -lm -o "$scratch/$1" ;;
    *) die "there is no subject called $1" ;;
    esac
}

# One campaign; its figures on standard output as JSON. Crashes and hangs that it finds are no failure.
campaign() {
    local subject=$1 code=0
    shift
    if is_package_program "$subject"; then
        "$here/campaign.sh" "$subject" "$@"
        return
    fi
    cairn run --json --force --out "$scratch/out" --sym-stdin 24 "$@" "$scratch/$subject" || code=$?
    [ "$code" -le 1 ]
}

# A line per trial: executions, divergences, and those of them after a value was lost.
measure() {
    local seed
    for seed in $(seq "$trials"); do
        campaign "$1" --time "${seconds}s" --seed "$seed" >"$scratch/figures" 2>"$scratch/messages" \
            || { cat "$scratch/messages" >&2; die "a campaign on $1 failed"; }
        python3 -c 'import json, sys
figures = json.load(sys.stdin)
print(figures["executions"], figures["divergences"], figures["divergences_after_losses"])' <"$scratch/figures"
        sed -n "/ warning: /d; s/.*path divergence.*/$1, seed $seed: &/p" "$scratch/messages" >&2
    done
}

# The table's row; fails if the share is not below the goal.
row() {
    awk -v name="$1" -v goal="$goal" '
        { share = 100 * $2 / $1; runs += $1; diverged += $2; explained += $3 }
        NR == 1 || share < low { low = share }
        NR == 1 || share > high { high = share }
        END {
            share = 100 * diverged / runs
            printf "| %s | %d | %d | %d | %.3f %% | %.3f..%.3f %% |\n", name, runs, diverged, explained, share, low, high
            exit share >= goal
        }'
}

if [ ${#subjects[@]} = 0 ]; then mapfile -t subjects < <(available); fi
for subject in "${subjects[@]}"; do is_package_program "$subject" || compile "$subject"; done

echo "| subject | executions | diverged | after a lost value | share | spread of $trials trials of $seconds s |"
echo "|---|---|---|---|---|---|"
missed=0
for subject in "${subjects[@]}"; do
    measure "$subject" >"$scratch/trials" || exit 2
    row "$subject" <"$scratch/trials" || missed=1
done
exit $missed
