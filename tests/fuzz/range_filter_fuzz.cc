// SPDX-License-Identifier: Apache-2.0
//
// Opens range filters of one codec after another, over keys of many shapes,
// whole or with changed bytes. Whole filters match every range with a key;
// changed ones may answer anything, within their bytes.
//
//   input := codec u8 | bits per key * 4 u8 | shape u8 | keys u8 | edits u8
//            | edit... | ranges
//   edit  := place from the end u16 | value to xor u8
//   range := begin length u8 | begin | end length u8 | end
//
// Shape 0 takes the ranges' bounds as keys, too; the others are kKeyShapes.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "filter/filter_registry.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/support/key_shapes.h"

namespace tamis {
namespace {

using Keys = std::vector<std::string>;

struct Range {
  std::string begin;
  std::string end;
};

std::vector<Range> TakeRanges(FuzzInput* input) {
  std::vector<Range> ranges;
  while (!input->empty() && ranges.size() < 64) {
    Range range;
    range.begin = input->Bytes(input->Byte() % 32);
    range.end = input->Bytes(input->Byte() % 32);
    if (range.end < range.begin) std::swap(range.begin, range.end);
    if (range.begin < range.end) ranges.push_back(std::move(range));
  }
  return ranges;
}

Keys MakeKeys(uint8_t shape, size_t n, const std::vector<Range>& ranges) {
  Random random(n);
  if (shape != 0) {
    return DrawKeys(kKeyShapes[shape % kKeyShapes.size()], 4 * n + 1, &random);
  }
  Keys keys;
  for (const Range& range : ranges) {
    keys.push_back(range.begin + range.end);
    if (range.begin.size() % 2 == 0) keys.push_back(range.end);
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

bool HoldsAny(const Keys& keys, const Range& range) {
  const auto at = std::lower_bound(keys.begin(), keys.end(), range.begin);
  return at != keys.end() && *at < range.end;
}

void AskWhole(const RangeFilterView& view, const Keys& keys,
              const std::vector<Range>& ranges) {
  for (size_t i = 0; i < keys.size(); ++i) {
    Claim(view.MayMatch(keys[i], keys[i] + '\0'));
    Claim(view.MayMatch(keys[i / 2], keys[i] + '\0'));
    Claim(keys[i].empty() || view.MayMatch("", keys[i] + '\0'));
  }
  for (const Range& range : ranges) {
    Claim(view.MayMatch(range.begin, range.end) || !HoldsAny(keys, range));
  }
}

void AskChanged(const RangeFilterView& view, const Keys& keys,
                const std::vector<Range>& ranges) {
  for (size_t i = 0; i < std::min<size_t>(keys.size(), 32); ++i) {
    (void)view.MayMatch(keys[i], keys[i] + '\0');
    (void)view.MayMatch(keys[i / 2], keys[keys.size() - 1 - i / 2] + '\0');
  }
  for (const Range& range : ranges) (void)view.MayMatch(range.begin, range.end);
}

void Fuzz(FuzzInput input) {
  const auto codecs = RangeFilterCodecs();
  const RangeFilterCodec& codec = *codecs[input.Byte() % codecs.size()];
  const double bits_per_key = input.Byte() / 4.0;
  const uint8_t shape = input.Byte();
  const size_t n = input.Byte();
  const size_t edits = input.Byte();
  std::vector<std::pair<uint16_t, uint8_t>> changes;
  for (size_t i = 0; i < edits && !input.empty(); ++i) {
    const uint16_t place = input.Short();
    changes.emplace_back(place, input.Byte());
  }
  const std::vector<Range> ranges = TakeRanges(&input);
  const Keys keys = MakeKeys(shape, n, ranges);
  const auto builder = codec.NewBuilder(bits_per_key);
  for (const std::string& key : keys) builder->Add(key);
  std::string filter = builder->Finish();
  if (filter.empty()) return;
  for (const auto& [place, value] : changes) {
    char& byte = filter[filter.size() - 1 - place % filter.size()];
    byte = static_cast<char>(byte ^ value);
  }
  // On its own piece of the heap, so that a sanitizer sees its end.
  const auto copy = std::make_unique<char[]>(filter.size());
  std::copy(filter.begin(), filter.end(), copy.get());
  const Slice bytes(copy.get(), filter.size());
  const RangeFilterView view = codec.Open(bytes);
  const double rate = codec.PredictedFalsePositiveRate(bytes);
  Claim(rate >= 0 && rate <= 1);
  if (changes.empty()) {
    Claim(!codec.Parameters(bytes).empty());
    AskWhole(view, keys, ranges);
  } else {
    (void)codec.Parameters(bytes);
    AskChanged(view, keys, ranges);
  }
}

}  // namespace
}  // namespace tamis

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tamis::Fuzz(tamis::FuzzInput(data, size));
  return 0;
}
