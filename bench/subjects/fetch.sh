#!/usr/bin/env bash
# Fetches the sources of all packages from Debian, into .subjects/src. Usage: fetch.sh
source "$(dirname "$0")/common.sh"
source "$here/apt.sh"
mkdir -p "$work/src"
cd "$work/src"

source_apt "$work"

for package in $(rows packages | awk '{ print $1 }'); do
    archive=${package}_$(column packages "$package" 2).orig.tar
    # Not the whole source package: its security version may be gone already.
    ls "$archive".* >/dev/null 2>&1 || "${apt[@]}" source --tar-only "$package"
    ls "$archive".* 2>/dev/null || die "Debian has another version of $package: $(ls "${package}"_*)"
done
