#!/usr/bin/env bash
# What of an example's input is symbolic, as options of cairn, from the line of its comment that tells it.
# Usage: symbolic.sh EXAMPLE.c
set -euo pipefail
sed -n 's/^ \* input: //p' "$1" | tr ',' '\n' | while read -r kind lengths; do
    case $kind in
    stdin) echo "--sym-stdin ${lengths#*-}" ;;
    file) echo "--sym-file ${lengths#*-}" ;;
    arg | args) printf -- '--sym-arg %s\n' $lengths ;;
    esac
done
