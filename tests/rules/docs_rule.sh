#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# docs_rule.sh <root>: docs/from_rocksdb.md names every option of RocksDB that
# Tamis ignores or lacks (db/options/*_fields.cc), and no Markdown page links to
# a file that is not there. Prints what is wrong; exit 1 if anything is.
set -euo pipefail
cd "${1:?usage: docs_rule.sh <root>}"
bad=0

while read -r option; do
  grep -qF "\`$option\`" docs/from_rocksdb.md && continue
  echo "docs/from_rocksdb.md: $option is not named"
  bad=1
done < <(cat db/options/*_fields.cc | tr -d '\n' | grep -oE '(Ignored<[^>]*>\( *|\{)"\w+"[,)]' |
  sed -E 's/.*"(\w+)".*/\1/' | sort -u)

while IFS=: read -r page link; do
  path=$(dirname "$page")/${link%%#*}
  [ -e "$path" ] && continue
  echo "$page: there is no $link"
  bad=1
done < <(find . -name '*.md' ! -path './build/*' ! -path './tests/rules/broken/*' -print0 |
  xargs -0 grep -oE '\]\([^)#:` ]+(#[^)]*)?\)' | sed -E 's/\]\(([^)]*)\)$/\1/')
exit $bad
