#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# coverage.sh <libtamis_rocksdb.so> <RocksDB's library> <absent.txt> <facade>
# Every C function that RocksDB's library exports is exported by ours, or is in
# the list of those that are absent, and not both; the facade has all of them.
# Prints the counts, and exits with 1 if a function is in no place or in two.
set -euo pipefail
ours=$1 theirs=$2 list=$3 facade=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

functions_of() { nm -D --defined-only "$1" | awk '$3 ~ /^rocksdb_/ { print $3 }' | sort -u; }
functions_of "$ours" >"$work/ours"
functions_of "$theirs" >"$work/theirs"
awk '/^rocksdb_/ { print $1 }' "$list" | sort >"$work/absent"
{ functions_of "$ours"; functions_of "$facade"; } | sort -u >"$work/facade"

bad=0
# complain <what is wrong> <names...>
complain() {
  local what=$1
  shift
  [ $# -eq 0 ] && return
  printf '%s: %s\n' "$what" "$*"
  bad=1
}
# shellcheck disable=SC2046
{
  complain "neither exported nor listed as absent" \
    $(sort -u "$work/ours" "$work/absent" | comm -23 "$work/theirs" -)
  complain "listed as absent, but exported" $(comm -12 "$work/ours" "$work/absent")
  complain "listed as absent, but RocksDB does not have it" \
    $(comm -13 "$work/theirs" "$work/absent")
  complain "listed twice" $(uniq -d "$work/absent")
  complain "not in the facade" $(comm -23 "$work/theirs" "$work/facade")
}

there=$(comm -12 "$work/ours" "$work/theirs" | wc -l)
echo "RocksDB's library: $there of $(wc -l <"$work/theirs") functions; absent:"
awk '/^# [A-Z].*: / { sub(/^# /, ""); sub(/:.*/, ""); group = $0 }
     /^rocksdb_/ { ++count[group]; if (count[group] == 1) order[++groups] = group }
     END { for (i = 1; i <= groups; ++i) printf "  %4d  %s\n", count[order[i]], order[i] }' "$list"
exit $bad
