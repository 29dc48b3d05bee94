#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# c_api_rule.sh <root>: every field of a public options struct has a setter in
# include/tamis/c.h, tamis_<group>_set_<field>, or a line in
# capi/other_fields.txt: "<struct>::<field> <function or ->  <words>", whose
# function the header declares. Every counter of PerfContext that the header has
# a number for is in capi/counters.cc. Prints what is wrong; exit 1 if anything is.
set -euo pipefail
cd "${1:?usage: c_api_rule.sh <root>}"

# Lines "<struct> <field>".
fields=$(awk '
  { sub(/TAMIS_EXPORT /, "") }
  /^(struct|class) [A-Za-z]+/ {
    inside = $2 ~ /(Options|^CompactionOptions.*)$/ ? $2 : ""; next
  }
  /^};/ { inside = "" }
  # A member, not a function: its name is the last word before the value.
  inside != "" && /^  [A-Za-z].*(;|=$)/ && !/^  [^=]*\(/ &&
      !/^  (enum|using|static|friend)/ {
    line = $0
    sub(/\/\/.*/, "", line)
    sub(/ *(=.*|;.*)$/, "", line)
    sub(/.* /, "", line)
    print inside, line
  }
  # A name that its type has left no room for.
  inside != "" && /^      [a-z_0-9]+;$/ { sub(/^ +/, ""); sub(/;/, ""); print inside, $0 }
  ' $(find include/tamis -name '*options.h' -o -name options.h -o -name table.h \
    -o -name universal_compaction.h -o -name ingest_external_file.h \
    -o -name wait_for_compact.h -o -name backup_engine.h) | sort -u)

# The middle of the functions' names for a struct.
group_of() {
  case "$1" in
    ImportColumnFamilyOptions) echo import_column_family_options ;;
    *DBOptions | *ColumnFamilyOptions) echo options ;;
    BlockBasedTableOptions | IgnoredTableOptions) echo block_based_options ;;
    CompactionOptionsUniversal) echo universal_compaction_options ;;
    CompactionOptionsFIFO) echo fifo_compaction_options ;;
    CompactRangeOptions) echo compactoptions ;;
    ReadOptions) echo readoptions ;;
    WriteOptions) echo writeoptions ;;
    FlushOptions) echo flushoptions ;;
    IngestExternalFileOptions) echo ingestexternalfileoptions ;;
    BackupEngineOptions) echo backup_engine_options ;;
    RestoreOptions) echo restore_options ;;
    WaitForCompactOptions) echo wait_for_compact_options ;;
    *) echo none ;;
  esac
}

declared=$(grep -oE 'tamis_[A-Za-z0-9_]+\(' include/tamis/c.h | tr -d '(' | sort -u)
bad=0
while read -r struct field; do
  setter=tamis_$(group_of "$struct")_set_$field
  [ "$struct" = CompressionOptions ] && setter=tamis_options_set_compression_options_$field
  grep -qx "$setter" <<<"$declared" && continue
  grep -q "^$struct::$field " capi/other_fields.txt && continue
  echo "include/tamis/c.h: $struct::$field has no function, and no line in capi/other_fields.txt"
  bad=1
done <<<"$fields"

while read -r name function _; do
  if ! grep -qx "${name%%::*} ${name##*::}" <<<"$fields"; then
    echo "capi/other_fields.txt: there is no field $name"
    bad=1
  fi
  if [ "$function" != - ] && ! grep -qx "$function" <<<"$declared"; then
    echo "capi/other_fields.txt: $name: there is no function $function"
    bad=1
  fi
done < <(grep -E '^[A-Z]' capi/other_fields.txt)

while read -r counter; do
  if grep -qE "^  tamis_$counter( =.*)?,$" include/tamis/c.h &&
    ! grep -qF "METRIC($counter)" capi/counters.cc; then
    echo "capi/counters.cc: tamis_perfcontext_metric does not know $counter"
    bad=1
  fi
done < <(sed -nE '/^struct (TAMIS_EXPORT )?PerfContext \{/,/^\};/s/^  uint64_t (\w+) = 0;.*/\1/p' \
  include/tamis/perf_context.h)
exit $bad
