# SPDX-License-Identifier: Apache-2.0
#
# What the scripts for packages of npm share. Sourced.

skip() {
  echo "SKIPPED: $*"
  exit 77
}

# install_binding <package@version>: a package with a binding, and tape, into the
# current folder, without what was built of it. Sets `headers` to the folder of
# Node.js's headers, and `binding` to the package's. Ends the script with 77 if these
# cannot be had.
install_binding() {
  local name=${1%@*}
  command -v npm >/dev/null && command -v node >/dev/null || skip "there is no npm"
  headers=$(dirname "$(command -v node)")/../include/node
  [ -e "$headers/node_api.h" ] || skip "node_api.h is not installed"
  if [ ! -d node_modules/tape ]; then
    timeout 120 npm install --ignore-scripts --no-audit --no-fund \
      "$1" tape@5.7.5 >npm.log 2>&1 || skip "npm cannot install $name"
  fi
  binding=node_modules/$name
  rm -rf "$binding/prebuilds" databases
  mkdir -p "$binding/build/Release" databases
}
