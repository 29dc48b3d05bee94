// SPDX-License-Identifier: Apache-2.0
#include "db/level_index.h"

#include <algorithm>

#include "util/key_head.h"
#include "util/shared_prefix.h"

namespace tamis {

size_t FindFile(const KeyOrder& order, std::span<const TableFilePtr> files,
                const Slice& internal_key) {
  const auto it =
      std::lower_bound(files.begin(), files.end(), internal_key,
                       [&order](const TableFilePtr& file, const Slice& key) {
                         return order.Compare(file->meta.largest, key) < 0;
                       });
  return static_cast<size_t>(it - files.begin());
}

LevelIndex::LevelIndex(const KeyOrder& order,
                       std::span<const TableFilePtr> files)
    : order_(order), files_(files) {
  if (order.kind() != KeyOrder::Kind::kBytewise || files.empty()) return;
  const auto largest = [&](size_t i) {
    return ExtractUserKey(files_[i]->meta.largest);
  };
  // Sorted: what the first and the last share, all share.
  const Slice first = largest(0);
  const size_t shared = SharedPrefixLength(first, largest(files.size() - 1));
  prefix_.assign(first.data(), shared);
  heads_.reserve(files.size());
  for (size_t i = 0; i < files.size(); ++i) {
    heads_.push_back(KeyHead(largest(i), shared));
  }
}

size_t LevelIndex::Find(const Slice& internal_key) const {
  size_t first = 0;
  size_t last = files_.size();
  if (!heads_.empty()) {
    const Slice user_key = ExtractUserKey(internal_key);
    if (!user_key.starts_with(prefix_)) {
      return user_key.compare(prefix_) < 0 ? 0 : files_.size();
    }
    const auto [from, to] = std::equal_range(heads_.begin(), heads_.end(),
                                             KeyHead(user_key, prefix_.size()));
    first = static_cast<size_t>(from - heads_.begin());
    last = static_cast<size_t>(to - heads_.begin());
  }
  return first +
         FindFile(order_, files_.subspan(first, last - first), internal_key);
}

}  // namespace tamis
