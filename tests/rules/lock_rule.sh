#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# lock_rule.sh <root>: the table under "## Locks" of docs/architecture.md names
# every mutex of the library, and none that does not exist. Prints the
# differences; exit 1 if any.
set -euo pipefail
cd "${1:?usage: lock_rule.sh <root>}"

in_code() {
  find util filter table db rados ! -path util/base/mutex.h \( -name '*.h' -o -name '*.cc' \) 2>/dev/null | sort |
    xargs awk '
      FNR == 1 { split("", name) }
      match($0, /^ *(class|struct) [^;]*$/) {
        indent = match($0, /[^ ]/) - 1
        line = $0
        sub(/^ *(class|struct) +/, "", line)
        gsub(/(SCOPED_)?CAPABILITY(\("[a-z]*"\))? |alignas\([0-9]+\) |\[\[[a-z]+\]\] /, "", line)
        sub(/[^A-Za-z_0-9:].*/, "", line)
        sub(/:+$/, "", line)
        name[indent] = line
      }
      /^ +(mutable |static |const |alignas\([0-9]+\) )*(std::mutex|std::shared_mutex|Mutex) [a-z_]+;/ {
        indent = match($0, /[^ ]/) - 1
        best = -1
        for (i in name) if (i + 0 < indent && i + 0 > best) best = i + 0
        member = $0
        sub(/;.*/, "", member)
        sub(/.* /, "", member)
        print name[best] "::" member
      }' | sort
}

in_docs() {
  awk '/^## / { inside = $0 == "## Locks" }
       inside && match($0, /`[A-Za-z_:]+::[a-z_]+`/) {
         print substr($0, RSTART + 1, RLENGTH - 2)
       }' docs/architecture.md | sort
}

status=0
while IFS= read -r line; do
  status=1
  case $line in
    $'\t'*) echo "docs/architecture.md: Locks: ${line#$'\t'} is no mutex of the code" ;;
    *) echo "docs/architecture.md: Locks: $line is missing" ;;
  esac
done < <(comm -3 <(in_code) <(in_docs))
exit "$status"
