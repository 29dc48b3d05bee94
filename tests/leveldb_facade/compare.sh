#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# compare.sh <folder> <facade's directory> <program> [words]: runs the program,
# which was built for LevelDB, with Debian's library and on the facade, each in a
# directory of its own. Compares what they write to standard output.
set -euo pipefail
folder=$1 facade=$(cd "$2" && pwd) program=$3
shift 3

rm -rf "$folder"
mkdir -p "$folder"

# run <name> <directory of libraries> [words]
run() {
  local name=$1 libraries=$2 code=0
  shift 2
  mkdir "$folder/$name"
  (cd "$folder/$name" && LD_LIBRARY_PATH=$libraries "$program" "$@" >"../$name.txt") || code=$?
  if [ "$code" -ne 0 ]; then
    cat "$folder/$name.txt"
    echo "$name: exit code $code"
    exit 1
  fi
  if [ ! -s "$folder/$name.txt" ]; then
    echo "$name: the program writes nothing"
    exit 1
  fi
}

if ! LD_LIBRARY_PATH=$facade ldd "$program" | grep -F "$facade/libleveldb.so.1d" >/dev/null; then
  echo "$program does not find the facade"
  exit 1
fi
run leveldb "" "$@"
run facade "$facade" "$@"
diff -u "$folder/leveldb.txt" "$folder/facade.txt" || {
  echo "the outputs with LevelDB and on the facade differ"
  exit 1
}
