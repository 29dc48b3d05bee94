#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# packages.sh <cmake> <build> <C++ compiler> <folder>: the Debian packages are
# made, unpacked into an empty root by dpkg, and used there: programs are built
# with the -dev package alone, tools run, the facades have their names.
set -euo pipefail
cmake=$1 build=$2 compiler=$3 folder=$4
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
rm -rf "$folder"
mkdir -p "$folder/root/var/lib/dpkg/info" "$folder/root/var/lib/dpkg/updates"
: >"$folder/root/var/lib/dpkg/status"
fail() {
  echo "$*"
  exit 1
}

"$cmake" --build "$build" --target tamis_shared tamis_python tamis_rados_shared >/dev/null
cpack=$(dirname "$cmake")/cpack
(cd "$build" && "$cpack" -G DEB -B "$folder/packages" >"$folder/cpack.log" 2>&1) ||
  { cat "$folder/cpack.log"; exit 1; }
packages=("$folder"/packages/*.deb)
names=$(for one in "${packages[@]}"; do dpkg-deb -f "$one" Package; done | sort | tr '\n' ' ')
[ "$names" = "libtamis-dev libtamis-leveldb libtamis-rados libtamis0.1 python3-tamis tamis-tools " ] || fail "packages: $names"

# What a package needs is in Debian or among them.
for one in "${packages[@]}"; do
  depends=$(dpkg-deb -f "$one" Depends)
  for name in $(tr ',' '\n' <<<"$depends" | sed 's/(.*//; s/|.*//'); do
    [[ " $names" == *" $name "* ]] || dpkg -s "$name" >/dev/null 2>&1 ||
      fail "$one needs $name, which is not installed"
  done
done
depends=$(dpkg-deb -f "$folder"/packages/libtamis0.1_*.deb Depends)
[[ $depends == *libsnappy1v5* ]] || fail "libtamis0.1 depends on: $depends"

# dpkg refuses a file of two packages. Dependencies are outside of the root.
dpkg --root="$folder/root" --log="$folder/dpkg.log" --force-not-root \
  --force-depends --force-script-chrootless -i "${packages[@]}" >"$folder/dpkg.out" 2>&1 ||
  { cat "$folder/dpkg.out"; exit 1; }
usr=$folder/root/usr
export PKG_CONFIG_PATH="$usr/lib/pkgconfig" LD_LIBRARY_PATH="$usr/lib"
[ -d "$PKG_CONFIG_PATH" ] || fail "$(find "$usr/lib" -name '*.pc')"

# shellcheck disable=SC2046
"$compiler" -std=c++20 "$source/examples/hello.cc" -o "$folder/hello" \
  $(pkg-config --cflags --libs tamis)
libraries=$(ldd "$folder/hello")
[[ $libraries == *"libtamis.so.0.1 => $usr/lib/"* ]] || fail "$libraries"
"$folder/hello" "$folder/db" | diff - "$source/examples/hello.txt"

echo '#include <rocksdb/c.h>
int main(void) { rocksdb_options_destroy(rocksdb_options_create()); return 0; }' >"$folder/c.cc"
# shellcheck disable=SC2046
"$compiler" "$folder/c.cc" -o "$folder/c" $(pkg-config --cflags --libs tamis_rocksdb)
"$folder/c"

echo '#include <tamis/rados.h>
int main() {
  std::shared_ptr<tamis::FileSystem> file_system;
  return tamis::NewRadosFileSystem({}, &file_system).IsInvalidArgument() ? 0 : 1;
}' >"$folder/rados.cc"
# shellcheck disable=SC2046
"$compiler" -std=c++20 "$folder/rados.cc" -o "$folder/rados" $(pkg-config --cflags --libs tamis_rados)
libraries=$(ldd "$folder/rados")
[[ $libraries == *"libtamis_rados.so.0.1 => $usr/lib/"*librados.so.2* ]] || fail "$libraries"
"$folder/rados"
"$usr/bin/tamis_rados" --version >/dev/null
[ -s "$usr/share/man/man1/tamis_rados.1" ] || fail "no man page of tamis_rados"
depends=$(dpkg-deb -f "$folder"/packages/libtamis-rados_*.deb Depends)
[[ $depends == *libtamis0.1* && $depends == *librados2* ]] || fail "libtamis-rados depends on: $depends"

for tool in tamis_ldb tamis_sst_dump tamis_db_bench; do
  "$usr/bin/$tool" --version >/dev/null
  [ -s "$usr/share/man/man1/$tool.1" ] || fail "no man page of $tool"
done
"$usr/bin/tamis_ldb" --db="$folder/db" scan | grep -c apple >/dev/null
PYTHONPATH="$usr/lib/python3/dist-packages" /usr/bin/python3 -c "
import tamis
with tamis.DB('$folder/db') as db: assert db[b'apple'] == b'red'"
for name in librocksdb.so.7.8 libleveldb.so.1d; do
  [ -e "$usr/lib/tamis/facade/$name" ] || fail "no $name"
done
for name in $names; do
  [ -s "$usr/share/doc/$name/copyright" ] || fail "no copyright of $name"
done
rm -rf "$folder"
