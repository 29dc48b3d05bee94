#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# recipes.sh <cmake> <folder>: the recipes of packaging/ can be parsed, have the
# library's version, and name every library that CMake looks for. So can the
# files for editors and for GitHub.
set -euo pipefail
cmake=$1 folder=$2
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
mkdir -p "$folder"
fail() {
  echo "$*"
  exit 1
}
version=$(sed -nE 's/^#define TAMIS_(MAJOR|MINOR|PATCH) //p' include/tamis/version.h | paste -s -d .)
recipes=(packaging/vcpkg/vcpkg.json packaging/conan/conanfile.py packaging/nix/default.nix)

python3 - <<'PY'
import ast
import json

for path in ("packaging/vcpkg/vcpkg.json", ".devcontainer/devcontainer.json"):
    with open(path, encoding="utf-8") as file:
        json.load(file)
with open("packaging/conan/conanfile.py", encoding="utf-8") as file:
    ast.parse(file.read())
try:
    import yaml
except ImportError:
    pass
else:
    with open(".github/workflows/ci.yml", encoding="utf-8") as file:
        assert yaml.safe_load(file)["jobs"]
PY
if command -v nix-instantiate >/dev/null; then
  nix-instantiate --parse packaging/nix/default.nix >/dev/null
fi
grep -qF "\"version\": \"$version\"" packaging/vcpkg/vcpkg.json || fail "vcpkg.json: not $version"
grep -qF "version = \"$version\"" packaging/nix/default.nix || fail "default.nix: not $version"

# The port, with functions of vcpkg's that print what they are called with.
{
  echo 'cmake_minimum_required(VERSION 3.21)'
  grep -oE '^vcpkg_[a-z_]+' packaging/vcpkg/portfile.cmake | sort -u |
    sed 's/.*/function(&)\n  message("& ${ARGN}")\nendfunction()/'
  echo "set(CURRENT_PACKAGES_DIR $folder/packages)"
  echo "set(VCPKG_LIBRARY_LINKAGE dynamic)"
  echo "include($PWD/packaging/vcpkg/portfile.cmake)"
} >"$folder/port.cmake"
"$cmake" -P "$folder/port.cmake" >"$folder/port.out" 2>&1 || fail "$(cat "$folder/port.out")"
grep -qE "vcpkg_cmake_configure SOURCE_PATH;$PWD;.*-DTAMIS_BUILD_SHARED=1" "$folder/port.out" ||
  fail "$(cat "$folder/port.out")"

for library in snappy xxhash lz4 zstd zlib bzip2 gflags nlohmann.json; do
  for recipe in "${recipes[@]}"; do
    grep -qi "$library" "$recipe" || fail "$recipe: $library is not named"
  done
done
# A codec that is found and in none of them.
while read -r library; do
  grep -qi "$library" "${recipes[0]}" || fail "cmake/Dependencies.cmake: $library is in no recipe"
done < <(grep -oE 'TAMIS_WITH_[A-Z0-9]+' cmake/Dependencies.cmake | sed 's/TAMIS_WITH_//' | sort -u)
