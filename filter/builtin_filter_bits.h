// SPDX-License-Identifier: Apache-2.0
//
// Wraps the built-in codecs in the public FilterBitsBuilder and
// FilterBitsReader, so that a user's policy can return the builders and readers
// of NewBloomFilterPolicy and NewRibbonFilterPolicy.
#pragma once

#include <memory>
#include <string>

#include "tamis/filter_policy.h"

#include "filter/filter_codec.h"

namespace tamis {

// One thread.
class BuiltinFilterBitsBuilder final : public FilterBitsBuilder {
 public:
  // `codec` must outlive *this. If it is nullptr, Finish returns a filter
  // that every key matches. `reason` is the result of Reason().
  BuiltinFilterBitsBuilder(const FilterCodec* codec, double bits_per_key,
                           std::string reason = {});

  void AddKey(const Slice& key) override;
  size_t EstimateEntriesAdded() override;
  Slice Finish(std::unique_ptr<const char[]>* buf) override;
  size_t ApproximateNumEntries(size_t bytes) override;
  std::string Reason() const override { return reason_; }

  const FilterCodec* codec() const { return codec_; }
  double bits_per_key() const { return bits_per_key_; }

 private:
  const FilterCodec* const codec_;
  const double bits_per_key_;
  const std::string reason_;
  const std::unique_ptr<FilterBuilder> builder_;  // nullptr if codec_ is
};

// Reads a full filter, whose format its bytes identify. Any thread.
class BuiltinFilterBitsReader final : public FilterBitsReader {
 public:
  // The bytes must outlive *this.
  explicit BuiltinFilterBitsReader(const Slice& contents);

  bool MayMatch(const Slice& entry) override;

 private:
  const FilterView view_;
};

}  // namespace tamis
