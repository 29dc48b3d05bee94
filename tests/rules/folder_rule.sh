#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# folder_rule.sh <root>: the #include lines against the direction of
# dependency,
#
#   tools ──▶ db ──▶ table ──▶ filter ──▶ util ──▶ include/tamis
#
# A folder includes itself and what stands to its right. Public headers include
# std and each other. Prints each line that breaks the rule; exit 1 if any.
set -euo pipefail
cd "${1:?usage: folder_rule.sh <root>}"

find include/tamis util filter table db tools \
  \( -name '*.h' -o -name '*.cc' \) 2>/dev/null | sort |
  xargs --no-run-if-empty awk '
    BEGIN {
      rank["tamis"] = 0; rank["util"] = 1; rank["filter"] = 2
      rank["table"] = 3; rank["db"] = 4; rank["tools"] = 5
    }
    function bad(why) {
      printf "%s:%d: %s: %s\n", FILENAME, FNR, why, $0
      broken = 1
    }
    FNR == 1 {
      split(FILENAME, part, "/")
      folder = part[1] == "include" ? "tamis" : part[1]
    }
    !/^[ \t]*#[ \t]*include/ { next }
    match($0, /"[^"]*"/) {
      target = substr($0, RSTART + 1, RLENGTH - 2)
      if (split(target, step, "/") < 2 || !(step[1] in rank)) {
        bad("not a path from the root")
      } else if (rank[step[1]] > rank[folder]) {
        bad(folder " never includes " step[1])
      }
      next
    }
    match($0, /<[^>]*>/) {
      target = substr($0, RSTART + 1, RLENGTH - 2)
      if (folder == "tamis" && target ~ /[.\/]/) {
        bad("a public header includes only std and tamis/")
      } else if (folder != "tools" && folder != "tamis" &&
                 target ~ /^(gflags|gtest|gmock|rocksdb|leveldb|nlohmann)/) {
        bad("the library does not depend on this")
      }
    }
    END { exit broken }
  ' || exit 1
