// SPDX-License-Identifier: Apache-2.0
//
// RocksDB's memtable factories, declared so that programs that choose one
// compile. Tamis has one kind of memtable, which supports all reads and writes:
// it is sorted, has a hash index of its keys, and is written by one thread at a
// time. The choice is ignored, and LOG names it (ignored_options.h).
//
// Threads: any. Exceptions: none but std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tamis/export.h"

namespace tamis {

// The base of the kinds, which only have names.
class TAMIS_EXPORT MemTableRepFactory {
 public:
  virtual ~MemTableRepFactory();
  // Returns RocksDB's name of the kind.
  virtual const char* Name() const = 0;
};

// RocksDB's default.
class TAMIS_EXPORT SkipListFactory final : public MemTableRepFactory {
 public:
  // The argument is ignored.
  explicit SkipListFactory(size_t /*lookahead*/ = 0) {}
  // Returns "SkipListFactory".
  const char* Name() const override;
};

// For bulk loads, in RocksDB: sorted when it is flushed, or read.
class TAMIS_EXPORT VectorRepFactory final : public MemTableRepFactory {
 public:
  // The argument is ignored.
  explicit VectorRepFactory(size_t /*count*/ = 0) {}
  // Returns "VectorRepFactory".
  const char* Name() const override;
};

// Create factories of memtables that are hash tables of prefixes, of skip lists
// or of linked lists. The caller owns them. The arguments are ignored.
TAMIS_EXPORT MemTableRepFactory* NewHashSkipListRepFactory(
    size_t bucket_count = 1000000, int32_t skiplist_height = 4,
    int32_t skiplist_branching_factor = 4);
TAMIS_EXPORT MemTableRepFactory* NewHashLinkListRepFactory(
    size_t bucket_count = 50000, size_t huge_page_tlb_size = 0,
    int bucket_entries_logging_threshold = 4096,
    bool if_log_bucket_dist_when_flash = true,
    uint32_t threshold_use_skiplist = 256);

}  // namespace tamis
