// SPDX-License-Identifier: Apache-2.0
//
// Probes any bytes as a filter of every name; valid filters, which must match
// their keys under the name by which they are found; and these with a reserved
// trailer, which must not lose a key.
//
//   input := mode u8 | ...
//   mode     0 key length u8 | key | filter
//            1 codec u8 | bits u8 | keys
//            2 as 1, after 5 bytes that change the trailer
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "filter/filter_registry.h"
#include "tests/fuzz/fuzz_input.h"

namespace tamis {
namespace {

constexpr std::array kFamilies = {
    "rocksdb.BuiltinBloomFilter",
    "bloomfilter",
    "ribbonfilter",
    "rocksdb.internal.LegacyBloomFilter",
    "rocksdb.internal.Standard128RibbonFilter",
    "leveldb.BuiltinBloomFilter2",
    "leveldb.BuiltinBloomFilter",
    "tamis.HomogeneousRibbon",
    "tamis.BumpedRibbon",
    "tamis.BinaryFuse",
    "tamis.Xor",
    "x",
};
constexpr size_t kTrailerBytes = 5;

void AskAnything(const std::string& bytes, const std::string& key) {
  for (const FilterPlacement placement :
       {FilterPlacement::kBlockBased, FilterPlacement::kFull,
        FilterPlacement::kPartitioned}) {
    for (const char* family : kFamilies) {
      const FilterLocator where{placement, family};
      const bool answer = OpenFilter(where, bytes).MayMatch(FilterKey(key));
      const FilterOpener opener(where);
      Claim(opener.Open(bytes).MayMatch(FilterKey(key)) == answer);
      const FilterCodec* codec = FindCodec(where, bytes);
      Claim(codec != nullptr || answer);
      if (codec == nullptr) continue;
      const double rate = codec->PredictedFalsePositiveRate(bytes, key.size());
      Claim(rate >= 0 && rate <= 1);
    }
  }
  for (const FilterCodec* codec : BuiltinCodecs()) {
    (void)codec->Open(bytes).MayMatch(FilterKey(key));
  }
  for (const RangeFilterCodec* codec : RangeFilterCodecs()) {
    const RangeFilterView view = codec->Open(bytes);
    (void)view.MayMatch(key, key + "x");
    (void)view.MayMatch(key, key + '\0');
    const std::string half = key.substr(0, key.size() / 2);
    if (half < key) (void)view.MayMatch(half, key);
    if (key < half + "\xff") (void)view.MayMatch(key, half + "\xff");
    (void)codec->Parameters(bytes);
  }
}

using Keys = std::vector<std::string>;

// Every range with a key matches.
void BuildAndAskRanges(double bits_per_key, Keys keys) {
  std::ranges::sort(keys);
  for (const RangeFilterCodec* codec : RangeFilterCodecs()) {
    const auto builder = codec->NewBuilder(bits_per_key);
    for (const std::string& key : keys) builder->Add(key);
    const std::string filter = builder->Finish();
    if (filter.empty()) continue;
    const RangeFilterView view = codec->Open(filter);
    for (size_t i = 0; i < keys.size(); ++i) {
      Claim(view.MayMatch(keys[i], keys[i] + '\0'));
      Claim(view.MayMatch(keys[i / 2], keys[i] + '\0'));
      Claim(keys[i].empty() || view.MayMatch("", keys[i] + '\0'));
    }
  }
}

Keys TakeKeys(FuzzInput* input) {
  Keys keys;
  while (!input->empty() && keys.size() < 64) {
    keys.push_back(input->Bytes(input->Byte() % 32));
  }
  return keys;
}

void ClaimAllMatch(const FilterView& view, const Keys& keys) {
  for (const std::string& key : keys) Claim(view.MayMatch(FilterKey(key)));
}

// Whether a reader that finds the full filter by its trailer must hold it for
// one that it does not know: reserved markers and probe counts.
bool TrailerIsReserved(const std::string& filter) {
  if (filter.size() <= kTrailerBytes) return false;
  const auto marker =
      static_cast<int8_t>(filter[filter.size() - kTrailerBytes]);
  const char sub_kind = filter[filter.size() - kTrailerBytes + 1];
  // -1 with sub-kind 0 is FastLocalBloom, -2 Ribbon, positive ones are legacy.
  return marker == 0 || marker < -2 || (marker == -1 && sub_kind != 0);
}

void BuildAndAsk(FuzzInput input, const std::string& damage) {
  const std::span<const FilterCodec* const> codecs = BuiltinCodecs();
  const FilterCodec* codec = codecs[input.Byte() % codecs.size()];
  const double bits_per_key = input.Byte() / 4.0;
  const auto builder = codec->NewBuilder(bits_per_key);
  const Keys keys = TakeKeys(&input);
  for (const std::string& key : keys) builder->Add(FilterKey(key));
  BuildAndAskRanges(bits_per_key, keys);
  const size_t num_keys = builder->num_keys();
  Claim(num_keys <= keys.size());
  const size_t estimate = builder->EstimateSizeBytes();
  const Result<std::string> filter = builder->Finish();
  if (!filter.ok()) return;
  if (num_keys != 0) {
    Claim(estimate == filter->size());
    Claim(codec->KeysThatFit(bits_per_key, filter->size()) >= num_keys);
  }
  ClaimAllMatch(codec->Open(*filter), keys);
  const FilterLocator full{FilterPlacement::kFull,
                           std::string(kBuiltinBloomFamily)};
  if (FindCodec(full, *filter) == codec) {
    ClaimAllMatch(OpenFilter(full, *filter), keys);
  }
  if (damage.size() != kTrailerBytes || filter->size() < kTrailerBytes) return;
  std::string changed = *filter;
  for (size_t i = 0; i < kTrailerBytes; ++i) {
    char& byte = changed[changed.size() - kTrailerBytes + i];
    byte = static_cast<char>(byte ^ damage[i]);
  }
  const FilterView view = OpenFilter(full, changed);
  if (TrailerIsReserved(changed)) {
    ClaimAllMatch(view, keys);
  } else {
    for (const std::string& key : keys) (void)view.MayMatch(FilterKey(key));
  }
}

void Fuzz(FuzzInput input) {
  const uint8_t mode = input.Byte() % 3;
  if (mode == 0) {
    const std::string key = input.Bytes(input.Byte() % 32);
    AskAnything(input.Rest(), key);
    return;
  }
  const std::string damage = input.Bytes(mode == 2 ? kTrailerBytes : 0);
  BuildAndAsk(input, damage);
}

}  // namespace
}  // namespace tamis

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tamis::Fuzz(tamis::FuzzInput(data, size));
  return 0;
}
