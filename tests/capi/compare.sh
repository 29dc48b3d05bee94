#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# compare.sh <folder> <program with Tamis> [<the same with RocksDB> [<facade>]]
# Runs the programs in the folder, each in a directory of its own; the one made
# for RocksDB also with the facade's directory before the system's libraries.
# Compares what they write to standard output, byte for byte.
set -euo pipefail
folder=$1 tamis=$2 rocksdb=${3:-} facade=${4:-}

rm -rf "$folder"
mkdir -p "$folder"

# run <name> <program> [<directory of libraries>]
run() {
  local code=0
  mkdir "$folder/$1"
  (cd "$folder/$1" && LD_LIBRARY_PATH=${3:-} "$2" database >"../$1.txt") || code=$?
  if [ "$code" -ne 0 ]; then
    cat "$folder/$1.txt"
    echo "$1: exit code $code"
    exit 1
  fi
  if [ ! -s "$folder/$1.txt" ]; then
    echo "$1: the program writes nothing"
    exit 1
  fi
}

# same <name>: prints what Tamis prints.
same() {
  diff -u "$folder/$1.txt" "$folder/tamis.txt" || {
    echo "the outputs of $1 and tamis differ"
    exit 1
  }
}

run tamis "$tamis"
if [ -n "$rocksdb" ]; then
  run rocksdb "$rocksdb"
  same rocksdb
fi
if [ -n "$facade" ]; then
  libraries=$(LD_LIBRARY_PATH=$facade ldd "$rocksdb")
  if [[ $libraries != *"librocksdb.so.7.8 => $facade"* ]]; then
    echo "the program does not find the facade"
    exit 1
  fi
  run facade "$rocksdb" "$facade"
  same facade
fi
rm -rf "$folder"
