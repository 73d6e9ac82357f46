#!/usr/bin/env bash
# Shows if a long campaign stays as fast as it begins: a line per minute with the executions per second of that minute, the
# share of the time that went into choosing the next flip, and the memory of the driver.
#
#     bench/long.sh PROGRAM [OPTION...]            PROGRAM is built with `cairn cc`, the options are those of `cairn run`
#     MINUTES=4 bench/long.sh ./yaml --sym-stdin 100
set -euo pipefail
cairn=${CAIRN:-$(dirname "$0")/../target/release/cairn}
program=$1
shift
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

"$cairn" run --out "$out/campaign" --time "${MINUTES:-30}m" --log json "$@" "$program" 2>&1 >/dev/null |
    python3 -c '
import json, sys

print("| minute | executions/s | choosing | driver MiB | branches | untried flips |\n|---|---|---|---|---|---|", flush=True)
last = {"elapsed_seconds": 0.0, "executions": 0, "choosing_seconds": 0.0}
minute = 0
for line in sys.stdin:
    now = json.loads(line)
    if now["event"] == "end":
        now = {**last, **now.get("summary", {})}
    elif now["event"] != "progress" or now["elapsed_seconds"] < 60 * (minute + 1):
        continue
    seconds = now["elapsed_seconds"] - last["elapsed_seconds"]
    if seconds < 10:
        continue
    minute += 1
    rate = (now["executions"] - last["executions"]) / seconds
    share = (now["choosing_seconds"] - last["choosing_seconds"]) / seconds
    memory, branches, untried = now["driver_bytes"] >> 20, now["branches_covered"], now["untried"]
    print(f"| {minute} | {rate:.0f} | {share:.1%} | {memory} | {branches} | {untried} |", flush=True)
    last = now
'
