// SPDX-License-Identifier: Apache-2.0
#include "table/data_block_hash_index.h"

#include <limits>

#include "util/coding/coding.h"
#include "util/coding/hash.h"

namespace tamis {

namespace {

uint32_t HashOf(const Slice& user_key) {
  return Hash32(user_key.data(), user_key.size(), kDataBlockHash32Seed,
                Hash32Flavor::kSignedTail);
}

}  // namespace

void DataBlockHashIndexBuilder::Add(const Slice& user_key, uint32_t restart) {
  if (!fits_) return;
  buckets_ += buckets_per_entry_;
  if (restart > kHashIndexRestartMax ||
      buckets_ > std::numeric_limits<uint16_t>::max()) {
    fits_ = false;
    return;
  }
  entries_.push_back({HashOf(user_key), static_cast<uint8_t>(restart)});
}

void DataBlockHashIndexBuilder::Reset() {
  buckets_ = 0;
  fits_ = true;
  entries_.clear();
}

void DataBlockHashIndexBuilder::Finish(std::string* block) const {
  TAMIS_CHECK(fits());
  const uint16_t num_buckets = NumBuckets();
  std::string buckets(num_buckets, static_cast<char>(kHashBucketEmpty));
  for (const Entry& entry : entries_) {
    char& bucket = buckets[entry.hash % num_buckets];
    const auto old = static_cast<uint8_t>(bucket);
    if (old == kHashBucketEmpty) {
      bucket = static_cast<char>(entry.restart);
    } else if (old != entry.restart) {
      bucket = static_cast<char>(kHashBucketCollision);
    }
  }
  block->append(buckets);
  PutFixed16(block, num_buckets);
}

uint8_t LookUpDataBlockHash(const char* buckets, uint16_t num_buckets,
                            const Slice& user_key) {
  TAMIS_DCHECK(num_buckets > 0);
  return static_cast<uint8_t>(buckets[HashOf(user_key) % num_buckets]);
}

}  // namespace tamis
