#!/usr/bin/env bash
# Mutants executed per CPU second, driver and target together, and what a run costs in system and user time.
# Usage: mutation.sh [SECONDS]   (CAIRN=cairn TIMES=3)
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cairn=${CAIRN:-$here/../target/release/cairn}
seconds=${1:-5} times=${TIMES:-3}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

for program in forkserver64 json; do
    "$cairn" cc -O1 "$here/programs/$program.c" -o "$scratch/$program"
    for seed in $(seq "$times"); do
        # One program for both CPU time and figures: `times` of the shell rounds.
        python3 - "$cairn" run --quiet --json --force --out "$scratch/out" --strategy mutation --seed "$seed" \
            --time "$seconds" --sym-stdin 64 "$scratch/$program" <<'PYTHON'
import json, resource, subprocess, sys
done = subprocess.run(sys.argv[1:], capture_output=True, text=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
figures = json.loads(done.stdout)
cpu = used.ru_utime + used.ru_stime
runs = figures["mutation_runs"]
print(f"{sys.argv[-1].rpartition('/')[2]:14} {runs:8} mutants {figures['mutation_gains']:4} kept  "
      f"{cpu:5.2f} CPU s  {runs / cpu:7.0f} per CPU s  user {used.ru_utime:.2f} system {used.ru_stime:.2f}  "
      f"branches {figures['branches_covered']}")
PYTHON
    done
done
