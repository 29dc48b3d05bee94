// SPDX-License-Identifier: Apache-2.0
//
// The hash index of a data block: from a user key to the restart whose entries
// hold it, so that a point read need not bisect.
//
//   ... restart u32 * n | bucket u8 * m | m u16 | packed u32, bit 31 set
//
//   bucket  0..253  the restart behind which every key of this hash stands
//           254     several such restarts: bisect
//           255     no key of the block has this hash
//
// The hash of a user key is Hash32 (signed tail, seed 397) modulo m.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tamis/slice.h"

namespace tamis {

inline constexpr uint8_t kHashBucketEmpty = 255;
inline constexpr uint8_t kHashBucketCollision = 254;
inline constexpr uint32_t kHashIndexRestartMax = 253;
// Readers before RocksDB 11 do not look for one in larger blocks.
inline constexpr size_t kHashIndexBlockBytesMax = 64 * 1024;

// Collects the keys of one block. One thread. Calls: (Add* Finish? Reset)*
class DataBlockHashIndexBuilder {
 public:
  // Entries per bucket. REQUIRES: positive
  explicit DataBlockHashIndexBuilder(double util_ratio)
      : buckets_per_entry_(1 / util_ratio) {}

  void Add(const Slice& user_key, uint32_t restart);
  void Reset();

  // False: a restart has no number in a bucket, and the block goes without.
  bool fits() const { return fits_ && buckets_ > 0; }
  // Bytes that Finish would append. REQUIRES: fits()
  size_t CurrentSize() const { return sizeof(uint16_t) + NumBuckets(); }
  // REQUIRES: fits()
  void Finish(std::string* block) const;

 private:
  struct Entry {
    uint32_t hash;
    uint8_t restart;
  };
  uint16_t NumBuckets() const { return static_cast<uint16_t>(buckets_) | 1; }

  const double buckets_per_entry_;
  double buckets_ = 0;  // what the entries so far ask for
  bool fits_ = true;
  std::vector<Entry> entries_;
};

// The bucket of a key. REQUIRES: num_buckets > 0
uint8_t LookUpDataBlockHash(const char* buckets, uint16_t num_buckets,
                            const Slice& user_key);

}  // namespace tamis
