// SPDX-License-Identifier: Apache-2.0
#include "filter/builtin_filter_bits.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "filter/filter_registry.h"
#include "util/base/check.h"

namespace tamis {

namespace {

// RocksDB's filter that every key matches: zero probes.
constexpr std::string_view kMatchesEverything("\0\0\0\0\0\0", 6);

}  // namespace

BuiltinFilterBitsBuilder::BuiltinFilterBitsBuilder(const FilterCodec* codec,
                                                   double bits_per_key,
                                                   std::string reason)
    : codec_(codec),
      bits_per_key_(bits_per_key),
      reason_(std::move(reason)),
      builder_(codec == nullptr ? nullptr : codec->NewBuilder(bits_per_key)) {}

void BuiltinFilterBitsBuilder::AddKey(const Slice& key) {
  if (builder_ != nullptr) builder_->Add(FilterKey(key));
}

size_t BuiltinFilterBitsBuilder::EstimateEntriesAdded() {
  return builder_ == nullptr ? 0 : builder_->num_keys();
}

Slice BuiltinFilterBitsBuilder::Finish(std::unique_ptr<const char[]>* buf) {
  const Result<std::string> filter = builder_ != nullptr
                                         ? builder_->Finish()
                                         : std::string(kMatchesEverything);
  TAMIS_CHECK(filter.ok());  // codecs of full filters never fail
  auto bytes = std::make_unique<char[]>(filter->size());
  std::ranges::copy(*filter, bytes.get());
  const Slice contents(bytes.get(), filter->size());
  *buf = std::move(bytes);
  return contents;
}

size_t BuiltinFilterBitsBuilder::ApproximateNumEntries(size_t bytes) {
  return codec_ == nullptr ? 0 : codec_->KeysThatFit(bits_per_key_, bytes);
}

BuiltinFilterBitsReader::BuiltinFilterBitsReader(const Slice& contents)
    : view_(OpenFilterByTrailer(contents)) {}

bool BuiltinFilterBitsReader::MayMatch(const Slice& entry) {
  return view_.MayMatch(FilterKey(entry));
}

}  // namespace tamis
