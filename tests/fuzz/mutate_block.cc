// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/mutate_block.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "table/block.h"
#include "tests/fuzz/fuzz_blocks.h"

namespace tamis {

namespace {

constexpr size_t kEntriesMax = 1024;

bool ParseEntries(const std::string& block, std::vector<FuzzEntry>* entries) {
  static const std::string kName = "block";
  BlockIterator it;
  it.Open(PinnedBytes::Borrow(block), BlockFormat(), {&kName, 0});
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    if (entries->size() == kEntriesMax) return false;
    entries->push_back({it.key().ToString(), it.value().ToString(), {}});
  }
  return it.status().ok() && !entries->empty();
}

// Sequence and type of an internal key.
void MutateTail(std::string* key, Mutator* mutator) {
  if (key->size() < kInternalKeyTailBytes) return;
  char* const tail = key->data() + key->size() - kInternalKeyTailBytes;
  uint64_t packed = DecodeFixed64(tail);
  if (mutator->OneIn(2)) {
    packed = (packed & ~uint64_t{0xff}) | mutator->Below(32);
  } else {
    packed = mutator->Number(packed);
  }
  EncodeFixed64(tail, packed);
}

void SortByBytes(std::vector<FuzzEntry>* entries) {
  std::stable_sort(
      entries->begin(), entries->end(),
      [](const FuzzEntry& a, const FuzzEntry& b) { return a.key < b.key; });
}

void MutateEntries(std::vector<FuzzEntry>* entries, Mutator* mutator) {
  FuzzEntry& entry = (*entries)[mutator->Below(entries->size())];
  switch (mutator->Below(6)) {
    case 0:
      return mutator->Shuffle(entries);
    case 1:
      return mutator->Change(&entry.key);
    case 2:
      return MutateTail(&entry.key, mutator);
    case 3:
      entry.value.clear();
      PutVarint64(&entry.value, mutator->Number(0));
      return;
    case 4: {
      FuzzEntry fresh = entry;
      mutator->Change(&fresh.key);
      entries->push_back(std::move(fresh));
      SortByBytes(entries);
      return;
    }
    default:
      return mutator->Change(&entry.value);
  }
}

}  // namespace

std::string MutateBlock(const std::string& block, Mutator* mutator) {
  std::vector<FuzzEntry> entries;
  std::string out = block;
  if (mutator->OneIn(6) || !ParseEntries(block, &entries)) {
    mutator->Change(&out);
    return out;
  }
  do {
    MutateEntries(&entries, mutator);
  } while (!entries.empty() && mutator->OneIn(3));
  return EncodeFuzzBlock(entries, 1 + mutator->Below(16),
                         BlockFormat::Values::kLengthPrefixed);
}

std::string WithEntry(const std::string& block, const std::string& key,
                      const std::string& value) {
  std::vector<FuzzEntry> entries;
  if (!ParseEntries(block, &entries)) return block;
  std::erase_if(entries,
                [&key](const FuzzEntry& entry) { return entry.key == key; });
  entries.push_back({key, value, {}});
  SortByBytes(&entries);
  return EncodeFuzzBlock(entries, entries.size(),
                         BlockFormat::Values::kLengthPrefixed);
}

}  // namespace tamis
