// SPDX-License-Identifier: Apache-2.0
//
// The 16-byte unique id of a table, which RocksDB stores in the MANIFEST and
// compares with the table's properties on open (db/FORMAT.md, "unique id").
#pragma once

#include <cstdint>
#include <string>

#include "tamis/table_properties.h"

namespace tamis {

// 20 characters of [0-9A-Z] from 128 random bits; one per DB::Open.
std::string MakeSessionId(uint64_t upper, uint64_t lower);
// A database id from 128 random bits: a UUID (RFC 4122, version 4), lower case.
std::string MakeDatabaseId(uint64_t high, uint64_t low);

// Empty if the properties needed are missing; the MANIFEST then stores none.
std::string TableUniqueId(const std::string& db_id,
                          const std::string& db_session_id,
                          uint64_t file_number);
std::string TableUniqueId(const TableProperties& properties);

}  // namespace tamis
