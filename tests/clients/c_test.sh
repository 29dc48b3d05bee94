#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# c_test.sh <library folder> [folder]: RocksDB's and LevelDB's own tests of their C
# API, db/c_test.c of Debian's sources, unchanged, against libtamis_rocksdb and the
# facade of LevelDB. The folder has libtamis_rocksdb.so, capi/include and facade/.
# Prints a count; exit 77 if the sources cannot be had.
set -euo pipefail
. "$(dirname "$0")/packages.sh"
library=$(realpath "${1:?usage: c_test.sh <library folder> [folder]}")
folder=${2:-$(mktemp -d)}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

# source_of <package>: unpacks it into the folder.
source_of() {
  [ -n "$(find "$folder" -maxdepth 1 -type d -name "$1-[0-9]*")" ] && return
  (cd "$folder" && download_source "$1" "$folder/sources")
  tar -xzf "$folder/$1"_*.orig.tar.gz -C "$folder"
}

passed=0
# run <name> <compiler arguments...>: compiles the test and runs it in the folder.
run() {
  local name=$1
  shift
  "${CC:-gcc}" -std=gnu99 -O1 -w -o "$folder/$name" "$@"
  rm -rf "$folder/$name.data"
  mkdir "$folder/$name.data"
  if TEST_TMPDIR="$folder/$name.data" timeout 300 "$folder/$name" >"$folder/$name.log" 2>&1 &&
    [ "$(tail -n 1 "$folder/$name.log")" = PASS ]; then
    passed=$((passed + 1))
    echo "$name: $(grep -c '^=== Test' "$folder/$name.log") phases passed"
  else
    tail -n 5 "$folder/$name.log"
  fi
}

source_of rocksdb
run rocksdb_c_test "$folder"/rocksdb-*/db/c_test.c -I"$library/capi/include" \
  -L"$library" -ltamis_rocksdb -Wl,-rpath,"$library"
source_of leveldb
run leveldb_c_test "$folder"/leveldb-*/db/c_test.c -I"$(echo "$folder"/leveldb-*/include)" \
  -L"$library/facade" -l:libleveldb.so.1d -Wl,-rpath,"$library/facade"
echo "c_test: $passed of 2 passed"
[ "$passed" -eq 2 ]
