#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# log_rule.sh <root>: docs/log.md has a row for each event that a source of the
# engine writes to LOG, and for no other. Prints what is wrong; exit 1 if
# anything is.
set -euo pipefail
cd "${1:?usage: log_rule.sh <root>}"

written=$(find db util -name '*.cc' -o -name '*.h' | sort | xargs cat | tr '\n' ' ' |
  grep -oE 'Event\([^()]*"[^()]*\)' | grep -oE '"[a-z_]+"' | tr -d '"' | sort -u)
# The first cell of a row has the names.
described=$(awk -F'|' '/^\| `/ { print $2 }' docs/log.md |
  grep -oE '`[a-z_]+`' | tr -d '`' | sort -u)

status=0
while read -r event; do
  echo "docs/log.md: event $event is missing"
  status=1
done < <(comm -23 <(echo "$written") <(echo "$described"))
while read -r event; do
  echo "docs/log.md: no source writes event $event"
  status=1
done < <(comm -13 <(echo "$written") <(echo "$described"))
exit "$status"
