#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# folder_rule.sh <root>: the #include lines against the order of the folders,
#
#   tools ──▶ cmake/rooms.txt, from its end to its beginning ──▶ include/tamis
#
# A folder includes itself and what stands to its right; capi, rados and those of
# facade only include/tamis besides themselves, facade/leveldb LevelDB's headers,
# and rados librados's. Public headers include std and each other. No source lies
# outside of these folders. Prints each line that breaks the rule; exit 1 if any.
set -euo pipefail
rooms=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../cmake" && pwd)/rooms.txt
cd "${1:?usage: folder_rule.sh <root>}"

find include/tamis util filter table db capi facade/leveldb rados tools \
  \( -name '*.h' -o -name '*.cc' \) 2>/dev/null | sort |
  ROOMS=$rooms xargs --no-run-if-empty awk '
    function folder_of(path) {
      if (path ~ /^(include\/)?tamis\//) return "tamis"
      if (path ~ /^tools\//) return "tools"
      sub(/\/[^\/]*$/, "", path)
      return path
    }
    function bad(why) {
      printf "%s:%d: %s: %s\n", FILENAME, FNR, why, $0
      broken = 1
    }
    BEGIN {
      rank["tamis"] = ++ranks
      while ((getline line < ENVIRON["ROOMS"]) > 0) {
        if (line !~ /^[a-z]/) continue
        sub(/ .*/, "", line)
        rank[line] = ++ranks
      }
      rank["facade/leveldb"] = ++ranks
      rank["rados"] = ++ranks
      rank["tools"] = ++ranks
    }
    FNR == 1 {
      folder = folder_of(FILENAME)
      if (!(folder in rank)) bad(folder " is not in cmake/rooms.txt")
    }
    !/^[ \t]*#[ \t]*include/ { next }
    match($0, /"[^"]*"/) {
      target = folder_of(substr($0, RSTART + 1, RLENGTH - 2))
      if (!(target in rank)) {
        bad("not a path from the root")
      } else if (folder == "capi" && target != "capi" && target != "tamis") {
        bad("capi includes only itself and include/tamis")
      } else if (folder == "rados" && target != "rados" && target != "tamis") {
        bad("rados includes only itself and include/tamis")
      } else if (folder ~ /^facade/ && target != folder && target != "tamis") {
        bad(folder " includes only itself and include/tamis")
      } else if (rank[target] > rank[folder] || target ~ /^facade/ && target != folder) {
        bad(folder " never includes " target)
      }
      next
    }
    match($0, /<[^>]*>/) {
      target = substr($0, RSTART + 1, RLENGTH - 2)
      if (FILENAME == "include/tamis/c.h" && target ~ /^std[a-z]+\.h$/) {
        next  # it is C
      } else if (folder == "tamis" && target ~ /[.\/]/) {
        bad("a public header includes only std and tamis/")
      } else if (target ~ /^rados\// && folder != "rados") {
        bad("only rados includes librados")
      } else if (folder == "facade/leveldb" && target ~ /^leveldb/) {
        next
      } else if (folder != "tools" && folder != "tamis" &&
                 target ~ /^(gflags|gtest|gmock|rocksdb|leveldb|nlohmann)/) {
        bad("the library does not depend on this")
      }
    }
    END { exit broken }
  ' || exit 1
