#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# name_rule.sh <root>: no two headers define a class of one name. A program that
# contains both would use one's destructor for the other, and no compiler says
# so. Headers of tests may share a name with each other and with tools, which are
# different programs, but not with the library. leveldb_compat.h has a namespace
# of its own. Prints each second definition;
# exit 1 if any.
set -euo pipefail
cd "${1:?usage: name_rule.sh <root>}"

find include/tamis util filter table db capi rados tools tests -name '*.h' \
  ! -path 'tests/rules/*' ! -name leveldb_compat.h 2>/dev/null | sort |
  xargs --no-run-if-empty awk '
    # At the left margin, with a body or a base: neither nested nor a mere
    # declaration.
    /^(class|struct) [^;]*$/ {
      name = $2
      for (i = 3; name ~ /^(\[\[|SCOPED_|CAPABILITY|alignas|TAMIS_)/; ++i) name = $i
      if (name ~ /::/) next
      sub(/[:{].*/, "", name)
      if (name in place && place[name] != FILENAME &&
          !(place[name] FILENAME ~ /tests\/.*(tests|tools)\/|tools\/.*tests\//)) {
        printf "%s:%d: %s is defined in %s too\n", FILENAME, FNR, name,
               place[name]
        broken = 1
      }
      place[name] = FILENAME
    }
    END { exit broken }
  ' || exit 1
