// SPDX-License-Identifier: Apache-2.0
//
// Encodes TableProperties as a block that maps names, ascending, to values. The
// name determines the type of the value: a varint64, a fixed32, a string or raw
// bytes.
#pragma once

#include <string>

#include "tamis/table_properties.h"

#include "table/block.h"
#include "util/base/result.h"

namespace tamis {

// Properties without a field in TableProperties; they are in
// user_collected_properties.
//
// The library version that wrote the table.
inline constexpr char kCreatorProperty[] = "tamis.version";
// "1" if filter partitions are cut regardless of the index; else missing.
// Readers need not know.
inline constexpr char kDecoupledFiltersProperty[] =
    "rocksdb.block.based.table.decoupled.partitioned.filters";
// Sets or removes it.
void RecordDecoupledFilters(bool decoupled, TableProperties* properties);
// Present in tables whose data blocks may store values apart from their entries
// (block.h). RocksDB writes it since version 11.
inline constexpr char kSeparateValuesProperty[] =
    "rocksdb.separate.key.value.in.data.block";
// Tables written for ingestion have a version, 2 (fixed32), and the sequence
// number of all entries (fixed64), which is 0 until ingestion sets it in place.
inline constexpr char kExternalVersionProperty[] =
    "rocksdb.external_sst_file.version";
inline constexpr uint32_t kExternalVersion = 2;
inline constexpr char kGlobalSequenceProperty[] =
    "rocksdb.external_sst_file.global_seqno";
// A release that does not know these must not read the table.
inline constexpr char kTimestampsPersistedProperty[] =
    "rocksdb.user.defined.timestamps.persisted";
inline constexpr char kTimestampMinProperty[] = "rocksdb.timestamp_min";
inline constexpr char kEmbeddedBlobProperty[] = "rocksdb.embedded.blob.stats";

// The highest TableProperties::index_type that Tamis reads. It reads 1, the
// hash search index, but does not write it.
inline constexpr uint32_t kHighestIndexType = 3;

std::string EncodeProperties(const TableProperties& properties);

// Decodes a properties block. Missing properties keep their defaults. Returns
// Corruption if names are not ascending, or a known one has a value of the
// wrong type.
Result<TableProperties> DecodeProperties(PinnedBytes block,
                                         const BlockOrigin& origin);

}  // namespace tamis
