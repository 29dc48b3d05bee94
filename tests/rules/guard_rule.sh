#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# guard_rule.sh <readelf> <library or object>: no function of ours has a static
# variable that is initialized when it is first passed, but for thread_local
# ones. A child that is forked while another thread initializes one would wait
# for that thread forever (util/base/immortal.h). The compiler guards each by a
# variable _ZGV<name>. Prints those; exit 1 if any.
set -euo pipefail
readelf=${1:?usage: guard_rule.sh <readelf> <library or object>}
library=${2:?usage: guard_rule.sh <readelf> <library or object>}

# Num: Value Size Type Bind Vis Ndx Name
"$readelf" --symbols --wide "$library" | awk '
  $4 == "OBJECT" && $8 ~ /^_ZGV.*5tamis/ {
    print $8 ": a static variable that is initialized at first use"
    broken = 1
  }
  $4 == "FUNC" { functions++ }
  END {
    if (functions == 0) print "no symbols were read"
    exit broken || functions == 0
  }
' | { if command -v c++filt >/dev/null; then c++filt; else cat; fi; }
exit "${PIPESTATUS[1]}"
