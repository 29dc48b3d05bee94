// SPDX-License-Identifier: Apache-2.0
#include "filter/byte_model.h"

#include <algorithm>

namespace tamis {

void ByteModelTrainer::Add(const Slice& s, size_t from) {
  const size_t end = std::min(s.size(), from + kBytesCounted);
  for (size_t i = from; i < end; ++i) ++counts_[static_cast<uint8_t>(s[i])];
  if (end == s.size()) ++ends_;
}

void ByteModelTrainer::Finish(std::string* out) {
  const auto counted = [](uint64_t count) { return count != 0; };
  const auto first = std::ranges::find_if(counts_, counted);
  uint32_t end = 256;
  while (end > 0 && counts_[end - 1] == 0) --end;
  if (end > 0) {
    first_ = static_cast<uint8_t>(first - counts_.begin());
    num_bytes_ = end - first_;
  }
  uint64_t total = ends_;
  uint32_t most = 0;
  for (uint32_t i = 0; i < num_bytes_; ++i) {
    total += counts_[first_ + i];
    if (counts_[first_ + i] > counts_[first_ + most]) most = i;
  }
  // Each share is at least 1; the most frequent byte gets what is left over.
  const uint64_t spare = (uint64_t{1} << kByteShareBits) - num_bytes_ - 1;
  const auto share = [&](uint64_t count) {
    return 1 + (total == 0 ? 0 : count * spare / total);
  };
  uint64_t rest = (uint64_t{1} << kByteShareBits) - share(ends_);
  for (uint32_t i = 0; i < num_bytes_; ++i) rest -= share(counts_[first_ + i]);
  uint64_t start = share(ends_);
  for (uint32_t i = 0; i < num_bytes_; ++i) {
    PutFixed16(out, static_cast<uint16_t>(start));
    start += share(counts_[first_ + i]) + (i == most ? rest : 0);
  }
  PutFixed16(out, static_cast<uint16_t>(start));
}

}  // namespace tamis
