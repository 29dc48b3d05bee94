// SPDX-License-Identifier: Apache-2.0
//
// RocksDB as a peer: its library and its tools, used on shared directories.
#pragma once

#include <memory>
#include <string>

#include <rocksdb/db.h>

#include "tamis/db.h"

#include "tests/support/directories.h"

namespace tamis {

// Small buffers, so that a little data makes several levels.
rocksdb::Options PeerOptions(bool reverse);

// Each EXPECTs success and returns nullptr without it.
std::unique_ptr<rocksdb::DB> OpenPeer(const rocksdb::Options& options,
                                      const std::string& directory);
std::unique_ptr<rocksdb::DB> OpenPeerReadOnly(const rocksdb::Options& options,
                                              const std::string& directory);

// Tamis in the same way.
std::unique_ptr<DB> OpenTamis(const Options& options,
                              const std::string& directory);

// As DifferenceFrom of tests/support/databases.h.
std::string PeerDifferenceFrom(const KeyValues& expected, rocksdb::DB* db,
                               rocksdb::ColumnFamilyHandle* family = nullptr);

// What `ldb --hex scan` shows; complaints of the tool fail the test.
KeyValues ScanWithLdb(const std::string& directory);
// `ldb checkconsistency` says OK.
void ExpectConsistentToLdb(const std::string& directory);
// `sst_dump --command=verify` finds every table right, and `scan` that many
// entries in all of them.
void ExpectRightToSstDump(const std::string& directory, uint64_t entries);

}  // namespace tamis
