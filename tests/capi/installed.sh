#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# installed.sh <cmake> <build> <lib> <C compiler> <folder>: a C program is built
# and run against an installed tree, with tamis/c.h and libtamis, and with
# rocksdb/c.h and libtamis_rocksdb; the latter also on the facade, which finds its
# library by its own path.
set -euo pipefail
cmake=$1 build=$2 lib=$3 compiler=$4 folder=$5
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
rm -rf "$folder"
"$cmake" --install "$build" --prefix "$folder/prefix" >/dev/null
export PKG_CONFIG_PATH="$folder/prefix/$lib/pkgconfig"

# shellcheck disable=SC2046
"$compiler" -std=c99 -D_POSIX_C_SOURCE=200809L "$here/batches.c" -o "$folder/batches" \
  $(pkg-config --static --cflags --libs tamis) -lstdc++ -lm
(cd "$folder" && LD_LIBRARY_PATH="$folder/prefix/$lib" ./batches database >/dev/null)

cat >"$folder/main.c" <<'C'
#include <rocksdb/c.h>
#include <stdio.h>
int main(void) {
  char* err = NULL;
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_t* db = rocksdb_open(options, "other", &err);
  if (err != NULL) return 1;
  rocksdb_close(db);
  printf("opened\n");
  return 0;
}
C
# shellcheck disable=SC2046
"$compiler" "$folder/main.c" -o "$folder/main" $(pkg-config --cflags --libs tamis_rocksdb)
cd "$folder"
[ "$(LD_LIBRARY_PATH=$folder/prefix/$lib ./main)" = opened ]
facade="$folder/prefix/$lib/tamis/facade"
# As a program is that was linked with RocksDB: a stub has that library's name.
grep -oE 'rocksdb_[a-z_]+\(' "$folder/main.c" | sort -u | sed 's/.*/void &void) {}/' >"$folder/stub.c"
"$compiler" -shared -fPIC "$folder/stub.c" -o "$folder/stub.so" -Wl,-soname,librocksdb.so.7.8
"$compiler" "$folder/main.c" -o "$folder/for_rocksdb" "$folder/stub.so"
libraries=$(LD_LIBRARY_PATH=$facade ldd ./for_rocksdb)
if [[ $libraries != *"librocksdb.so.7.8 => $facade"* ]]; then
  echo "the facade's name is not librocksdb.so.7.8"
  exit 1
fi
[ "$(LD_LIBRARY_PATH=$facade ./for_rocksdb)" = opened ]
cd /
rm -rf "$folder"
