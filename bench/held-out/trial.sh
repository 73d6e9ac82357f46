#!/usr/bin/env bash
# One trial: gives a tool so many CPU seconds on a program, counts what all its inputs cover by one replay, and prints
# the figures as JSON. Usage: trial.sh cairn|afl|together PROGRAM CPU-SECONDS SEED   (KEEP=DIR keeps what tools wrote)
source "$(dirname "$0")/common.sh"
tool=$1 program=$2 seconds=$3 seed=$4
prepare "$program" cairn plain afl cmplog
cp "$here"/*.py "$scratch"
# AFL++ checks the machine, and syncs every 20 minutes at first: a trial is shorter.
user+=(AFL_SKIP_CPUFREQ=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_NO_UI=1 AFL_NO_AFFINITY=1 AFL_SYNC_TIME=1)

# Runs a command as the tool called so, within so many CPU seconds.
limited() {
    local name=$1 limit=$2
    shift 2
    python3 "$scratch/limit.py" "$limit" "$scratch/$name.cpu" "${user[@]}" "$@" >"$scratch/$name.log" 2>"$scratch/$name.err"
}

run_cairn() {
    limited cairn "$1" cairn run --json --quiet --no-sanitizers --seed "$seed" \
        "${symbolic[@]}" "${@:2}" "$scratch/cairn" -- "${arguments[@]}"
}

# The memory limit is that of Cairn.
run_afl() {
    limited afl "$1" afl-fuzz -i "$scratch/seeds" -o "$scratch/out" -s "$seed" -m 1024 -c "$scratch/cmplog" "${@:2}" \
        -- "$scratch/afl" "${arguments[@]}"
}

case $tool in
cairn) run_cairn "$seconds" --out "$scratch/out/cairn" ;;
afl) run_afl "$seconds" ;;
together)
    half=$(awk -v s="$seconds" 'BEGIN { print s / 2 }')
    run_afl "$half" -M afl &
    run_cairn "$half" --sync "$scratch/out"
    wait
    ;;
*) die "a tool is cairn, afl or together" ;;
esac

find "$scratch"/out/*/{queue,crashes,hangs} -maxdepth 1 -name 'id:*' 2>/dev/null | sort >"$scratch/inputs"
"${user[@]}" python3 "$scratch/replay.py" "$scratch/profile" "$scratch/inputs" "$scratch/plain" "${arguments[@]}" \
    >"$scratch/covered"
if [ -n "${KEEP:-}" ]; then cp -r "$scratch" "$KEEP"; fi
python3 "$scratch/table.py" trial "$tool" "$scratch"
