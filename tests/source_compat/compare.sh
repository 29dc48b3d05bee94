#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# compare.sh <program built against the peer> <the same against Tamis> <folder>
# Runs both in the folder, each in a directory of the same name, and compares
# what they write to standard output, byte for byte.
set -euo pipefail
peer=$1 tamis=$2 folder=$3

rm -rf "$folder"
for engine in peer tamis; do
  mkdir -p "$folder/$engine"
  code=0
  (cd "$folder/$engine" && "${!engine}" database > ../"$engine.txt") || code=$?
  if [ "$code" -ne 0 ]; then
    cat "$folder/$engine.txt"
    echo "with $engine: exit code $code"
    exit 1
  fi
done
if [ ! -s "$folder/peer.txt" ]; then
  echo "the program writes nothing"
  exit 1
fi
diff -u "$folder/peer.txt" "$folder/tamis.txt" || {
  echo "the outputs differ"
  exit 1
}
rm -rf "$folder"
