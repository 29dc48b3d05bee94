#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# python.sh <cmake> <build> <folder>: the Python package is compiled against the
# headers and the shared library, and its tests run.
set -euo pipefail
cmake=$1 build=$2 folder=$3
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# Debian's, for which Debian has cffi.
python=/usr/bin/python3
if ! "$python" -c 'import cffi, hypothesis, pytest' 2>/dev/null ||
   [ ! -e "$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')/Python.h" ]; then
  echo "SKIP_NO_PYTHON: needs python3-cffi, python3-dev, python3-pytest, python3-hypothesis"
  exit 77
fi
"$cmake" --build "$build" --target tamis_shared >/dev/null
rm -rf "$folder"
mkdir -p "$folder"
cp -r "$source/python/." "$folder"
"$python" "$folder/build_bindings.py" "$source/include" "$build/shared" --rpath
cd "$folder"
PYTHONPATH=. "$python" -B -m pytest -q -p no:cacheprovider tests
cd /
rm -rf "$folder"
