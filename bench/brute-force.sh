#!/usr/bin/env bash
# Random programs with two bytes of input, against brute force over all inputs on a plain build: what Cairn calls exhausted
# must miss no branch, no path and no crash; no oracle mismatch, no divergence.
#
#     bench/brute-force.sh [PROGRAMS=1000] [FIRST_SEED=1]
#
# Prints a line per program and a summary. Programs with a flaw are kept, and named with how to build them; exit code 1
# if there are any. A thousand programs take an hour or two on two cores.
set -euo pipefail
cd "$(dirname "$0")/.."

export PROGRAMS=${1:-1000} FIRST_SEED=${2:-1}
export KEEP=${KEEP:-$(mktemp -d)}
mkdir -p "$KEEP"
cargo test --release -p cairn-cli --test e2e -- --ignored --nocapture --exact brute_force::many_programs
rmdir --ignore-fail-on-non-empty "$KEEP"
