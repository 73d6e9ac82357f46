#!/usr/bin/env bash
# What things cost as they grow: an input of 64 bytes to 64 KiB (and with it the path), a campaign of a thousand to
# sixteen thousand executions (and with it tree, frontier and tests). Prints two tables, and a plot to FILE if
# gnuplot is there. Usage: bench/scale/run.sh [FILE.svg]
source "$(dirname "$0")/../common.sh"

plot=${1:-}
"$cairn" cc -O2 bench/programs/json.c -o "$work/json"
build_throughput

# One traced run, the same again and again: CPU of the target, and of the driver, which reads what it knows already.
sizes() {
    local bytes runs line
    echo "| bytes | branches | labels | target us | us per branch | driver us, first run | driver us, known path |"
    echo "|---|---|---|---|---|---|---|"
    for bytes in 64 256 1024 4096 16384 65536; do
        runs=$((200000 / bytes + 5))
        line=$(for _ in 1 2 3; do "${pin[@]}" target/release/examples/throughput "$work/json" "$(document "$bytes")" "$runs"; done |
            sed 's/[^0-9 ]//g' | awk '{ print $3, $4, $6, $7 }' | sort -n | head -n 1)
        first=$("${pin[@]}" target/release/examples/throughput "$work/json" "$work/$bytes.json" 1 | sed 's/[^0-9 ]//g' | awk '{ print $4 }')
        echo "$line" | awk -v b="$bytes" -v f="$first" \
            '{ printf "| %d | %d | %d | %d | %.3f | %d | %d |\n", b, $3, $4, $1, $1 / $3, f, $2 }'
    done
}

# A whole campaign, longer and longer: CPU per execution, and what has grown with it.
campaigns() {
    local execs seconds
    echo "| executions | CPU us per execution | untried flips | tests |"
    echo "|---|---|---|---|"
    for execs in 1000 2000 4000 8000 16000; do
        seconds=$(cpu_time "$cairn" run --json --strategy generational --seed 1 --execs "$execs" --sym-stdin 143 \
            --seeds bench/inputs --out "$work/campaign" --force "$work/json")
        python3 - "$execs" "$seconds" "$work/out" <<'PYTHON'
import json, sys
execs, seconds, path = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3]
told = json.loads(next(line for line in open(path) if line.startswith("{")))
print(f"| {execs} | {seconds * 1e6 / execs:.0f} | {told.get('untried', '?')} | {told.get('tests', '?')} |")
PYTHON
    done
}

sizes | tee "$work/sizes"
echo
campaigns | tee "$work/campaigns"
if [ -n "$plot" ] && command -v gnuplot >/dev/null; then
    for table in sizes campaigns; do sed -n '3,$ s/|/ /gp' "$work/$table" >"$work/$table.dat"; done
    gnuplot <<PLOT
set terminal svg size 900,400
set output "$plot"
set multiplot layout 1,2
set logscale xy
set grid
set key top left
set xlabel "bytes of JSON"
set ylabel "us of CPU per run"
plot "$work/sizes.dat" using 1:4 with linespoints title "target", "" using 1:6 with linespoints title "driver, first run", \
    "" using 1:7 with linespoints title "driver, known path"
set xlabel "executions"
set ylabel "us of CPU per execution"
set yrange [100:2000]
plot "$work/campaigns.dat" using 1:2 with linespoints title "whole campaign"
PLOT
    echo "plot: $plot"
fi
