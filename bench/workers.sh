#!/usr/bin/env bash
# What a second worker brings: executions per second with one worker and with two, on the JSON parser with 143 symbolic
# bytes, in turn.
#
#     bench/workers.sh [ROUNDS]                         STRATEGIES="auto generational" EXECS=8000 WORKERS=2
source "$(dirname "$0")/common.sh"
"$cairn" cc -O2 -g bench/programs/json.c -o "$work/json"

# Executions per second of one campaign.
rate() {
    local status=0
    "$cairn" run --quiet --json --force --out "$work/out" --strategy "$1" --workers "$2" --seed "$3" --execs "${EXECS:-8000}" \
        --seeds bench/inputs --sym-stdin 143 "$work/json" >"$work/figures.json" || status=$?
    [ "$status" -le 1 ]
    python3 -c 'import json, sys; f = json.load(sys.stdin); print(round(f["executions"] / f["elapsed_seconds"]))' <"$work/figures.json"
}

many=${WORKERS:-2}
for strategy in ${STRATEGIES:-auto generational}; do
    for round in $(seq "${1:-5}"); do
        one=$(rate "$strategy" 1 "$round")
        more=$(rate "$strategy" "$many" "$round")
        echo "$strategy $one $more"
    done
done | python3 -c '
import statistics, sys
rows = [line.split() for line in sys.stdin]
for strategy in dict.fromkeys(row[0] for row in rows):
    pairs = [(int(a), int(b)) for name, a, b in rows if name == strategy]
    ratios = sorted(b / a for a, b in pairs)
    one, more = (statistics.median(column) for column in zip(*pairs))
    print(f"{strategy}: {one:.0f} and {more:.0f} executions/s, {statistics.median(ratios):.2f} times ({ratios[0]:.2f}..{ratios[-1]:.2f})")
'
