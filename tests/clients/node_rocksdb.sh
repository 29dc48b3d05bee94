#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# node_rocksdb.sh <libtamis.a> [folder]: npm's rocksdb 5.2.1, the RocksDB of
# Node.js. Its binding is compiled, unchanged, against facade/rocksdb and libtamis,
# and runs the whole suite of abstract-leveldown, which defines what such a
# database does; then what only rocksdb has. Prints a count; exit 77 if the
# packages cannot be had.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/node.sh"
library=$(realpath "${1:?usage: node_rocksdb.sh <libtamis.a> [folder]}")
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
folder=${2:-$(mktemp -d)}
mkdir -p "$folder"
cd "$folder"

install_binding rocksdb@5.2.1
g++ -O1 -shared -fPIC -std=c++20 -I"$headers" -Inode_modules/napi-macros \
  -I"$source/facade/rocksdb" -I"$source/include" \
  -DNODE_GYP_MODULE_NAME=leveldown "$binding/binding.cc" "$library" \
  -lsnappy -llz4 -lzstd -lz -lbz2 -pthread -o "$binding/build/Release/leveldown.node"

cat >suite.js <<'JS'
const fs = require('fs')
const path = require('path')
const util = require('util')
const test = require('tape')
const rocksdb = require('rocksdb')

const location = () => fs.mkdtempSync(path.join('databases', 'db-'))
require('abstract-leveldown/test')({ test, factory: () => rocksdb(location()) })

test('what only rocksdb has', async t => {
  const where = location()
  const db = rocksdb(where)
  const call = (name, ...rest) => util.promisify(db[name]).call(db, ...rest)
  await call('open')
  for (let i = 0; i < 1000; ++i) {
    await call('put', 'key' + String(i).padStart(6, '0'), 'v'.repeat(100) + i)
  }
  await call('compactRange', 'key', 'kez')
  t.ok(await call('approximateSize', 'key', 'kez') > 1000, 'a size')
  t.equal(await call('approximateSize', 'a', 'b'), 0, 'no size')
  t.equal(db.getProperty('rocksdb.estimate-num-keys'), '1000', 'a property')
  t.ok(db.getProperty('tamis.filter-report').length > 0, 'it is Tamis')
  await call('close')
  await util.promisify(rocksdb.repair)(where)
  await call('open')
  const value = await call('get', 'key000999', { asBuffer: false })
  t.equal(value, 'v'.repeat(100) + 999, 'a value after a repair')
  await call('close')
  await util.promisify(rocksdb.destroy)(where)
  t.notOk(fs.existsSync(where), 'a database that was destroyed')
  t.end()
})
JS
code=0
timeout 240 node suite.js >suite.tap || code=$?
rm -rf databases
grep "^not ok" suite.tap | head -20 || true
echo "abstract-leveldown, and rocksdb: $(sed -n 's/^# pass *//p' suite.tap) of $(sed -n 's/^# tests *//p' suite.tap) assertions passed"
exit "$code"
