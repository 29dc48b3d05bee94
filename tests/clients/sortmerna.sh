#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# sortmerna.sh <libtamis.a> [folder]: the source of Debian's sortmerna, which keeps
# the alignments of reads in RocksDB, built against facade/rocksdb and libtamis
# instead, unchanged; then its own tests. Prints a count; exit 77 if the packages
# cannot be had.
set -euo pipefail
. "$(dirname "$0")/packages.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
library=$(realpath "${1:?usage: sortmerna.sh <libtamis.a> [folder]}")
folder=${2:-$(mktemp -d)}
mkdir -p "$folder/objects"
folder=$(cd "$folder" && pwd)

# Its tests: exit 77 without what they import.
python=/usr/bin/python3
if ! "$python" -c "import jinja2, pandas, yaml" 2>/dev/null; then
  echo "SKIPPED: python3-jinja2, python3-pandas or python3-yaml is not installed"
  exit 77
fi
[ -d "$folder/root/usr/include/rapidjson" ] ||
  unpack "$folder" rapidjson-dev libconcurrentqueue-dev

source=$(find "$folder" -maxdepth 1 -type d -name 'sortmerna-*' | head -n 1)
if [ -z "$source" ]; then
  (cd "$folder" && download_source sortmerna "$folder/sources")
  tar -xzf "$folder"/sortmerna_*.orig.tar.gz -C "$folder"
  source=$(find "$folder" -maxdepth 1 -type d -name 'sortmerna-*' | head -n 1)
fi

# Its CMakeLists.txt fetches RocksDB; these are the sources and folders it names.
cd "$source"
cat >"$folder/version.cpp" <<'CPP'
#include "build_version.h"
const char* sortmerna_build_git_sha = "none";
const char* sortmerna_build_git_date = "none";
const char* sortmerna_build_compile_date = "none";
CPP
mapfile -t sources < <(
  ls 3rdparty/cmph/*.c 3rdparty/alp/*.cpp src/sortmerna/ssw.c "$folder/version.cpp"
  # Without those that its build leaves out.
  ls src/sortmerna/*.cpp | grep -vE '/(minoccur|read_control|writer)\.cpp$'
)
includes=(-Iinclude -I3rdparty/alp -I3rdparty/cmph -I"$root/facade/rocksdb" -I"$root/include"
  -I"$folder/root/usr/include" -I"$folder/root/usr/include/concurrentqueue")
compile() {
  local source=$1
  shift
  case "$source" in
    *.c) "${CC:-gcc}" -O2 -w "$@" -c "$source" -o "$folder/objects/${source##*/}.o" ;;
    *) "${CXX:-g++}" -std=gnu++20 -O2 -w "$@" -c "$source" \
      -o "$folder/objects/${source##*/}.o" ;;
  esac
}
export -f compile
export folder
if [ ! -x "$folder/sortmerna" ]; then
  printf '%s\n' "${sources[@]}" |
    xargs -P "$(nproc)" -I{} bash -c 'compile "$@"' bash {} "${includes[@]}"
fi
"${CXX:-g++}" -o "$folder/sortmerna" "$folder"/objects/*.o "$library" \
  -lsnappy -llz4 -lzstd -lz -lbz2 -lxxhash -lpthread

cat >"$folder/environment.yaml" <<YAML
DATA_DIR:
  here: $source/data
sortmerna:
  src:
    here: $source
  bin:
    here: $folder
YAML
# Those that take seconds. Others take minutes, and t3 expects a count that this
# source does not give, with RocksDB neither.
tests=(t0 t0_1 t1 t2 t4 t9 t10 t15 t16 t18 t20 t22)
passed=0
for test in "${tests[@]}"; do
  rm -rf "$folder/work"
  # The test runner stops in a debugger that was left in: it is told to continue.
  if echo c | timeout 120 "$python" scripts/run.py --name "$test" --envn here \
    --env "$folder/environment.yaml" --workdir "$folder/work" --threads 2 \
    >"$folder/$test.log" 2>&1 && ! grep -E 'Traceback|Assertion' "$folder/$test.log"; then
    passed=$((passed + 1))
  else
    tail -n 20 "$folder/$test.log"
  fi
done
echo "sortmerna: $passed of ${#tests[@]} tests passed"
[ "$passed" -eq ${#tests[@]} ]
