// SPDX-License-Identifier: Apache-2.0
//
// The built-in prefix extractors, under RocksDB's names.
#include "tamis/slice_transform.h"

#include <algorithm>

namespace tamis {

namespace {

class FixedPrefixTransform final : public SliceTransform {
 public:
  explicit FixedPrefixTransform(size_t length) : length_(length) {}

  const char* Name() const override { return "rocksdb.FixedPrefix"; }
  std::string GetId() const override {
    return std::string(Name()) + "." + std::to_string(length_);
  }
  Slice Transform(const Slice& key) const override {
    return {key.data(), length_};
  }
  bool InDomain(const Slice& key) const override {
    return key.size() >= length_;
  }
  bool FullLengthEnabled(size_t* length) const override {
    *length = length_;
    return true;
  }

 private:
  const size_t length_;
};

class CappedPrefixTransform final : public SliceTransform {
 public:
  explicit CappedPrefixTransform(size_t cap) : cap_(cap) {}

  const char* Name() const override { return "rocksdb.CappedPrefix"; }
  std::string GetId() const override {
    return std::string(Name()) + "." + std::to_string(cap_);
  }
  Slice Transform(const Slice& key) const override {
    return {key.data(), std::min(cap_, key.size())};
  }
  bool InDomain(const Slice& /*key*/) const override { return true; }
  bool FullLengthEnabled(size_t* length) const override {
    *length = cap_;
    return true;
  }

 private:
  const size_t cap_;
};

class NoopTransform final : public SliceTransform {
 public:
  const char* Name() const override { return "rocksdb.Noop"; }
  Slice Transform(const Slice& key) const override { return key; }
  bool InDomain(const Slice& /*key*/) const override { return true; }
};

}  // namespace

SliceTransform::~SliceTransform() = default;

std::string SliceTransform::GetId() const { return Name(); }

const SliceTransform* NewFixedPrefixTransform(size_t prefix_length) {
  return new FixedPrefixTransform(prefix_length);
}

const SliceTransform* NewCappedPrefixTransform(size_t cap_length) {
  return new CappedPrefixTransform(cap_length);
}

const SliceTransform* NewNoopTransform() { return new NoopTransform; }

}  // namespace tamis
