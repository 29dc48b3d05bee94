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
  const Slice first = ExtractUserKey(files.front()->meta.smallest);
  size_t shared = first.size();
  for (const TableFilePtr& file : files) {
    for (const std::string* end : {&file->meta.smallest, &file->meta.largest}) {
      shared =
          std::min(shared, SharedPrefixLength(first, ExtractUserKey(*end)));
    }
  }
  prefix_.assign(first.data(), shared);
  largest_.reserve(files.size());
  smallest_.reserve(files.size());
  for (const TableFilePtr& file : files) {
    largest_.push_back(KeyHead(ExtractUserKey(file->meta.largest), shared));
    smallest_.push_back(KeyHead(ExtractUserKey(file->meta.smallest), shared));
  }
}

size_t LevelIndex::Find(const Slice& internal_key) const {
  size_t first = 0;
  size_t last = files_.size();
  if (!largest_.empty()) {
    const Slice user_key = ExtractUserKey(internal_key);
    if (!user_key.starts_with(prefix_)) {
      return user_key.compare(prefix_) < 0 ? 0 : files_.size();
    }
    const auto [from, to] = std::equal_range(largest_.begin(), largest_.end(),
                                             KeyHead(user_key, prefix_.size()));
    first = static_cast<size_t>(from - largest_.begin());
    last = static_cast<size_t>(to - largest_.begin());
  }
  return first +
         FindFile(order_, files_.subspan(first, last - first), internal_key);
}

// The user key against the end of file i that the heads are of. The file itself
// is looked at only where the heads are equal.
int LevelIndex::CompareTo(const std::vector<uint64_t>& heads,
                          std::string FileMetaData::*end, size_t i,
                          const Slice& user_key) const {
  if (!heads.empty() && user_key.starts_with(prefix_)) {
    const uint64_t head = KeyHead(user_key, prefix_.size());
    if (head != heads[i]) return head < heads[i] ? -1 : 1;
  }
  return order_.CompareUserKeys(user_key, ExtractUserKey(files_[i]->meta.*end));
}

bool LevelIndex::BeginsBehind(size_t i, const Slice& user_key) const {
  return CompareTo(smallest_, &FileMetaData::smallest, i, user_key) < 0;
}

bool LevelIndex::Spans(size_t i, const Slice& user_key) const {
  return !BeginsBehind(i, user_key) &&
         CompareTo(largest_, &FileMetaData::largest, i, user_key) <= 0;
}

}  // namespace tamis
