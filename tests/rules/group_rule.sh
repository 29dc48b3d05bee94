#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# group_rule.sh <root>: no source of tests has a hidden name that another source
# of its group uses. tests/CMakeLists.txt compiles a group as one, where such a
# name could take the place of what the other source meant, and no compiler says
# so: Key(int) of one that of Key(uint64_t) of the other. Prints each such name;
# exit 1 if any. tests/compiled_alone.txt has the sources that are in no group.
set -euo pipefail
cd "${1:?usage: group_rule.sh <root>}"

# As tamis_compile_in_groups: "<program> <group> <source>" for each.
groups() {
  local program sources source groups digit
  for program in $(grep -ohE '^ *tamis_tests\([a-z]+' tests/CMakeLists.txt \
    tests/interop/Peers.cmake 2>/dev/null | sed 's/.*(//' | sort -u); do
    sources=$({
      ls "tests/$program"/*.cc
      grep -oE "^$program/[a-z_/]+" cmake/rooms.txt |
        while read -r room; do ls "tests/$room"/*.cc; done
    } 2>/dev/null || true)
    groups=4
    if [ "$(wc -w <<<"$sources")" -gt 100 ]; then groups=16; fi
    for source in $sources; do
      grep -qx "${source#tests/}" tests/compiled_alone.txt && continue
      digit=$(printf '%s' "${source##*/}" | md5sum | cut -c1)
      echo "$program.$((16#$digit % groups)) $source"
    done
  done
}

status=0
while read -r sources; do
  # Twice: what is hidden, and who uses it.
  # shellcheck disable=SC2086
  awk '
    FNR == 1 { hides = 0; if (FILENAME in seen) second = 1; seen[FILENAME] }
    { gsub(/"([^"\\]|\\.)*"/, "\"\"") }
    /^namespace \{/ { hides = 1 }
    /^}  \/\/ namespace$/ { hides = 0 }
    { sub(/\/\/.*/, "") }
    !second && (hides || /^static /) && /^[A-Za-z]/ &&
        !/^(TEST|INSTANTIATE|using|class|struct|enum|namespace|return)/ {
      head = $0
      sub(/[(={].*/, "", head)
      if (head == $0 || head !~ / /) next
      gsub(/[ \[\]]+$/, "", head)
      sub(/.*[^A-Za-z0-9_]/, "", head)
      if (head != "" && head != "PrintTo") hidden[head] = hidden[head] " " FILENAME
    }
    second {
      text = " " $0
      while (match(text, /[^A-Za-z0-9_][A-Za-z_][A-Za-z0-9_]*/)) {
        before = substr(text, RSTART, 1)
        word = substr(text, RSTART + 1, RLENGTH - 1)
        text = substr(text, RSTART + RLENGTH)
        if (before ~ /[.>:]/ || !(word in hidden) || (word, FILENAME) in told) continue
        told[word, FILENAME]
        count = split(hidden[word], where, " ")
        for (i = 1; i <= count; ++i) {
          if (where[i] == FILENAME) continue
          printf "%s: its %s is a word of %s, too\n", where[i], word, FILENAME
          broken = 1
        }
      }
    }
    END { exit broken }
  ' $sources $sources || status=1
done < <(groups | awk '{ all[$1] = all[$1] " " $2 } END { for (group in all) print all[group] }' | sort)
exit "$status"
