#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# upgrade.sh <folder> <facade's directory> <program>: a database that LevelDB
# wrote is refused by the facade, by name and unchanged, and converted when the
# environment says so.
set -euo pipefail
folder=$1 facade=$(cd "$2" && pwd) program=$3
rm -rf "$folder"
mkdir -p "$folder"
database=$folder/db

fail() {
  echo "$*"
  exit 1
}
# expect <text> <what was printed>
expect() { grep -qF "$1" <<<"$2" || fail "expected \"$1\", got: $2"; }

"$program" "$database" 5000 >/dev/null
expect "5000 entries" "$("$program" "$database" 0)"
before=$(cd "$database" && find . -type f ! -name 'LOG*' -exec sha256sum {} + | sort)

refused=$(LD_LIBRARY_PATH=$facade "$program" "$database" 0) && fail "it was opened"
expect "Invalid argument: $database: it is a LevelDB database; set TAMIS_LEVELDB_UPGRADE=1" "$refused"
after=$(cd "$database" && find . -type f ! -name 'LOG*' -exec sha256sum {} + | sort)
[ "$before" = "$after" ] || fail "the refusal changed the directory: $(diff <(echo "$before") <(echo "$after"))"

export LD_LIBRARY_PATH=$facade
expect "5000 entries" "$(TAMIS_LEVELDB_UPGRADE=1 "$program" "$database" 6000)"
# It is Tamis's now.
expect "6000 entries" "$("$program" "$database" 0)"
