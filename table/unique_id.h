// SPDX-License-Identifier: Apache-2.0
//
// The unique id of a table has 16 bytes. The MANIFEST stores it, and opening
// the table compares it with the table's properties (db/FORMAT.md, "unique
// id").
#pragma once

#include <cstdint>
#include <string>

#include "tamis/table_properties.h"

namespace tamis {

// Return a session id, 20 characters of [0-9A-Z], made of 128 bits, which are
// those of the system's random source without arguments. Every DB::Open makes
// one.
std::string MakeSessionId(uint64_t upper, uint64_t lower);
std::string NewSessionId();
// Returns a new database id, made of 128 random bits: a UUID (RFC 4122, version
// 4) in lower case.
std::string NewDatabaseId();

// Returns the unique id, or an empty string if a property that it needs is
// missing; the MANIFEST then stores none.
std::string TableUniqueId(const std::string& db_id,
                          const std::string& db_session_id,
                          uint64_t file_number);
std::string TableUniqueId(const TableProperties& properties);

}  // namespace tamis
