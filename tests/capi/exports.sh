#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# exports.sh <c.h> <libtamis_rocksdb.so>: the library exports the functions that
# the header declares, as rocksdb_*, and nothing else. Prints what differs.
set -euo pipefail
declared=$(grep -oE 'tamis_[A-Za-z0-9_]+\(' "$1" | sed 's/^tamis_\(.*\)($/rocksdb_\1/' | sort -u)
exported=$(nm -D --defined-only "$2" | awk '{ print $3 }' | sort -u)
if [ -z "$declared" ]; then
  echo "$1 declares nothing"
  exit 1
fi
if ! diff <(echo "$declared") <(echo "$exported"); then
  echo "< is declared and not exported, > is exported and not declared"
  exit 1
fi
echo "$(wc -l <<<"$exported") functions are exported"
