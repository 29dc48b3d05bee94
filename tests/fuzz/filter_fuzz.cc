// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a filter of any placement, asked; and filters that were built,
// which must know their keys.
#include <array>

#include "filter/filter_registry.h"
#include "tests/fuzz/fuzz_input.h"

namespace tamis {
namespace {

void AskAnything(const std::string& bytes, const std::string& key) {
  for (const FilterPlacement placement :
       {FilterPlacement::kBlockBased, FilterPlacement::kFull,
        FilterPlacement::kPartitioned}) {
    for (const char* family :
         {"rocksdb.BuiltinBloomFilter", "leveldb.BuiltinBloomFilter2", "x"}) {
      const FilterLocator where{placement, family};
      const FilterView view = OpenFilter(where, bytes);
      (void)view.MayMatch(FilterKey(key));
      const FilterCodec* codec = FindCodec(where, bytes);
      if (codec == nullptr) continue;
      const double rate = codec->PredictedFalsePositiveRate(bytes, key.size());
      Claim(rate >= 0 && rate <= 1);
    }
  }
}

void BuildAndAsk(FuzzInput input) {
  const std::span<const FilterCodec* const> codecs = BuiltinCodecs();
  const FilterCodec* codec = codecs[input.Byte() % codecs.size()];
  const auto builder = codec->NewBuilder(input.Byte() / 4.0);
  std::array<std::string, 32> keys;
  size_t count = 0;
  while (!input.empty() && count < keys.size()) {
    keys[count] = input.Bytes(input.Byte() % 32);
    builder->Add(FilterKey(keys[count++]));
  }
  const Result<std::string> filter = builder->Finish();
  if (!filter.ok()) return;
  const FilterView view = codec->Open(*filter);
  for (size_t i = 0; i < count; i++) Claim(view.MayMatch(FilterKey(keys[i])));
}

void Fuzz(FuzzInput input) {
  if (input.Byte() % 2 == 0) {
    BuildAndAsk(input);
    return;
  }
  const std::string key = input.Bytes(input.Byte() % 32);
  AskAnything(input.Rest(), key);
}

}  // namespace
}  // namespace tamis

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tamis::Fuzz(tamis::FuzzInput(data, size));
  return 0;
}
