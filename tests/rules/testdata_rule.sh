#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# testdata_rule.sh <root>: every file of cases below tests/testdata is named by a
# test of its room, and no source of a test is longer than 600 lines. The scripts
# of the crash tests are found by listing them. Prints each breach; exit 1 if
# any.
set -euo pipefail
cd "${1:?usage: testdata_rule.sh <root>}"

broken=0
while read -r file; do
  room=${file#tests/testdata/}
  room=${room%%/*}
  name=$(basename "$file" .txt)
  [ "$room" != crash ] || continue
  if ! grep -rqs --include='*_test.cc' -e "[\"/]$name\"" -e "/$name\.txt\"" \
    "tests/$room"; then
    echo "$file: no test runs it"
    broken=1
  fi
done < <(find tests/testdata -type f | sort)

while read -r lines file; do
  if [ "$file" != total ] && [ "$lines" -gt 600 ]; then
    echo "$file: $lines lines, more than 600"
    broken=1
  fi
done < <(find tests \( -name '*.cc' -o -name '*.h' \) -exec wc -l {} +)
exit "$broken"
