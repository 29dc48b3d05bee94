// SPDX-License-Identifier: Apache-2.0
//
// User code that may throw in every call (failures.h): an order, a merge
// operator, a prefix extractor and a filter policy.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tamis/comparator.h"
#include "tamis/filter_policy.h"
#include "tamis/merge_operator.h"
#include "tamis/slice_transform.h"

#include "tests/failures/failures.h"

namespace tamis {

class ThrowingComparator final : public Comparator {
 public:
  explicit ThrowingComparator(const char* name = "test.Throwing")
      : name_(name) {}
  const char* Name() const override { return name_; }
  int Compare(const Slice& a, const Slice& b) const override {
    Failures::Callback();
    return a.compare(b);
  }
  void FindShortestSeparator(std::string* start,
                             const Slice& limit) const override {
    Failures::Callback();
    BytewiseComparator()->FindShortestSeparator(start, limit);
  }
  void FindShortSuccessor(std::string* key) const override {
    Failures::Callback();
    BytewiseComparator()->FindShortSuccessor(key);
  }
  bool CanKeysWithDifferentByteContentsBeEqual() const override {
    return false;
  }

 private:
  const char* const name_;
};

// The operands behind the base, separated by commas.
class ThrowingAppend final : public AssociativeMergeOperator {
 public:
  const char* Name() const override { return "test.ThrowingAppend"; }
  bool Merge(const Slice&, const Slice* existing, const Slice& value,
             std::string* merged, Logger*) const override {
    Failures::Callback();
    *merged = existing == nullptr ? "" : existing->ToString() + ",";
    merged->append(value.data(), value.size());
    return true;
  }
};

class ThrowingPrefix final : public SliceTransform {
 public:
  explicit ThrowingPrefix(size_t length = 4) : length_(length) {}
  const char* Name() const override { return "test.ThrowingPrefix"; }
  Slice Transform(const Slice& key) const override {
    Failures::Callback();
    return {key.data(), length_};
  }
  bool InDomain(const Slice& key) const override {
    Failures::Callback();
    return key.size() >= length_;
  }

 private:
  const size_t length_;
};

// The hashes of all keys.
class ThrowingFilterPolicy final : public FilterPolicy {
 public:
  const char* Name() const override { return "test.ThrowingFilter"; }
  FilterBitsBuilder* GetFilterBitsBuilder() const override {
    Failures::Callback();
    return new Builder;
  }
  FilterBitsReader* GetFilterBitsReader(const Slice& contents) const override {
    Failures::Callback();
    return new Reader(contents);
  }

 private:
  using Hash = uint64_t;
  static Hash HashOf(const Slice& key) {
    return std::hash<std::string_view>()({key.data(), key.size()});
  }

  class Builder final : public FilterBitsBuilder {
   public:
    void AddKey(const Slice& key) override {
      Failures::Callback();
      hashes_.push_back(HashOf(key));
    }
    size_t EstimateEntriesAdded() override { return hashes_.size(); }
    Slice Finish(std::unique_ptr<const char[]>* buf) override {
      Failures::Callback();
      const size_t bytes = hashes_.size() * sizeof(Hash);
      auto copy = std::make_unique<char[]>(bytes + 1);
      if (bytes > 0) std::memcpy(copy.get(), hashes_.data(), bytes);
      const Slice filter(copy.get(), bytes);
      *buf = std::move(copy);
      return filter;
    }
    size_t ApproximateNumEntries(size_t bytes) override {
      return bytes / sizeof(Hash);
    }

   private:
    std::vector<Hash> hashes_;
  };

  class Reader final : public FilterBitsReader {
   public:
    explicit Reader(const Slice& contents) : contents_(contents) {}
    bool MayMatch(const Slice& entry) override {
      Failures::Callback();
      const Hash wanted = HashOf(entry);
      for (size_t at = 0; at + sizeof(Hash) <= contents_.size();
           at += sizeof(Hash)) {
        Hash hash = 0;
        std::memcpy(&hash, contents_.data() + at, sizeof(Hash));
        if (hash == wanted) return true;
      }
      return false;
    }

   private:
    const Slice contents_;
  };
};

}  // namespace tamis
