#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hidden_rule.sh <root> [file...]: no two sources of a folder use one name in
# their unnamed namespaces. The compiler gets several of them as one text, and
# a call could then reach the other file's function. The files named are
# compiled alone. Prints each second use; exit 1 if any.
set -euo pipefail
cd "${1:?usage: hidden_rule.sh <root> [file compiled alone...]}"
shift

# tools/tamis_<name>.cc are programs of their own.
find util filter table db capi rados tools -name '*.cc' 2>/dev/null |
  grep -v '^tools/tamis_[a-z_]*\.cc$' | sort |
  ALONE=" $* " xargs --no-run-if-empty awk '
    function hidden(name) {
      if (index(ENVIRON["ALONE"], " " FILENAME " ")) return
      folder = FILENAME
      sub(/\/[^\/]*$/, "", folder)
      key = folder " " name
      if (key in place && place[key] != FILENAME) {
        printf "%s:%d: %s is a hidden name of %s too\n", FILENAME, FNR, name,
               place[key]
        broken = 1
      }
      place[key] = FILENAME
    }
    FNR == 1 { inside = 0 }
    /^namespace \{$/ { inside = 1; next }
    /^}  \/\/ namespace$/ { inside = 0 }
    !inside || !/^[A-Za-z]/ || /^(static_assert|alignas|template|using|namespace|TAMIS_)/ {
      next
    }
    /^(class|struct|union|enum|enum class) / {
      name = $2 == "class" ? $3 : $2
      sub(/[^A-Za-z_0-9].*/, "", name)
      hidden(name)
      next
    }
    # A function: what stands before the parenthesis.
    match($0, /[A-Za-z_0-9:]+\(/) {
      name = substr($0, RSTART, RLENGTH - 1)
      if (name !~ /:/) hidden(name)
      next
    }
    # A variable: what stands before its value or its bounds.
    match($0, /[A-Za-z_0-9]+(\[.*\])*( =.*|;|\{.*)$/) {
      name = substr($0, RSTART)
      sub(/[^A-Za-z_0-9].*/, "", name)
      hidden(name)
    }
    END { exit broken }
  ' || exit 1
