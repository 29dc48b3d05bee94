// SPDX-License-Identifier: Apache-2.0
//
// Blocks of every readable format, built from the input: sorted entries,
// restart points at an interval, handles in full or delta-encoded. The entries
// that a scan must show are known.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "table/block.h"
#include "tests/fuzz/fuzz_input.h"
#include "util/coding/coding.h"

namespace tamis {

struct FuzzEntry {
  std::string key;
  std::string value;
  BlockHandle handle;  // for formats with handles
};

inline const KeyOrder& FuzzOrder() {
  static const KeyOrder order(BytewiseComparator());
  return order;
}

inline int CompareKeys(BlockFormat::Keys keys, const Slice& a, const Slice& b) {
  return keys == BlockFormat::Keys::kInternal ? FuzzOrder().Compare(a, b)
                                              : a.compare(b);
}

// Up to 64 entries, in the order of the format, with distinct keys. The handles
// are adjacent, so that they can be delta-encoded.
inline std::vector<FuzzEntry> TakeEntries(FuzzInput* input,
                                          BlockFormat::Keys keys) {
  std::vector<FuzzEntry> entries;
  while (!input->empty() && entries.size() < 64) {
    FuzzEntry entry;
    entry.key = input->Bytes(input->Byte() % 24);
    if (keys == BlockFormat::Keys::kInternal) {
      PutFixed64(&entry.key, PackSequenceAndType(input->Byte(), kTypeValue));
    }
    entry.value = input->Bytes(input->Byte() % 16);
    entry.handle.size = input->Short();
    entries.push_back(std::move(entry));
  }
  const auto less = [keys](const FuzzEntry& a, const FuzzEntry& b) {
    return CompareKeys(keys, a.key, b.key) < 0;
  };
  std::sort(entries.begin(), entries.end(), less);
  const auto same = [&less](const FuzzEntry& a, const FuzzEntry& b) {
    return !less(a, b);
  };
  entries.erase(std::unique(entries.begin(), entries.end(), same),
                entries.end());
  uint64_t offset = 0;
  for (FuzzEntry& entry : entries) {
    entry.handle.offset = offset;
    offset = entry.handle.end();
  }
  return entries;
}

inline size_t SharedBytes(const std::string& a, const std::string& b) {
  const size_t n = std::min(a.size(), b.size());
  const auto differ =
      std::mismatch(a.begin(), a.begin() + static_cast<int>(n), b.begin());
  return static_cast<size_t>(differ.first - a.begin());
}

// `interval`: the restart interval. REQUIRES: interval >= 1
inline std::string EncodeFuzzBlock(const std::vector<FuzzEntry>& entries,
                                   size_t interval,
                                   BlockFormat::Values values) {
  std::string out;
  std::string restarts;
  std::string last_key;
  BlockHandle last;
  for (size_t i = 0; i < entries.size(); ++i) {
    const FuzzEntry& entry = entries[i];
    size_t shared = 0;
    if (i % interval == 0) {
      PutFixed32(&restarts, static_cast<uint32_t>(out.size()));
    } else {
      shared = SharedBytes(last_key, entry.key);
    }
    PutVarint32(&out, static_cast<uint32_t>(shared));
    PutVarint32(&out, static_cast<uint32_t>(entry.key.size() - shared));
    if (values == BlockFormat::Values::kLengthPrefixed) {
      PutVarint32(&out, static_cast<uint32_t>(entry.value.size()));
    }
    out.append(entry.key, shared);
    if (values == BlockFormat::Values::kLengthPrefixed) {
      out += entry.value;
    } else if (shared == 0) {
      entry.handle.EncodeTo(&out);
    } else {
      PutVarsignedint64(&out,
                        static_cast<int64_t>(entry.handle.size - last.size));
    }
    if (values == BlockFormat::Values::kHandleWithFirstKey) {
      PutLengthPrefixedSlice(&out, entry.value);
    }
    last_key = entry.key;
    last = entry.handle;
  }
  const size_t count = restarts.size() / sizeof(uint32_t);
  out += restarts;
  PutFixed32(&out, static_cast<uint32_t>(count));
  return out;
}

}  // namespace tamis
