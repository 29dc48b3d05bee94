// SPDX-License-Identifier: Apache-2.0
#include "facade/leveldb/filter_policy.h"

#include <string>
#include <vector>

#include "facade/leveldb/convert.h"

namespace leveldb {

FilterPolicy::~FilterPolicy() = default;

namespace {

using tamis::facade::ToTamis;

// Programs also call its functions themselves: they make LevelDB's bits.
class BloomFilterPolicy final : public FilterPolicy {
 public:
  explicit BloomFilterPolicy(int bits_per_key)
      : bits_per_key_(bits_per_key),
        bits_(tamis::NewBloomFilterPolicy(bits_per_key,
                                          /*use_block_based_builder=*/true)) {}

  int bits_per_key() const { return bits_per_key_; }
  const char* Name() const override { return "leveldb.BuiltinBloomFilter2"; }
  void CreateFilter(const Slice* keys, int n, std::string* dst) const override {
    std::vector<tamis::Slice> all;
    all.reserve(static_cast<size_t>(n));
    for (int i = 0; i < n; ++i) all.push_back(ToTamis(keys[i]));
    bits_->CreateFilter(all.data(), n, dst);
  }
  bool KeyMayMatch(const Slice& key, const Slice& filter) const override {
    return bits_->KeyMayMatch(ToTamis(key), ToTamis(filter));
  }

 private:
  const int bits_per_key_;
  const std::unique_ptr<const tamis::FilterPolicy> bits_;
};

}  // namespace

const FilterPolicy* NewBloomFilterPolicy(int bits_per_key) {
  return new BloomFilterPolicy(bits_per_key);
}

}  // namespace leveldb

namespace tamis::facade {

namespace {

class Adapted final : public FilterPolicy {
 public:
  // The names of built-in formats are reserved; a policy that wraps one may
  // have its name.
  explicit Adapted(const leveldb::FilterPolicy& policy)
      : policy_(policy), name_(policy.Name()) {
    if (name_.starts_with("leveldb.") || name_.starts_with("rocksdb.") ||
        name_.starts_with("tamis.")) {
      name_.insert(0, "wrapped.");
    }
  }

  const char* Name() const override { return name_.c_str(); }
  void CreateFilter(const Slice* keys, int n,
                    std::string* filter) const override {
    std::vector<leveldb::Slice> all;
    all.reserve(static_cast<size_t>(n));
    for (int i = 0; i < n; ++i) all.push_back(ToLevelDB(keys[i]));
    policy_.CreateFilter(all.data(), n, filter);
  }
  bool KeyMayMatch(const Slice& key, const Slice& filter) const override {
    return policy_.KeyMayMatch(ToLevelDB(key), ToLevelDB(filter));
  }

 private:
  const leveldb::FilterPolicy& policy_;
  std::string name_;
};

}  // namespace

std::shared_ptr<const FilterPolicy> FilterPolicyForTamis(
    const leveldb::FilterPolicy* policy) {
  if (policy == nullptr) return nullptr;
  const auto* const bloom =
      dynamic_cast<const leveldb::BloomFilterPolicy*>(policy);
  if (bloom != nullptr) {
    return std::shared_ptr<const FilterPolicy>(
        NewBloomFilterPolicy(bloom->bits_per_key()));
  }
  return std::make_shared<Adapted>(*policy);
}

}  // namespace tamis::facade
