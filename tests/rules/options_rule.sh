#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# options_rule.sh <root>: every field of an options struct is in that struct's
# table (db/options/*_fields.cc) under its own name, and no struct has a field
# that its base of ignored options has, too. Prints what is wrong; exit 1 if
# anything is.
set -euo pipefail
cd "${1:?usage: options_rule.sh <root>}"

# Lines "<struct> <field>".
fields=$(awk '
  { sub(/TAMIS_EXPORT /, "") }
  /^(struct|class) ((Ignored)?(DB|Compression|ColumnFamily|BlockBasedTable|Table)Options|CompactionOptions[A-Z][A-Za-z]*) / {
    inside = $2; next
  }
  /^};/ { inside = "" }
  # A member, not a function: its name is the last word before the value.
  inside != "" && /^  [A-Za-z].*(;|=$)/ && !/^  [^=]*\(/ &&
      !/^  (enum|using|static)/ {
    line = $0
    sub(/\/\/.*/, "", line)
    sub(/ *(=.*|;.*)$/, "", line)
    sub(/.* /, "", line)
    print inside, line
  }
  # A name that its type has left no room for.
  inside != "" && /^      [a-z_0-9]+;$/ { sub(/^ +/, ""); sub(/;/, ""); print inside, $0 }
  ' $(find include/tamis -name '*options.h' -o -name table.h \
    -o -name universal_compaction.h))

# The table of a struct; its lines are of the form Kind<&D::field>("field"...).
table_of() {
  case "$1" in
    DBOptions | IgnoredDBOptions) echo db/options/db_option_fields.cc D ;;
    CompressionOptions) echo db/options/family_option_fields.cc CompressionOptions ;;
    CompactionOptionsUniversal) echo db/options/family_option_fields.cc U ;;
    CompactionOptionsFIFO) echo db/options/family_option_fields.cc F ;;
    MetadataCacheOptions) echo db/options/table_option_fields.cc M ;;
    *ColumnFamilyOptions) echo db/options/family_option_fields.cc C ;;
    *) echo db/options/table_option_fields.cc T ;;
  esac
}

bad=0
while read -r struct field; do
  read -r file letter < <(table_of "$struct")
  if ! tr -d ' \n' <"$file" | grep -F "&$letter::$field>(\"$field\"" >/dev/null; then
    echo "$file: $struct::$field is missing"
    bad=1
  fi
done <<<"$fields"

for name in DB ColumnFamily Table; do
  struct=${name/#Table/BlockBasedTable}Options
  twice=$(comm -12 <(sed -n "s/^Ignored${name}Options //p" <<<"$fields" | sort) \
    <(sed -n "s/^$struct //p" <<<"$fields" | sort))
  [ -z "$twice" ] && continue
  echo "include/tamis/ignored_options.h: $struct has $twice, too"
  bad=1
done
exit $bad
