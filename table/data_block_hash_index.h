// SPDX-License-Identifier: Apache-2.0
//
// The hash index of a data block. It maps a user key to the restart interval
// that contains it, so that a point read skips the binary search.
//
//   ... restart u32 * n | bucket u8 * m | m u16 | packed u32, bit 31 set
//
//   bucket  0..253  the restart interval of all keys in this bucket
//           254     the keys are in several intervals: use binary search
//           255     no key of the block is in this bucket
//
// The bucket of a user key is Hash32 (signed tail, seed 397) modulo m.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tamis/slice.h"

#include "util/base/check.h"

namespace tamis {

inline constexpr uint8_t kHashBucketEmpty = 255;
inline constexpr uint8_t kHashBucketCollision = 254;
inline constexpr uint32_t kHashIndexRestartMax = 253;
// RocksDB before 11 ignores hash indexes in larger blocks.
inline constexpr size_t kHashIndexBlockBytesMax = 64 * 1024;

// Collects the keys of a block. One thread. Calls: (Add* Finish? Reset)*
class DataBlockHashIndexBuilder {
 public:
  // util_ratio is the number of entries per bucket. REQUIRES: util_ratio > 0
  explicit DataBlockHashIndexBuilder(double util_ratio)
      : buckets_per_entry_(1 / util_ratio) {
    TAMIS_CHECK(util_ratio > 0);
  }

  void Add(const Slice& user_key, uint32_t restart);
  void Reset();

  // Returns whether the block can have an index. It cannot if it is empty, or
  // needs restart numbers above 253 or more than 65535 buckets.
  bool fits() const { return fits_ && buckets_ > 0; }
  // Returns the bytes that Finish would append. REQUIRES: fits()
  size_t CurrentSize() const {
    TAMIS_DCHECK(fits());
    return sizeof(uint16_t) + NumBuckets();
  }
  // REQUIRES: fits()
  void Finish(std::string* block) const;

 private:
  struct Entry {
    uint32_t hash;
    uint8_t restart;
  };
  uint16_t NumBuckets() const { return static_cast<uint16_t>(buckets_) | 1; }

  const double buckets_per_entry_;
  double buckets_ = 0;  // needed by the entries so far
  bool fits_ = true;
  std::vector<Entry> entries_;
};

// Returns the contents of the key's bucket. REQUIRES: num_buckets > 0
uint8_t LookUpDataBlockHash(const char* buckets, uint16_t num_buckets,
                            const Slice& user_key);

}  // namespace tamis
