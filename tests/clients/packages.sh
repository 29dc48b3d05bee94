# SPDX-License-Identifier: Apache-2.0
#
# What the scripts of this folder share: Debian's packages, without installing
# them. Sourced.

# with_missing_dependencies <package>: it, and what it needs that is not
# installed; nothing if it cannot be had.
with_missing_dependencies() {
  apt-get -s install --no-install-recommends "$1" 2>/dev/null | awk '/^Inst/ { print $2 }'
}

# unpack <folder> <package>...: downloads them into <folder>/packages, and unpacks
# them into <folder>/root. Ends the script with 77 if they cannot be had.
unpack() {
  local folder=$1 package
  shift
  mkdir -p "$folder/packages"
  if [ $# -eq 0 ] || ! (cd "$folder/packages" &&
    timeout 200 apt-get download "$@" >/dev/null 2>&1); then
    echo "SKIPPED: ${*:-the package} cannot be downloaded"
    exit 77
  fi
  for package in "$folder"/packages/*.deb; do dpkg -x "$package" "$folder/root"; done
}

# download_source <package> <folder for lists>: its source, from where the binary
# packages come, into the current folder; a part that is missing there is not
# waited for. Ends the script with 77 if there is no original source.
download_source() {
  local package=$1 lists=$2 options
  mkdir -p "$lists/parts" "$lists/state/partial"
  sed -n 's/^Types: .*/Types: deb-src/p; /^Types:/!p' /etc/apt/sources.list.d/*.sources \
    >"$lists/parts/source.sources" 2>/dev/null || true
  sed -n 's/^deb /deb-src /p' /etc/apt/sources.list >"$lists/parts/source.list" 2>/dev/null || true
  options=(-o "Dir::Etc::sourceparts=$lists/parts" -o Dir::Etc::sourcelist=/dev/null
    -o "Dir::State::lists=$lists/state")
  timeout 200 apt-get "${options[@]}" update >/dev/null 2>&1 || true
  timeout 300 apt-get "${options[@]}" source --download-only "$package" >/dev/null 2>&1 || true
  if ! ls "$package"_*.orig.tar.* >/dev/null 2>&1; then
    echo "SKIPPED: the source of $package cannot be downloaded"
    exit 77
  fi
}
