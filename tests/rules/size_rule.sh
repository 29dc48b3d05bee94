#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# size_rule.sh <root>: no function of the library or the tools is longer than 70
# lines, no source longer than 500. A longer file says why in its first lines:
#
#   // Long because <reason>.
#
# Relies on clang-format's layout: a function begins at the last line of its own
# indentation before the "}" that ends it. Prints each breach; exit 1 if any.
set -euo pipefail
cd "${1:?usage: size_rule.sh <root>}"

find include/tamis util filter table db capi facade/leveldb rados tools \
  \( -name '*.h' -o -name '*.cc' \) 2>/dev/null | sort |
  xargs --no-run-if-empty awk '
    function check_file() {
      if (lines > 500 && !reason) {
        printf "%s: %d lines, more than 500\n", file, lines
        broken = 1
      }
    }
    FNR == 1 { check_file(); file = FILENAME; reason = 0 }
    { lines = FNR }
    FNR < 60 && /^\/\/ Long because [a-z]/ { reason = 1 }
    /^(  )?(  )?[A-Za-z_~]/ {
      match($0, /^ */)
      head[RLENGTH] = FNR
      is_type[RLENGTH] = $0 ~ /^ *(class|struct|union|enum|namespace) /
    }
    /^(  )?(  )?\}$/ {
      match($0, /^ */)
      if (!is_type[RLENGTH] && FNR - head[RLENGTH] + 1 > 70) {
        printf "%s:%d: a function of %d lines, more than 70\n", FILENAME,
               head[RLENGTH], FNR - head[RLENGTH] + 1
        broken = 1
      }
    }
    END { check_file(); exit broken }
  ' || exit 1
