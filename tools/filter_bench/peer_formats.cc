// SPDX-License-Identifier: Apache-2.0
//
// RocksDB's classes of filters are not in its installed headers since 7.0, but
// in its library. Declared here is what the library of RocksDB 7.8 has: the
// order of their virtual functions. With another release, its filters are left
// out.
#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <leveldb/filter_policy.h>
#include <leveldb/slice.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice.h>
#include <rocksdb/status.h>
#include <rocksdb/table.h>
#include <rocksdb/version.h>

#include "tools/filter_bench/filter_format.h"

namespace rocksdb {

class FilterBitsBuilder {
 public:
  virtual ~FilterBitsBuilder() = default;
  virtual void AddKey(const Slice& key) = 0;
  virtual size_t EstimateEntriesAdded() = 0;
  virtual Slice Finish(std::unique_ptr<const char[]>* bytes) = 0;
  virtual Slice Finish(std::unique_ptr<const char[]>* bytes,
                       Status* status) = 0;
  virtual Status MaybePostVerify(const Slice& bytes) = 0;
  virtual size_t ApproximateNumEntries(size_t bytes) = 0;
};

class FilterBitsReader {
 public:
  virtual ~FilterBitsReader() = default;
  virtual bool MayMatch(const Slice& key) = 0;
  virtual void MayMatch(int n, Slice** keys, bool* matches) = 0;
};

}  // namespace rocksdb

namespace tamis {

namespace {

constexpr size_t kMostAtOnce = 32;

// MultiGet's batches. The pointers are what RocksDB takes.
class RocksdbFilter : public ProbedFilter {
 public:
  explicit RocksdbFilter(rocksdb::FilterBitsReader* reader) : reader_(reader) {}

  bool MayMatch(Slice key) const override {
    return reader_->MayMatch(rocksdb::Slice(key.data(), key.size()));
  }
  size_t CountMatches(std::span<const Slice> keys) const override {
    rocksdb::Slice asked[kMostAtOnce];
    rocksdb::Slice* pointers[kMostAtOnce];
    bool matches[kMostAtOnce] = {};
    size_t count = 0;
    for (; !keys.empty();
         keys = keys.subspan(std::min(kMostAtOnce, keys.size()))) {
      const size_t n = std::min(kMostAtOnce, keys.size());
      for (size_t i = 0; i < n; ++i) {
        asked[i] = rocksdb::Slice(keys[i].data(), keys[i].size());
        pointers[i] = &asked[i];
      }
      reader_->MayMatch(static_cast<int>(n), pointers, matches);
      count += static_cast<size_t>(std::count(matches, matches + n, true));
    }
    return count;
  }

 private:
  const std::unique_ptr<rocksdb::FilterBitsReader> reader_;
};

// Both have a block in memory from new char[].
constexpr size_t kAlignmentOfNew = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

class RocksdbFormat : public FilterFormat {
 public:
  RocksdbFormat(std::string_view name, const rocksdb::FilterPolicy* policy)
      : name_(name), policy_(policy) {
    table_.format_version = 5;
    // Otherwise a filter is as large as the allocator's memory for it.
    table_.optimize_filters_for_memory = false;
  }

  std::string_view engine() const override { return "rocksdb"; }
  std::string_view name() const override { return name_; }
  std::vector<KeyGroups> groups() const override {
    return {KeyGroups::kTable, KeyGroups::kPartition};
  }
  std::string Build(std::span<const Slice> keys) const override {
    const auto builder = NewBuilder();
    for (const Slice& key : keys) {
      builder->AddKey(rocksdb::Slice(key.data(), key.size()));
    }
    std::unique_ptr<const char[]> memory;
    rocksdb::Status status;
    const rocksdb::Slice bytes = builder->Finish(&memory, &status);
    return {bytes.data(), bytes.size()};
  }
  std::unique_ptr<ProbedFilter> Open(Slice bytes) const override {
    return std::make_unique<RocksdbFilter>(policy_->GetFilterBitsReader(
        rocksdb::Slice(bytes.data(), bytes.size())));
  }
  size_t alignment() const override { return kAlignmentOfNew; }
  size_t KeysThatFit(size_t bytes) const override {
    return NewBuilder()->ApproximateNumEntries(bytes);
  }
  std::optional<double> PredictedRate(const std::string& /*bytes*/,
                                      size_t /*keys*/) const override {
    return std::nullopt;
  }

 private:
  std::unique_ptr<rocksdb::FilterBitsBuilder> NewBuilder() const {
    return std::unique_ptr<rocksdb::FilterBitsBuilder>(
        policy_->GetBuilderWithContext(rocksdb::FilterBuildingContext(table_)));
  }

  const std::string_view name_;
  const std::unique_ptr<const rocksdb::FilterPolicy> policy_;
  rocksdb::BlockBasedTableOptions table_;
};

class LevelDBFilter : public ProbedFilter {
 public:
  LevelDBFilter(const leveldb::FilterPolicy& policy, Slice bytes)
      : policy_(policy), bytes_(bytes.data(), bytes.size()) {}

  bool MayMatch(Slice key) const override {
    return policy_.KeyMayMatch(leveldb::Slice(key.data(), key.size()), bytes_);
  }
  size_t CountMatches(std::span<const Slice> keys) const override {
    return static_cast<size_t>(
        std::count_if(keys.begin(), keys.end(),
                      [&](const Slice& key) { return MayMatch(key); }));
  }

 private:
  const leveldb::FilterPolicy& policy_;
  const leveldb::Slice bytes_;
};

class LevelDBFormat : public FilterFormat {
 public:
  explicit LevelDBFormat(double bits_per_key)
      : policy_(leveldb::NewBloomFilterPolicy(static_cast<int>(bits_per_key))) {
  }

  std::string_view engine() const override { return "leveldb"; }
  std::string_view name() const override { return "Bloom"; }
  std::vector<KeyGroups> groups() const override { return {KeyGroups::kBlock}; }
  std::string Build(std::span<const Slice> keys) const override {
    std::vector<leveldb::Slice> theirs;
    theirs.reserve(keys.size());
    for (const Slice& key : keys) theirs.emplace_back(key.data(), key.size());
    std::string bytes;
    policy_->CreateFilter(theirs.data(), static_cast<int>(theirs.size()),
                          &bytes);
    return bytes;
  }
  std::unique_ptr<ProbedFilter> Open(Slice bytes) const override {
    return std::make_unique<LevelDBFilter>(*policy_, bytes);
  }
  size_t alignment() const override { return kAlignmentOfNew; }
  size_t KeysThatFit(size_t bytes) const override { return bytes; }
  std::optional<double> PredictedRate(const std::string& /*bytes*/,
                                      size_t /*keys*/) const override {
    return std::nullopt;
  }

 private:
  const std::unique_ptr<const leveldb::FilterPolicy> policy_;
};

}  // namespace

FilterFormats NewPeerFormats(double bits_per_key) {
  FilterFormats formats;
  if (ROCKSDB_MAJOR == 7 && ROCKSDB_MINOR == 8) {
    formats.push_back(std::make_unique<RocksdbFormat>(
        "Bloom", rocksdb::NewBloomFilterPolicy(bits_per_key)));
    formats.push_back(std::make_unique<RocksdbFormat>(
        "Ribbon", rocksdb::NewRibbonFilterPolicy(bits_per_key, -1)));
  }
  formats.push_back(std::make_unique<LevelDBFormat>(bits_per_key));
  return formats;
}

}  // namespace tamis
