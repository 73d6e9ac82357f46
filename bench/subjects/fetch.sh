#!/usr/bin/env bash
# Fetches the sources of all packages from Debian, into .subjects/src. Usage: fetch.sh
source "$(dirname "$0")/common.sh"
mkdir -p "$work/src"
cd "$work/src"

apt=(apt-get -qq -o APT::Sandbox::User=root)

# Sources of Debian packages need a source list of their own; the machine's is left as it is, ours is its twin.
if ! apt-get indextargets --format '$(CREATED_BY)' | grep -q Sources; then
    mkdir -p "$work/apt/list" "$work/apt/state/partial"
    for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
        [ -f "$list" ] || continue
        sed -E 's/^Types:.*/Types: deb-src/; s/^deb /deb-src /' "$list" >"$work/apt/list/$(basename "$list")"
    done
    apt+=(-o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$work/apt/list" -o Dir::State::Lists="$work/apt/state")
    "${apt[@]}" update
fi

for package in $(rows packages | awk '{ print $1 }'); do
    archive=${package}_$(column packages "$package" 2).orig.tar
    # Not the whole source package: its security version may be gone already.
    ls "$archive".* >/dev/null 2>&1 || "${apt[@]}" source --tar-only "$package"
    ls "$archive".* 2>/dev/null || die "Debian has another version of $package: $(ls "${package}"_*)"
done
