#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# options_rule.sh <root>: DebugString (db/base/options_debug.h) shows every
# field of DBOptions, ColumnFamilyOptions and BlockBasedTableOptions. Prints
# each that it leaves out; exit 1 if any.
set -euo pipefail
cd "${1:?usage: options_rule.sh <root>}"

awk '
  /^struct (DBOptions|CompressionOptions|ColumnFamilyOptions|BlockBasedTableOptions) / {
    inside = 1; next
  }
  /^};/ { inside = 0 }
  # A member, not a function: its name is the last word before the value.
  inside && /^  [A-Za-z].*(;|=$)/ && !/^  [^=]*\(/ && !/^  (enum|using|static)/ {
    line = $0
    sub(/\/\/.*/, "", line)
    sub(/ *(=.*|;.*)$/, "", line)
    sub(/.* /, "", line)
    print line
  }' include/tamis/*options.h include/tamis/table.h |
  while IFS= read -r field; do
    if ! grep -qE "options\.([a-z_]+\.)?$field\b" db/base/options_debug.cc; then
      echo "db/base/options_debug.cc: $field is missing"
      exit 1
    fi
  done
