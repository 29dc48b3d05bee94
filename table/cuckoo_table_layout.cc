// SPDX-License-Identifier: Apache-2.0
#include "table/cuckoo_table_layout.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "table/internal_key.h"
#include "util/coding/coding.h"

namespace tamis {

namespace {

// The names of the properties, and the sizes of their values.
constexpr char kEmptyKey[] = "rocksdb.cuckoo.bucket.empty.key";
constexpr char kNumHashes[] = "rocksdb.cuckoo.hash.num";              // fixed32
constexpr char kHashSize[] = "rocksdb.cuckoo.hash.size";              // fixed64
constexpr char kValueLength[] = "rocksdb.cuckoo.value.length";        // fixed64
constexpr char kOnlyUserKeys[] = "rocksdb.cuckoo.file.islastlevel";   // u8
constexpr char kBlockSize[] = "rocksdb.cuckoo.hash.cuckooblocksize";  // fixed32
constexpr char kIdentityFirst[] = "rocksdb.cuckoo.hash.identityfirst";  // u8
constexpr char kModulo[] = "rocksdb.cuckoo.hash.usemodule";             // u8
constexpr char kUserKeyLength[] =
    "rocksdb.cuckoo.hash.userkeylength";  // fixed32

constexpr uint32_t kSeedOfHash = 816922183;  // times the number of the hash

// MurmurHash64A, by Austin Appleby (smhasher, MurmurHash2.cpp, public domain).
uint64_t Murmur64(const Slice& bytes, uint32_t seed) {
  constexpr uint64_t kMultiplier = 0xc6a4a7935bd1e995;
  constexpr int kShift = 47;
  uint64_t hash = seed ^ (bytes.size() * kMultiplier);
  size_t at = 0;
  for (; at + sizeof(uint64_t) <= bytes.size(); at += sizeof(uint64_t)) {
    uint64_t word = DecodeFixed64(bytes.data() + at) * kMultiplier;
    word ^= word >> kShift;
    hash = (hash ^ (word * kMultiplier)) * kMultiplier;
  }
  if (at < bytes.size()) {
    uint64_t word = 0;
    std::copy(bytes.data() + at, bytes.end(), reinterpret_cast<char*>(&word));
    hash = (hash ^ word) * kMultiplier;
  }
  hash ^= hash >> kShift;
  hash *= kMultiplier;
  return hash ^ (hash >> kShift);
}

// Reads numbers of fixed size from properties, and notes the first that is
// missing or has another size.
class Numbers {
 public:
  explicit Numbers(const TableProperties& properties)
      : all_(properties.user_collected_properties) {}

  // A longer value has zeros after `bytes`.
  uint64_t Get(const char* name, size_t bytes) {
    const auto found = all_.find(name);
    if (found == all_.end() || found->second.size() < bytes ||
        found->second.size() > sizeof(uint64_t)) {
      if (bad_ == nullptr) bad_ = name;
      return 0;
    }
    std::string value = found->second;
    value.resize(sizeof(uint64_t), '\0');
    return DecodeFixed64(value.data());
  }
  uint32_t Get32(const char* name) {
    return static_cast<uint32_t>(Get(name, sizeof(uint32_t)));
  }
  bool GetFlag(const char* name) { return Get(name, 1) != 0; }
  const char* bad() const { return bad_; }

 private:
  const std::map<std::string, std::string>& all_;
  const char* bad_ = nullptr;
};

void Put(TableProperties* properties, const char* name, uint64_t value,
         size_t bytes) {
  std::string text;
  PutFixed64(&text, value);
  properties->user_collected_properties[name] = text.substr(0, bytes);
}

}  // namespace

uint64_t CuckooLayout::Hash(const Slice& user_key, uint32_t i) const {
  const uint64_t hash = i == 0 && identity_first
                            ? DecodeFixed64(user_key.data())
                            : Murmur64(user_key, kSeedOfHash * i);
  return modulo ? hash % hash_size : hash & (hash_size - 1);
}

void CuckooLayout::SetIn(TableProperties* properties) const {
  properties->fixed_key_len = key_bytes;
  properties->user_collected_properties[kEmptyKey] = empty_key;
  Put(properties, kNumHashes, num_hashes, sizeof(uint32_t));
  Put(properties, kHashSize, hash_size, sizeof(uint64_t));
  Put(properties, kValueLength, value_bytes, sizeof(uint64_t));
  Put(properties, kOnlyUserKeys, only_user_keys ? 1 : 0, 1);
  Put(properties, kBlockSize, block_size, sizeof(uint32_t));
  Put(properties, kIdentityFirst, identity_first ? 1 : 0, 1);
  Put(properties, kModulo, modulo ? 1 : 0, 1);
  Put(properties, kUserKeyLength, user_key_bytes, sizeof(uint32_t));
}

Result<CuckooLayout> CuckooLayout::From(const TableProperties& properties,
                                        uint64_t data_bytes,
                                        const std::string& file_name) {
  const auto bad = [&](const std::string& what) {
    return Status::Corruption(file_name, "properties: " + what);
  };
  Numbers in(properties);
  CuckooLayout layout;
  layout.key_bytes = properties.fixed_key_len;
  layout.user_key_bytes = in.Get32(kUserKeyLength);
  layout.value_bytes = in.Get32(kValueLength);
  layout.hash_size = in.Get(kHashSize, sizeof(uint64_t));
  layout.block_size = in.Get32(kBlockSize);
  layout.num_hashes = in.Get32(kNumHashes);
  layout.only_user_keys = in.GetFlag(kOnlyUserKeys);
  layout.identity_first = in.GetFlag(kIdentityFirst);
  layout.modulo = in.GetFlag(kModulo);
  if (in.bad() != nullptr) {
    return bad(std::string(in.bad()) + " is missing or malformed");
  }
  const auto empty_key = properties.user_collected_properties.find(kEmptyKey);
  if (empty_key == properties.user_collected_properties.end()) {
    return bad(std::string(kEmptyKey) + " is missing");
  }
  layout.empty_key = empty_key->second;
  if (properties.num_entries == 0) {
    if (data_bytes == 0) return layout;
    return bad("no entries, but " + std::to_string(data_bytes) +
               " bytes of buckets");
  }
  const uint64_t tail_bytes = layout.only_user_keys ? 0 : kInternalKeyTailBytes;
  if (layout.key_bytes != layout.user_key_bytes + tail_bytes ||
      layout.empty_key.size() != layout.key_bytes ||
      layout.bucket_bytes() == 0) {
    return bad("keys of " + std::to_string(layout.key_bytes) +
               " bytes, user keys of " + std::to_string(layout.user_key_bytes) +
               ", empty ones of " + std::to_string(layout.empty_key.size()));
  }
  // The sums must not exceed 64 bits.
  const uint64_t buckets_max = data_bytes / layout.bucket_bytes();
  if (layout.block_size == 0 || layout.hash_size == 0 ||
      layout.hash_size > buckets_max || layout.num_buckets() != buckets_max ||
      buckets_max >= UINT32_MAX ||
      (!layout.modulo && !std::has_single_bit(layout.hash_size))) {
    return bad("hashes of " + std::to_string(layout.hash_size) +
               " values and blocks of " + std::to_string(layout.block_size) +
               ", in " + std::to_string(buckets_max) + " buckets");
  }
  return layout;
}

}  // namespace tamis
