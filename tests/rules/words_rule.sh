#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# words_rule.sh <root>: comments of the library and the tools use no word that
# docs/glossary.md lists as not used: those in the last column of its tables and
# the phrases at its end. A word that is also a term of the glossary
# may be used. Prints each use; exit 1 if any.
set -euo pipefail
cd "${1:?usage: words_rule.sh <root>}"

words=$(awk -F ' *[|] *' '
  function trim(s) { gsub(/^[ `]+|[ `]+$|\([^)]*\)/, "", s); return tolower(s) }
  # | term, term | meaning | RocksDB | not used, not used |
  /^\|/ && NF >= 6 && $2 != "term" && $2 !~ /^-+$/ {
    n = split($2, part, /, /)
    for (i = 1; i <= n; ++i) term[trim(part[i])] = 1
    n = split($(NF - 1), part, /, /)
    for (i = 1; i <= n; ++i) unused[trim(part[i])] = 1
  }
  /^## Phrases/ { inside = 1 }
  inside { phrases = phrases " " $0 }
  END {
    if (!sub(/.*do not use these phrases: /, "", phrases)) {
      print "docs/glossary.md: no phrase is listed as not used" > "/dev/stderr"
      exit 1
    }
    sub(/\..*/, "", phrases)
    n = split(phrases, part, /; /)
    for (i = 1; i <= n; ++i) unused[trim(part[i])] = 1
    for (word in unused) if (word != "" && !(word in term)) print word
  }
' docs/glossary.md | sort | paste -s -d '|')
if [ -z "$words" ]; then
  echo "docs/glossary.md: no word is listed as not used"
  exit 1
fi

uses=$(find include util filter table db capi facade/leveldb rados tools \
  \( -name '*.h' -o -name '*.cc' \) \
  -exec grep -nHiE "//.*\b($words)\b" {} + 2>/dev/null || true)
if [ -n "$uses" ]; then
  echo "$uses"
  exit 1
fi
