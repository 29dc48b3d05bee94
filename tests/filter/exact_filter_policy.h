// SPDX-License-Identifier: Apache-2.0
//
// Policies as a user would write them. Their filters store the keys themselves
// and have no false positives, so that each wrong answer is the caller's.
#pragma once

#include <atomic>
#include <cstring>
#include <memory>
#include <string>

#include "tamis/filter_policy.h"

namespace tamis {

// Entries as length byte and bytes; keys of 255 bytes at most.
inline void AppendExactEntry(const Slice& entry, std::string* filter) {
  filter->push_back(static_cast<char>(entry.size()));
  filter->append(entry.data(), entry.size());
}
inline bool HasExactEntry(const Slice& entry, Slice filter) {
  while (!filter.empty()) {
    const size_t size = static_cast<unsigned char>(filter[0]);
    filter.remove_prefix(1);
    if (size > filter.size()) return false;
    if (Slice(filter.data(), size) == entry) return true;
    filter.remove_prefix(size);
  }
  return false;
}

// Full and partitioned filters. Any thread.
class ExactFilterPolicy final : public FilterPolicy {
 public:
  static constexpr char kName[] = "tests.Exact";

  const char* Name() const override { return kName; }
  FilterBitsBuilder* GetFilterBitsBuilder() const override {
    ++builders_made_;
    return new Builder;
  }
  FilterBitsReader* GetFilterBitsReader(const Slice& contents) const override {
    ++readers_made_;
    return new Reader(contents);
  }
  int builders_made() const { return builders_made_; }
  int readers_made() const { return readers_made_; }

 private:
  class Builder final : public FilterBitsBuilder {
   public:
    void AddKey(const Slice& key) override {
      AppendExactEntry(key, &entries_);
      ++num_entries_;
    }
    size_t EstimateEntriesAdded() override { return num_entries_; }
    Slice Finish(std::unique_ptr<const char[]>* buf) override {
      const size_t size = kHeader.size() + entries_.size();
      auto bytes = std::make_unique<char[]>(size);
      std::memcpy(bytes.get(), kHeader.data(), kHeader.size());
      std::memcpy(bytes.get() + kHeader.size(), entries_.data(),
                  entries_.size());
      const Slice filter(bytes.get(), size);
      *buf = std::move(bytes);
      return filter;
    }
    size_t ApproximateNumEntries(size_t bytes) override { return bytes / 16; }

   private:
    std::string entries_;
    size_t num_entries_ = 0;
  };

  class Reader final : public FilterBitsReader {
   public:
    explicit Reader(const Slice& contents) : contents_(contents) {}
    bool MayMatch(const Slice& entry) override {
      Slice entries = contents_;
      if (!entries.starts_with(kHeader)) return false;
      entries.remove_prefix(kHeader.size());
      return HasExactEntry(entry, entries);
    }

   private:
    const Slice contents_;
  };

  // So that no filter is as short as one that holds no key.
  static constexpr std::string_view kHeader = "exact:";

  mutable std::atomic<int> builders_made_{0};
  mutable std::atomic<int> readers_made_{0};
};

// Block-based filters. Any thread.
class ExactChunkPolicy final : public FilterPolicy {
 public:
  const char* Name() const override { return "tests.ExactChunk"; }
  void CreateFilter(const Slice* keys, int n,
                    std::string* filter) const override {
    for (int i = 0; i < n; ++i) AppendExactEntry(keys[i], filter);
  }
  bool KeyMayMatch(const Slice& key, const Slice& filter) const override {
    return HasExactEntry(key, filter);
  }
};

}  // namespace tamis
