#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# plyvel.sh <facade's directory> [folder]: Debian's python3-plyvel, LevelDB for
# Python, unchanged. plyvel_checks.py uses all of its classes, with Debian's
# LevelDB and on the facade, and prints the same. Exit 77 if the package cannot
# be had.
set -euo pipefail
. "$(dirname "$0")/packages.sh"
facade=$(cd "${1:?usage: plyvel.sh <facade directory> [folder]}" && pwd)
checks=$(cd "$(dirname "$0")" && pwd)/plyvel_checks.py
folder=${2:-$(mktemp -d)}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

modules=$folder/root/usr/lib/python3/dist-packages
if [ ! -d "$modules" ]; then
  unpack "$folder" python3-plyvel
fi
python=/usr/bin/python3
if ! PYTHONPATH=$modules "$python" -c 'import plyvel' 2>"$folder/import.log"; then
  echo "SKIPPED: $(tail -1 "$folder/import.log")"
  exit 77
fi

for engine in leveldb facade; do
  rm -rf "${folder:?}/$engine"
  mkdir -p "$folder/$engine"
  libraries=
  [ "$engine" = facade ] && libraries=$facade
  (cd "$folder/$engine" && LD_LIBRARY_PATH=$libraries PYTHONPATH=$modules \
    "$python" "$checks" "$libraries" >"../$engine.txt") || {
    cat "$folder/$engine.txt"
    echo "plyvel fails with $engine"
    exit 1
  }
done
diff -u "$folder/leveldb.txt" "$folder/facade.txt" || {
  echo "plyvel prints another text on the facade"
  exit 1
}
echo "plyvel: $(wc -l <"$folder/facade.txt") lines, the same with LevelDB and on the facade"
