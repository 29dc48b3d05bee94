// SPDX-License-Identifier: Apache-2.0
#include "facade/leveldb/comparator.h"

#include <string>

#include "facade/leveldb/convert.h"

namespace leveldb {

Comparator::~Comparator() = default;

namespace {

using tamis::facade::ToTamis;

class BytewiseComparatorImpl final : public Comparator {
 public:
  int Compare(const Slice& a, const Slice& b) const override {
    return a.compare(b);
  }
  const char* Name() const override { return order_.Name(); }
  void FindShortestSeparator(std::string* start,
                             const Slice& limit) const override {
    order_.FindShortestSeparator(start, ToTamis(limit));
  }
  void FindShortSuccessor(std::string* key) const override {
    order_.FindShortSuccessor(key);
  }

 private:
  const tamis::Comparator& order_ = *tamis::BytewiseComparator();
};

}  // namespace

const Comparator* BytewiseComparator() {
  static const auto* const order = new BytewiseComparatorImpl;
  return order;
}

}  // namespace leveldb

namespace tamis::facade {

namespace {

class Adapted final : public Comparator {
 public:
  explicit Adapted(const leveldb::Comparator& order) : order_(order) {}

  const char* Name() const override { return order_.Name(); }
  int Compare(const Slice& a, const Slice& b) const override {
    return order_.Compare(ToLevelDB(a), ToLevelDB(b));
  }
  void FindShortestSeparator(std::string* start,
                             const Slice& limit) const override {
    order_.FindShortestSeparator(start, ToLevelDB(limit));
  }
  void FindShortSuccessor(std::string* key) const override {
    order_.FindShortSuccessor(key);
  }

 private:
  const leveldb::Comparator& order_;
};

}  // namespace

ComparatorForTamis::ComparatorForTamis(const leveldb::Comparator* order) {
  if (order == leveldb::BytewiseComparator()) {
    order_ = BytewiseComparator();
  } else {
    own_ = std::make_unique<Adapted>(*order);
    order_ = own_.get();
  }
}

}  // namespace tamis::facade
