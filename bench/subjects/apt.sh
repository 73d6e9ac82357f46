# Debian's source packages: sets `apt` to a command that knows of them.

# They need a source list of their own; the machine's is left as it is, ours is its twin, in the directory given.
source_apt() {
    apt=(apt-get -qq -o APT::Sandbox::User=root)
    # Read to its end: a pipe that closes early would fail apt-get.
    if apt-get indextargets --format '$(CREATED_BY)' | grep Sources >/dev/null; then return; fi
    mkdir -p "$1/apt/list" "$1/apt/state/partial"
    local list
    for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
        [ -f "$list" ] || continue
        sed -E 's/^Types:.*/Types: deb-src/; s/^deb /deb-src /' "$list" >"$1/apt/list/$(basename "$list")"
    done
    apt+=(-o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$1/apt/list" -o Dir::State::Lists="$1/apt/state")
    "${apt[@]}" update
}
