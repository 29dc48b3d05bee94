// SPDX-License-Identifier: Apache-2.0
//
// The buckets of a cuckoo table (table_format.h), which all have one size:
//
//   file   := bucket * (hash_size + block_size - 1) | properties ...
//   bucket := key | value
//
// The key is an internal key, or, if all entries are values with the sequence
// number 0, the user key alone. An empty bucket has a key that no entry has.
// The key of an entry is in one of the buckets
//
//   hash 0, hash 0 + 1, ..., hash 0 + block_size - 1, hash 1, hash 1 + 1, ...
//
// of as many hashes as the table uses. A search that meets an empty bucket ends
// there: no bucket before the key's own is empty.
#pragma once

#include <cstdint>
#include <string>

#include "tamis/slice.h"
#include "tamis/table_properties.h"

#include "util/base/result.h"

namespace tamis {

struct CuckooLayout {
  uint64_t key_bytes = 0;       // of a bucket
  uint32_t user_key_bytes = 0;  // the same, or 8 less
  uint64_t value_bytes = 0;
  uint64_t hash_size = 0;  // the number of values of a hash
  uint32_t block_size = 1;
  uint32_t num_hashes = 0;
  bool only_user_keys = false;
  bool identity_first = false;  // hash 0 is the first 8 bytes of the user key
  bool modulo = true;           // or else hash_size is a power of two
  std::string empty_key;        // key_bytes long

  uint64_t bucket_bytes() const { return key_bytes + value_bytes; }
  uint64_t num_buckets() const { return hash_size + block_size - 1; }

  // Returns hash i of a user key. REQUIRES: hash_size is not 0; with
  // identity_first, at least 8 bytes.
  uint64_t Hash(const Slice& user_key, uint32_t i) const;

  // Sets the properties that describe the layout.
  void SetIn(TableProperties* properties) const;
  // Reads them. Returns Corruption if one is missing or malformed, or if they
  // contradict each other or `data_bytes`, the size of the buckets.
  static Result<CuckooLayout> From(const TableProperties& properties,
                                   uint64_t data_bytes,
                                   const std::string& file_name);
};

}  // namespace tamis
