#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# classic_level.sh <facade's directory> [folder]: npm's classic-level 1.4.1, the
# LevelDB of Node.js. Its binding is compiled against Debian's LevelDB, unchanged,
# and runs on the facade the whole suite of abstract-level, which defines what
# such a database does. Prints a count; exit 77 if the packages cannot be had.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/node.sh"
facade=$(cd "${1:?usage: classic_level.sh <facade directory> [folder]}" && pwd)
folder=${2:-$(mktemp -d)}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
cd "$folder"

install_binding classic-level@1.4.1
g++ -O1 -shared -fPIC -std=c++17 -I"$headers" -Inode_modules/napi-macros \
  -DNODE_GYP_MODULE_NAME=leveldb "$binding/binding.cc" -lleveldb \
  -o "$binding/build/Release/leveldb.node"

cat >suite.js <<'JS'
const fs = require('fs')
const path = require('path')
const { ClassicLevel } = require('classic-level')
require('abstract-level/test')({
  test: require('tape'),
  factory: (...options) => new ClassicLevel(
    fs.mkdtempSync(path.join('databases', 'db-')), ...options)
})
// What the process really loaded.
const loaded = fs.readFileSync('/proc/self/maps', 'utf8')
console.log('# library ' + loaded.split('\n').find(line => line.includes('libleveldb')).split(' ').pop())
JS
code=0
LD_LIBRARY_PATH=$facade timeout 240 node suite.js >suite.tap || code=$?
rm -rf databases
grep -q "^# library $facade/" suite.tap || {
  grep "^# library" suite.tap || true
  echo "the suite did not run on the facade"
  exit 1
}
grep "^not ok" suite.tap | head -20 || true
echo "abstract-level: $(sed -n 's/^# pass *//p' suite.tap) of $(sed -n 's/^# tests *//p' suite.tap) assertions passed"
exit "$code"
