#!/usr/bin/env bash
# Explores one program; prints the campaign's figures as JSON, and the summary on standard error.
# Usage: campaign.sh PROGRAM OPTIONS-OF-CAIRN-RUN...   (KEEP=DIR keeps the campaign directory)
#    or: DO=compare campaign.sh PROGRAM OPTIONS-OF-CAIRN-COMPARE...   (KEEP=DIR keeps trials.csv and curves.csv)
#    or: DO=learn campaign.sh PROGRAM OPTIONS-OF-CAIRN-LEARN...   (KEEP=DIR keeps learnt.toml and its journal)
#
# Generated input may name any file: the program runs as nobody (if we are root), in a directory nobody may write to.
source "$(dirname "$0")/common.sh"
program=$1
shift
scratch=$(mktemp -d)
trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
chmod 755 "$scratch"
"$here/fixture.sh" "$scratch/here"
cp "$(executable cairn "$program")" "$scratch/$program"
chmod -R a-w "$scratch/here"
mkdir -m 777 "$scratch/out" "$scratch/tmp"
campaign=$scratch/out/campaign
case ${DO:-run} in
run) doing=(--json --out "$campaign") ;;
compare) doing=(--csv "$campaign/trials.csv" --curves "$campaign/curves.csv") ;;
learn) doing=(--out "$campaign/learnt.toml") ;;
*) die "DO is run, compare or learn" ;;
esac
[ "${DO:-run}" = run ] || mkdir -m 777 "$campaign"

unprivileged=()
if [ "$(id -u)" = 0 ]; then unprivileged=(setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all); fi
# Neither time zone, nor language, nor the user's settings are part of the input.
settings=(PATH="$PATH" LC_ALL=C TZ=UTC HOME=/ TMPDIR="$scratch/tmp" TP_PRINT_CMD=true)

read -ra symbolic <<<"$(column programs "$program" 4)"
read -ra arguments <<<"$(column programs "$program" 5)"
cd "$scratch/here"
code=0
"${unprivileged[@]}" env -i "${settings[@]}" cairn "${DO:-run}" "${doing[@]}" "${symbolic[@]}" "$@" "../$program" -- "${arguments[@]}" || code=$?
if [ -n "${KEEP:-}" ]; then cp -r "$campaign" "$KEEP"; fi
# 1 says that crashes or hangs were found: that is what it is for.
[ "$code" -le 1 ]
