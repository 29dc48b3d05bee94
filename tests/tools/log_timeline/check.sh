#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# check.sh <log_timeline.sh>: what it prints of LOG is expected.txt, and what it
# refuses it refuses with the right exit code.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
timeline=${1:?usage: check.sh <log_timeline.sh>}

# exits <code> <argument>...
exits() {
  local expected=$1 status=0
  shift
  bash "$timeline" "$@" >/dev/null 2>&1 || status=$?
  if [ "$status" -ne "$expected" ]; then
    echo "log_timeline.sh $*: exit $status, not $expected"
    exit 1
  fi
}

bash "$timeline" -w 40 LOG | diff expected.txt -
exits 1 expected.txt  # no event is in it
exits 2
exits 2 no_such_file
