// SPDX-License-Identifier: Apache-2.0
//
// The built-in prefix extractors, under RocksDB's names.
#include "tamis/slice_transform.h"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "util/extensions/builtin_prefixes.h"

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

std::shared_ptr<const SliceTransform> BuiltinPrefixExtractor(
    std::string_view id) {
  std::shared_ptr<const SliceTransform> made(NewNoopTransform());
  if (id == made->GetId()) return made;
  const size_t dot = id.rfind('.');
  if (dot == std::string_view::npos) return nullptr;
  size_t length = 0;
  const auto parsed =
      std::from_chars(id.data() + dot + 1, id.data() + id.size(), length);
  if (parsed.ec != std::errc()) return nullptr;
  for (auto* make : {NewFixedPrefixTransform, NewCappedPrefixTransform}) {
    made.reset(make(length));
    if (id == made->GetId()) return made;
  }
  return nullptr;
}

}  // namespace tamis
