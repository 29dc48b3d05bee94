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
