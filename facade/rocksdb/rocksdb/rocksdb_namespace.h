// SPDX-License-Identifier: Apache-2.0
//
// The headers of this folder have the names of RocksDB's. With the folder in
// front of the include path, a program that was written for RocksDB compiles
// against Tamis unchanged, if it uses what Tamis has.
//
// `rocksdb` is another name of the namespace, so that a program cannot declare
// anything in it: instead of `namespace rocksdb { class DB; }`, it includes the
// header.
#pragma once

namespace tamis {}
namespace rocksdb = tamis;

#define ROCKSDB_NAMESPACE rocksdb
