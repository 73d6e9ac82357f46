#!/usr/bin/env bash
# How fast conditions are evaluated: by the reference evaluator, by a tape, and by machine code; and what it takes to
# build a tape and to compile it. Figures of today are in RESULTS.md.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo test --quiet --release -p cairn-solver --lib tape::bench -- --ignored --nocapture | grep '^|'
