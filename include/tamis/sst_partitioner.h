// SPDX-License-Identifier: Apache-2.0
//
// An SstPartitioner divides the tables of compactions at keys of a program's
// choice, besides the divisions by size: for example, so that no table holds
// keys of two tenants, and all tables of one can be dropped or copied alone
// (DeleteFilesInRange).
//
//   keys      a1 a2 a3 │ b1 │ c1 c2
//   tables    ─────────┘ ───┘ ─────      SstPartitionerFixedPrefix(1)
//
// Tables of level 0, which flushes write, are not divided. Other tables from
// before the option was set are divided when they are next compacted:
// CompactRange with BottommostLevelCompaction::kForce divides all. A range
// deletion that spans a division is divided with it.
//
// A compaction that would only move a table to the next level asks
// CanDoTrivialMove first, and rewrites the table if the answer is no.
//
// Errors: what a factory or partitioner throws fails the compaction, whose
// error names it; thrown by CanDoTrivialMove, it counts as no.
// Threads: the factory is called by several at once, with locks of the database
// held; each partitioner by one. None may call the database.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "tamis/export.h"
#include "tamis/slice.h"

namespace tamis {

// Whether a table ends before a key.
enum PartitionerResult : char {
  kNotRequired = 0,
  kRequired = 1,  // begin a new table
};

// A key, and the one before it in the open table. Valid during the call.
struct PartitionerRequest {
  // Refers to all of the arguments.
  PartitionerRequest(const Slice& prev_user_key_,
                     const Slice& current_user_key_,
                     uint64_t current_output_file_size_)
      : prev_user_key(&prev_user_key_),
        current_user_key(&current_user_key_),
        current_output_file_size(current_output_file_size_) {}

  const Slice* prev_user_key;         // the last one of the open table
  const Slice* current_user_key;      // that may begin the next one
  uint64_t current_output_file_size;  // about the bytes of the open table
};

// Divides the tables of one compaction, or of a part of it.
class TAMIS_EXPORT SstPartitioner {
 public:
  // The compaction that the partitioner is for.
  struct Context {
    bool is_full_compaction = false;    // of all tables of the family
    bool is_manual_compaction = false;  // by CompactRange
    int output_level = 0;               // 1 or more
    // The bounds of its keys. Valid during CreatePartitioner.
    Slice smallest_user_key;
    Slice largest_user_key;
  };

  virtual ~SstPartitioner();
  // A name for messages.
  virtual const char* Name() const = 0;
  // Called for each user key, in ascending order, unless it begins a table
  // anyway. All versions of a user key are in one table.
  virtual PartitionerResult ShouldPartition(
      const PartitionerRequest& request) = 0;
  // Returns whether a table with these bounds may be moved as it is.
  virtual bool CanDoTrivialMove(const Slice& smallest_user_key,
                                const Slice& largest_user_key) = 0;
};

// Makes partitioners. ColumnFamilyOptions::sst_partitioner_factory.
class TAMIS_EXPORT SstPartitionerFactory {
 public:
  virtual ~SstPartitionerFactory();
  // A name for LOG and messages, and for workers of remote compactions, which
  // must have a factory of the same name.
  virtual const char* Name() const = 0;
  // Called for each compaction, for each part of it that has a thread of its
  // own, and before a move. nullptr: only size divides its tables.
  virtual std::unique_ptr<SstPartitioner> CreatePartitioner(
      const SstPartitioner::Context& context) const = 0;
};

// Divides where the first `len` bytes of keys differ. A shorter key counts as a
// whole.
class TAMIS_EXPORT SstPartitionerFixedPrefix : public SstPartitioner {
 public:
  // `len` in bytes.
  explicit SstPartitionerFixedPrefix(size_t len) : len_(len) {}
  // RocksDB's.
  const char* Name() const override { return "SstPartitionerFixedPrefix"; }
  PartitionerResult ShouldPartition(const PartitionerRequest& request) override;
  bool CanDoTrivialMove(const Slice& smallest_user_key,
                        const Slice& largest_user_key) override;

 private:
  const size_t len_;
};

// Makes partitioners by fixed prefix.
class TAMIS_EXPORT SstPartitionerFixedPrefixFactory
    : public SstPartitionerFactory {
 public:
  // `len` in bytes.
  explicit SstPartitionerFixedPrefixFactory(size_t len) : len_(len) {}
  // RocksDB's.
  const char* Name() const override {
    return "SstPartitionerFixedPrefixFactory";
  }
  std::unique_ptr<SstPartitioner> CreatePartitioner(
      const SstPartitioner::Context& context) const override;

 private:
  const size_t len_;
};

// The same; prefix_len in bytes.
TAMIS_EXPORT std::shared_ptr<SstPartitionerFactory>
NewSstPartitionerFixedPrefixFactory(size_t prefix_len);

}  // namespace tamis
