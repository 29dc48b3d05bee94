// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a block of every format, scanned in both directions and
// searched; and valid blocks, which must show their entries forward, backward
// and by search.
//
//   input := mode u8 | keys u8 | values u8 | target length u8 | target | block
//   mode  := 0 bytes as they are, 1 entries to build a block from
#include "table/block.h"
#include "tests/fuzz/fuzz_blocks.h"
#include "tests/fuzz/fuzz_input.h"

namespace tamis {
namespace {

const std::string kName = "block";
constexpr BlockOrigin kOrigin{&kName, 0};

// A scan ends: no block has more entries than bytes.
template <typename Move>
void ScanToEnd(BlockIterator* it, size_t bytes, Move move) {
  for (size_t steps = 0; it->Valid(); move(it)) {
    Claim(steps++ <= bytes);
  }
  if (!it->status().ok()) {
    Claim(it->status().message().find(kName) != std::string::npos);
  }
}

void ScanAnyBytes(const std::string& block, const BlockFormat& format,
                  const std::string& target) {
  BlockIterator it;
  it.Open(PinnedBytes::Own(block), format, kOrigin);
  it.SeekToFirst();
  ScanToEnd(&it, block.size(), [](BlockIterator* i) { i->Next(); });
  it.SeekToLast();
  ScanToEnd(&it, block.size(), [](BlockIterator* i) { i->Prev(); });
  it.Seek(target);
  ScanToEnd(&it, block.size(), [](BlockIterator* i) { i->Next(); });
  it.SeekForPrev(target);
  ScanToEnd(&it, block.size(), [](BlockIterator* i) { i->Prev(); });
}

void ClaimAt(const BlockIterator& it, const BlockFormat& format,
             const FuzzEntry& entry) {
  Claim(it.Valid());
  Claim(it.key() == Slice(entry.key));
  if (format.values == BlockFormat::Values::kLengthPrefixed) {
    Claim(it.value() == Slice(entry.value));
  } else {
    Claim(it.handle() == entry.handle);
  }
}

// The number of the first entry at or behind the target.
size_t FirstAtOrBehind(const std::vector<FuzzEntry>& entries,
                       BlockFormat::Keys keys, const Slice& target) {
  size_t i = 0;
  while (i < entries.size() && CompareKeys(keys, entries[i].key, target) < 0) {
    ++i;
  }
  return i;
}

void ClaimSearchesAgree(BlockIterator* it, const BlockFormat& format,
                        const std::vector<FuzzEntry>& entries,
                        const Slice& target) {
  const size_t at = FirstAtOrBehind(entries, format.keys, target);
  it->Seek(target);
  Claim(it->status().ok());
  Claim(it->Valid() == (at < entries.size()));
  if (it->Valid()) ClaimAt(*it, format, entries[at]);
  const bool equal = at < entries.size() &&
                     CompareKeys(format.keys, entries[at].key, target) == 0;
  it->SeekForPrev(target);
  Claim(it->Valid() == (equal || at > 0));
  if (it->Valid()) ClaimAt(*it, format, entries[equal ? at : at - 1]);
}

void BuildAndScan(FuzzInput input, const BlockFormat& format,
                  const std::string& target) {
  const size_t interval = 1 + input.Byte() % 20;
  const std::vector<FuzzEntry> entries = TakeEntries(&input, format.keys);
  BlockIterator it;
  it.Open(PinnedBytes::Own(EncodeFuzzBlock(entries, interval, format.values)),
          format, kOrigin);
  Claim(it.status().ok());
  it.SeekToFirst();
  for (const FuzzEntry& entry : entries) {
    ClaimAt(it, format, entry);
    it.Next();
  }
  Claim(!it.Valid() && it.status().ok());
  it.SeekToLast();
  for (size_t i = entries.size(); i-- > 0; it.Prev()) {
    ClaimAt(it, format, entries[i]);
  }
  Claim(!it.Valid() && it.status().ok());
  ClaimSearchesAgree(&it, format, entries, target);
  for (const FuzzEntry& entry : entries) {
    ClaimSearchesAgree(&it, format, entries, entry.key);
  }
}

void Fuzz(FuzzInput input) {
  const bool build = input.Byte() % 2 == 1;
  const BlockFormat format{
      .keys = static_cast<BlockFormat::Keys>(input.Byte() % 3),
      .values = static_cast<BlockFormat::Values>(input.Byte() % 3),
      .order = &FuzzOrder()};
  // Long enough for an internal key.
  const std::string target = input.Bytes(input.Byte() % 16) + "12345678";
  if (build) {
    BuildAndScan(input, format, target);
  } else {
    ScanAnyBytes(input.Rest(), format, target);
  }
}

}  // namespace
}  // namespace tamis

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tamis::Fuzz(tamis::FuzzInput(data, size));
  return 0;
}
