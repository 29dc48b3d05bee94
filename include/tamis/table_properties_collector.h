// SPDX-License-Identifier: Apache-2.0
//
// A TablePropertiesCollector looks at the entries of a new table and adds
// properties of the user's to it, which TableProperties::
// user_collected_properties returns. A factory makes one for each table of a
// flush, a compaction, a log replay, a repair or an SstFileWriter
// (ColumnFamilyOptions::table_properties_collector_factories).
//
//   Create...(context)   (AddUserKey* BlockAdd)*   Finish
//   GetReadableProperties
//
// DB::RewriteFilters copies the properties of a table. RocksDB reads and writes
// the same properties.
//
// Errors: a Status or an exception of a collector ends it. Its properties are
// missing then, info_log or LOG has a warning that names it, and the table is
// made all the same. (In RocksDB, it is called further.)
//
// Threads: a collector is used by one thread at a time; a factory by several at
// once. Neither may wait for the database. Lifetime: the factory's is as long
// as the database (held by shared_ptr).
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tamis/export.h"
#include "tamis/slice.h"
#include "tamis/status.h"
#include "tamis/types.h"

namespace tamis {

// Names and values, in the order of bytes.
using UserCollectedProperties = std::map<std::string, std::string>;

class TAMIS_EXPORT TablePropertiesCollector {
 public:
  virtual ~TablePropertiesCollector();

  // Returns the name, for LOG.
  virtual const char* Name() const = 0;

  // Looks at an entry. Entries come in the table's order: keys ascending,
  // versions of a key newest first. Range deletions come in between (`key` is
  // the begin, `value` the end). `file_size`: bytes of the table so far, before
  // compression.
  virtual Status AddUserKey(const Slice& key, const Slice& value,
                            EntryType type, SequenceNumber seq,
                            uint64_t file_size) = 0;

  // Is told of each data block that ends, with its bytes before compression.
  // The other two are 0, as they are in RocksDB without
  // sample_for_compression: sizes that sampled compressions gave. (RocksDB also
  // tells of blocks of indexes and filters.)
  virtual void BlockAdd(uint64_t /*block_uncomp_bytes*/,
                        uint64_t /*block_compressed_bytes_fast*/,
                        uint64_t /*block_compressed_bytes_slow*/) {}

  // Adds the collector's properties to the empty *properties. Names that begin
  // with "rocksdb." or "tamis." are reserved and ignored. Called once, when all
  // entries were added.
  virtual Status Finish(UserCollectedProperties* properties) = 0;

  // Returns properties for people. They are not stored; TableProperties::
  // readable_properties has them in OnTableFileCreated.
  virtual UserCollectedProperties GetReadableProperties() const = 0;

  // Returns whether the table should be compacted soon, as it has many
  // deletions, say. Called once, after Finish. The table then goes down one
  // level when no compaction is due otherwise, as after
  // DB::SuggestCompactRange, unless no deeper level has tables. The MANIFEST
  // remembers it. Only kCompactionStyleLevel acts on it.
  virtual bool NeedCompact() const { return false; }
};

// Makes a collector for each table: ColumnFamilyOptions has the factories.
class TAMIS_EXPORT TablePropertiesCollectorFactory {
 public:
  // What the table is for.
  struct Context {
    // Where the family, or the level, is not known.
    static constexpr uint32_t kUnknownColumnFamily = 0x7fffffff;
    static constexpr int kUnknownLevelAtCreation = -1;

    // Unknown in an SstFileWriter, both.
    uint32_t column_family_id = kUnknownColumnFamily;
    int level_at_creation = kUnknownLevelAtCreation;
  };

  virtual ~TablePropertiesCollectorFactory();

  // Returns the name, which the property "rocksdb.property.collectors" of each
  // table has.
  virtual const char* Name() const = 0;

  // Returns a collector for a table, which the caller owns. nullptr means none.
  virtual TablePropertiesCollector* CreateTablePropertiesCollector(
      Context context) = 0;
};

}  // namespace tamis
