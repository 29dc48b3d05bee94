#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# names_rule.sh <root> <page>...: what a page quotes between backquotes exists. A
# path is a file or folder of the tree; every part of a name (`Class::Function`)
# is a word of the library's or the tools' sources. What holds other characters
# is taken for an example. Prints each that is gone; exit 1 if any.
set -euo pipefail
cd "${1:?usage: names_rule.sh <root> <page>...}"
shift

words=$(mktemp)
trap 'rm -f "$words"' EXIT
{ find include util filter table db capi facade/leveldb rados tools \( -name '*.h' -o -name '*.cc' \) \
  -exec cat {} + 2>/dev/null || true; } | grep -oE '[A-Za-z_][A-Za-z_0-9]*' | sort -u >"$words"

status=0
for page in "$@"; do
  while IFS=: read -r line name; do
    name=${name//\`/}
    name=${name%()}
    case $name in
      */* | *.md | *.txt | *.h | *.cc)
        if [ ! -e "$name" ]; then
          echo "$page:$line: there is no $name"
          status=1
        fi
        ;;
      *)
        for part in ${name//::/ }; do
          if ! grep -qxF -- "$part" "$words"; then
            echo "$page:$line: $name: no source has the word $part"
            status=1
          fi
        done
        ;;
    esac
  done < <(grep -noE '`[A-Za-z_][A-Za-z_0-9:/.-]*(\(\))?`' "$page" || true)
done
exit "$status"
