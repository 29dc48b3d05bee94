// SPDX-License-Identifier: Apache-2.0
#include "table/plain_table_index.h"

#include <algorithm>
#include <bit>

#include "util/coding/coding.h"
#include "util/coding/hash.h"

namespace tamis {

namespace {

constexpr uint32_t kHashSeed = 397;
constexpr uint32_t kBloomProbes = 6;
constexpr uint32_t kEmptyBucket = 0x7fffffff;
constexpr uint32_t kListMark = 0x80000000;

uint32_t PrefixHash(const Slice& bytes) {
  return Hash32(bytes.data(), bytes.size(), kHashSeed,
                Hash32Flavor::kSignedTail);
}

}  // namespace

PlainIndexBuilder::PlainIndexBuilder(const PlainTableOptions& options,
                                     const SliceTransform* extractor)
    : options_(options), extractor_(extractor) {}

void PlainIndexBuilder::Add(const Slice& user_key, uint32_t offset) {
  // A key without a prefix counts as one of its own.
  const Slice prefix = extractor_ == nullptr ? Slice()
                       : extractor_->InDomain(user_key)
                           ? extractor_->Transform(user_key)
                           : user_key;
  if (num_prefixes_ == 0 || prefix != Slice(prefix_)) {
    ++num_prefixes_;
    prefix_.assign(prefix.data(), prefix.size());
    prefix_hash_ = PrefixHash(prefix);
    keys_of_prefix_ = 0;
  }
  hashes_.push_back(extractor_ == nullptr ? PrefixHash(user_key)
                                          : prefix_hash_);
  if (keys_of_prefix_ % std::max<size_t>(options_.index_sparseness, 1) == 0) {
    records_.push_back({prefix_hash_, offset});
  }
  ++keys_of_prefix_;
}

uint32_t PlainIndexBuilder::NumBuckets() const {
  if (extractor_ == nullptr || !(options_.hash_table_ratio > 0)) return 1;
  // In this order, as in RocksDB: the last bit of the product counts.
  const double per_prefix = 1.0 / options_.hash_table_ratio;
  return static_cast<uint32_t>(num_prefixes_ * per_prefix) + 1;
}

std::string PlainIndexBuilder::Index() const {
  const uint32_t num_buckets = NumBuckets();
  std::vector<std::vector<uint32_t>> buckets(num_buckets);
  for (const Record& record : records_) {
    buckets[record.hash % num_buckets].push_back(record.offset);
  }
  std::string out;
  PutVarint32(&out, num_buckets);
  PutVarint32(&out, num_prefixes_);
  std::string lists;
  for (const std::vector<uint32_t>& offsets : buckets) {
    if (offsets.size() < 2) {
      PutFixed32(&out, offsets.empty() ? kEmptyBucket : offsets.front());
      continue;
    }
    PutFixed32(&out, kListMark | static_cast<uint32_t>(lists.size()));
    PutVarint32(&lists, static_cast<uint32_t>(offsets.size()));
    for (const uint32_t offset : offsets) PutFixed32(&lists, offset);
  }
  return out + lists;
}

std::string PlainIndexBuilder::Bloom() const {
  if (options_.bloom_bits_per_key <= 0) return {};
  // RocksDB's product has 32 bits; so have the hashes.
  const uint64_t wanted =
      hashes_.size() * static_cast<uint64_t>(options_.bloom_bits_per_key);
  const auto bytes =
      static_cast<size_t>((std::min<uint64_t>(wanted, UINT32_MAX - 7) + 7) / 8);
  const auto num_bits = static_cast<uint32_t>(8 * bytes);
  std::string bits(bytes, '\0');
  for (uint32_t hash : hashes_) {
    const uint32_t step = std::rotr(hash, 17);
    for (uint32_t i = 0; i < kBloomProbes; ++i, hash += step) {
      const uint32_t bit = hash % num_bits;
      bits[bit / 8] = static_cast<char>(bits[bit / 8] | (1 << (bit % 8)));
    }
  }
  return bits;
}

}  // namespace tamis
