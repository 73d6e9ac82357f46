#!/usr/bin/env bash
# Fetches the sources of all programs from Debian, into .held-out/src. Usage: fetch.sh
source "$(dirname "$0")/common.sh"
source "$root/bench/subjects/apt.sh"
mkdir -p "$work/src"
cd "$work/src"
source_apt "$work"

for package in $(rows programs | awk -F ' *[|] *' '{ print $2 }'); do
    ls "$package"_*.orig.tar.* >/dev/null 2>&1 || "${apt[@]}" source --tar-only "$package"
done
rm -f sqlite3_*.orig-www.tar.*
