#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# symbols.sh <cmake> <build> [--write]: the C++ functions and objects that
# libtamis.so defines and exports are those of cmake/exported_symbols.txt, and
# the C functions are those of tamis/c.h. --write writes the list anew: a line
# that vanishes from it breaks programs, so the soname has to change with it.
set -euo pipefail
cmake=$1 build=$2
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
list=$source/cmake/exported_symbols.txt

"$cmake" --build "$build" --target tamis_shared >/dev/null
# What headers define inline is exported as weak, by some compilers only.
exported=$(nm -DC --defined-only "$build/shared/libtamis.so" |
  LC_ALL=C sed -nE 's/^[0-9a-f]+ [TBDR] //p' | LC_ALL=C sort -u)
if [ "${3:-}" = --write ]; then
  grep '::' <<<"$exported" >"$list"
  exit
fi
fail=0
diff -u "$list" <(grep '::' <<<"$exported") || fail=1
diff -u <(grep -oE 'tamis_[A-Za-z0-9_]+\(' "$source/include/tamis/c.h" | tr -d '(' |
  LC_ALL=C sort -u) <(grep -v '::' <<<"$exported") || fail=1
exit "$fail"
