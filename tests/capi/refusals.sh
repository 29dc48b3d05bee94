#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# refusals.sh <facade> <C compiler> <folder>: a function that is absent reports
# it where it can, and ends the process where it cannot.
set -euo pipefail
facade=$1 compiler=$2 folder=$3
rm -rf "$folder"
mkdir -p "$folder"
cat >"$folder/main.c" <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
char* rocksdb_get_full_history_ts_low(void*, void*, size_t*, char**);
void rocksdb_readoptions_set_timestamp(void*, const char*, size_t);
int main(int argc, char** argv) {
  (void)argv;
  char* err = malloc(4);
  strcpy(err, "old");
  if (rocksdb_get_full_history_ts_low(NULL, NULL, NULL, &err) != NULL) return 1;
  printf("%s\n", err);
  free(err);
  fflush(stdout);
  if (argc > 1) rocksdb_readoptions_set_timestamp(NULL, NULL, 0);
  return 0;
}
C
"$compiler" "$folder/main.c" "$facade" -Wl,-rpath-link,"$(dirname "$facade")/.." -o "$folder/main"
export LD_LIBRARY_PATH
LD_LIBRARY_PATH=$(dirname "$facade")
said=$("$folder/main")
expected="Not implemented: rocksdb_get_full_history_ts_low is not among the functions of Tamis"
if [ "$said" != "$expected" ]; then
  echo "it says: $said"
  exit 1
fi
code=0
(ulimit -c 0 && "$folder/main" end >"$folder/out" 2>&1) || code=$?
if [ "$code" -ne 134 ] || ! grep -q "rocksdb_readoptions_set_timestamp is not among" "$folder/out"; then
  cat "$folder/out"
  echo "exit code $code"
  exit 1
fi
rm -rf "$folder"
