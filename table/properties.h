// SPDX-License-Identifier: Apache-2.0
//
// TableProperties as a block: name to value, names ascending. A value is a
// varint64, a string, or a few raw bytes, by its name.
#pragma once

#include <string>

#include "tamis/table_properties.h"

#include "table/block.h"
#include "util/base/result.h"

namespace tamis {

// Names of properties that have no field in TableProperties: all of them are
// found among user_collected_properties.
//
// Who wrote the table: the version of this library.
inline constexpr char kCreatorProperty[] = "tamis.version";
// Of tables written to be ingested: fixed32 2, and the sequence that all their
// entries have, fixed64 0 until it is put in place.
inline constexpr char kExternalVersionProperty[] =
    "rocksdb.external_sst_file.version";
inline constexpr uint32_t kExternalVersion = 2;
inline constexpr char kGlobalSequenceProperty[] =
    "rocksdb.external_sst_file.global_seqno";
// These forbid a reading which does not know of them.
inline constexpr char kTimestampsPersistedProperty[] =
    "rocksdb.user.defined.timestamps.persisted";
inline constexpr char kTimestampMinProperty[] = "rocksdb.timestamp_min";
inline constexpr char kEmbeddedBlobProperty[] = "rocksdb.embedded.blob.stats";

// What TableProperties says of an index that is written by others only.
inline constexpr uint32_t kHashSearchIndex = 1;
inline constexpr uint32_t kHighestIndexType = 3;

std::string EncodeProperties(const TableProperties& properties);

// Corruption when names are unsorted or a known one has a value that is not of
// its kind. What is absent keeps its default.
Result<TableProperties> DecodeProperties(PinnedBytes block,
                                         const BlockOrigin& origin);

}  // namespace tamis
