// SPDX-License-Identifier: Apache-2.0
#include "db/level_index.h"

#include <algorithm>

#include "util/key_head.h"

namespace tamis {

LevelIndex::LevelIndex(const KeyOrder& order,
                       std::span<const TableFilePtr> files)
    : order_(order), files_(files) {
  if (order.kind() != KeyOrder::Kind::kBytewise || files.empty()) return;
  const auto largest = [&](size_t i) {
    return ExtractUserKey(files_[i]->meta.largest);
  };
  // Sorted: what the first and the last share, all share.
  const Slice first = largest(0);
  const size_t shared = CommonPrefix(first, largest(files.size() - 1));
  prefix_.assign(first.data(), shared);
  heads_.reserve(files.size());
  for (size_t i = 0; i < files.size(); ++i) {
    heads_.push_back(KeyHead(largest(i), shared));
  }
}

size_t LevelIndex::Find(const Slice& internal_key) const {
  auto first = files_.begin();
  auto last = files_.end();
  if (!heads_.empty()) {
    const Slice user_key = ExtractUserKey(internal_key);
    if (!user_key.starts_with(prefix_)) {
      return user_key.compare(prefix_) < 0 ? 0 : files_.size();
    }
    const auto [from, to] = std::equal_range(heads_.begin(), heads_.end(),
                                             KeyHead(user_key, prefix_.size()));
    last = first + (to - heads_.begin());
    first += from - heads_.begin();
  }
  const auto it =
      std::lower_bound(first, last, internal_key,
                       [this](const TableFilePtr& file, const Slice& key) {
                         return order_.Compare(file->meta.largest, key) < 0;
                       });
  return static_cast<size_t>(it - files_.begin());
}

}  // namespace tamis
