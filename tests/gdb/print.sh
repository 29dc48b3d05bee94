#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# print.sh <gdb> <program> <printers>: what print.gdb prints is expected.txt.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

"${1:?}" --nx --batch --eval-command="source ${3:?}" --command="$here/print.gdb" \
  "${2:?}" 2>&1 </dev/null | tee /dev/stderr |
  sed -n '/^== slices$/,/^== end$/p' | diff "$here/expected.txt" -
