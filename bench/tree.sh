#!/usr/bin/env bash
# What an execution tree takes, in memory and time: RUNS runs of LENGTH steps that leave each other's paths at random
# places. Figures of today are in RESULTS.md.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo test --quiet --release -p cairn-tree --test size -- --ignored --nocapture | grep '^|'
