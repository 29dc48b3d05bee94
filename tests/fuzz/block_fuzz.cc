// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a block, under every format, walked both ways and searched.
#include "table/block.h"
#include "table/properties.h"
#include "tests/fuzz/fuzz_input.h"

namespace tamis {
namespace {

// A walk ends: no block has more entries than bytes.
template <typename Move>
void Walk(BlockIterator* it, size_t bytes, Move move) {
  for (size_t steps = 0; it->Valid(); move(it)) {
    Claim(steps++ <= bytes);
  }
}

void Fuzz(FuzzInput input) {
  const KeyOrder order(BytewiseComparator());
  const std::string name = "block";
  const BlockOrigin origin{&name, 0};
  const auto keys = static_cast<BlockFormat::Keys>(input.Byte() % 3);
  const auto values = static_cast<BlockFormat::Values>(input.Byte() % 3);
  const std::string target = input.Bytes(input.Byte() % 16) + "12345678";
  const std::string block = input.Rest();

  // Internal keys are what a table's reader has checked to be long enough;
  // under that format a block is only walked.
  const bool search = keys != BlockFormat::Keys::kInternal;
  BlockIterator it;
  it.Open(PinnedBytes::Own(block), BlockFormat{keys, values, &order}, origin);
  it.SeekToFirst();
  Walk(&it, block.size(), [](BlockIterator* i) { i->Next(); });
  it.SeekToLast();
  Walk(&it, block.size(), [](BlockIterator* i) { i->Prev(); });
  if (search) {
    it.Seek(target);
    it.SeekForPrev(target);
  }
  (void)DecodeProperties(PinnedBytes::Own(block), origin).ok();
}

}  // namespace
}  // namespace tamis

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tamis::Fuzz(tamis::FuzzInput(data, size));
  return 0;
}
