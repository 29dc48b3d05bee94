// SPDX-License-Identifier: Apache-2.0
//
// Opens filters of one codec after another, large enough to have the layout of
// the codec, whole or with changed bytes. Whole filters match their keys and
// exclude others; changed ones may answer anything, within their bytes.
//
//   input := codec u8 | bits per key * 4 u8 | keys / 8 u8 | edits
//   edit  := place from the end u16 | value to xor u8
#include <algorithm>
#include <memory>
#include <string>

#include "filter/filter_registry.h"
#include "tests/fuzz/fuzz_input.h"

namespace tamis {
namespace {

std::string KeyOf(size_t i) { return "key" + std::to_string(i * 7); }

std::string Build(const FilterCodec& codec, double bits_per_key, size_t n) {
  const auto builder = codec.NewBuilder(bits_per_key);
  for (size_t i = 0; i < n; ++i) builder->Add(FilterKey(KeyOf(i)));
  return builder->Finish().value();  // built-in codecs never fail
}

// With the keys and bits of the seeds, every codec stores a filter
// of its own.
constexpr size_t kKeysOfSeeds = 1600;
constexpr double kBitsOfSeeds = 10;

void ClaimIsOfCodec(const FilterCodec& codec, const std::string& filter) {
  const bool is_own = codec.family().starts_with("tamis.");
  if (is_own) {
    Claim(codec.Parameters(filter).find(" bits of result") !=
          std::string::npos);
  }
  const bool is_chunk = codec.name().starts_with("LevelDB");
  const FilterLocator where{
      is_chunk ? FilterPlacement::kBlockBased : FilterPlacement::kFull,
      std::string(codec.family())};
  Claim(FindCodec(where, filter) == &codec);
}

void AskWhole(const FilterCodec& codec, const std::string& filter, size_t n) {
  const FilterView view = codec.Open(filter);
  for (size_t i = 0; i < n; ++i) {
    const std::string key = KeyOf(i);
    const FilterKey hashed(key);
    view.PrefetchFor(hashed);
    Claim(view.MayMatch(hashed));
  }
  const double rate = codec.PredictedFalsePositiveRate(filter, n);
  Claim(rate >= 0 && rate <= 1);
  if (n < 1000 || rate > 0.1) return;
  size_t matches = 0;
  for (size_t i = 0; i < 100; ++i) {
    matches += view.MayMatch(FilterKey("absent" + std::to_string(i)));
  }
  Claim(matches < 60);
}

void AskChanged(const FilterCodec& codec, const std::string& filter) {
  // On its own piece of the heap, so that a sanitizer sees its end.
  const auto copy = std::make_unique<char[]>(filter.size());
  std::copy(filter.begin(), filter.end(), copy.get());
  const Slice bytes(copy.get(), filter.size());
  const FilterView view = codec.Open(bytes);
  for (size_t i = 0; i < 64; ++i) {
    const std::string key = KeyOf(i * i);
    const FilterKey hashed(key);
    view.PrefetchFor(hashed);
    (void)view.MayMatch(hashed);
  }
  const double rate = codec.PredictedFalsePositiveRate(bytes, 64);
  Claim(rate >= 0 && rate <= 1);
  (void)codec.Parameters(bytes);
}

void Fuzz(FuzzInput input) {
  const auto codecs = BuiltinCodecs();
  const FilterCodec& codec = *codecs[input.Byte() % codecs.size()];
  const double bits_per_key = input.Byte() / 4.0;
  const size_t n = size_t{input.Byte()} * 8;
  std::string filter = Build(codec, bits_per_key, n);
  if (bits_per_key == kBitsOfSeeds && n == kKeysOfSeeds) {
    ClaimIsOfCodec(codec, filter);
  }
  if (input.empty()) {
    AskWhole(codec, filter, n);
    return;
  }
  while (!input.empty() && !filter.empty()) {
    const size_t from_end = input.Short() % filter.size();
    char& byte = filter[filter.size() - 1 - from_end];
    byte = static_cast<char>(byte ^ input.Byte());
  }
  AskChanged(codec, filter);
}

}  // namespace
}  // namespace tamis

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tamis::Fuzz(tamis::FuzzInput(data, size));
  return 0;
}
