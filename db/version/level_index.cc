// SPDX-License-Identifier: Apache-2.0
#include "db/version/level_index.h"

#include <algorithm>
#include <limits>

#include "util/coding/count_below.h"
#include "util/coding/key_head.h"
#include "util/coding/shared_prefix.h"

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
  TAMIS_DCHECK(largest_.size() == files_.size());
  TAMIS_DCHECK(smallest_.size() == files_.size());
}

inline size_t LevelIndex::FirstReaching(uint64_t head) const {
  return CountBelow(largest_.data(), static_cast<uint32_t>(largest_.size()),
                    head);
}

inline size_t LevelIndex::EndOfTies(size_t first, uint64_t head) const {
  if (largest_[first] != head) return first;
  return head == std::numeric_limits<uint64_t>::max() ? files_.size()
                                                      : FirstReaching(head + 1);
}

size_t LevelIndex::FindFirst(const Slice& internal_key) const {
  size_t first = 0;
  size_t last = files_.size();
  if (!largest_.empty()) {
    const Slice user_key = ExtractUserKey(internal_key);
    if (!user_key.starts_with(prefix_)) {
      return user_key.compare(prefix_) < 0 ? 0 : last;
    }
    const uint64_t head = KeyHead(user_key, prefix_.size());
    first = FirstReaching(head);
    if (first == files_.size() || largest_[first] != head) return first;
    last = EndOfTies(first, head);
  }
  return first +
         FindFile(order_, files_.subspan(first, last - first), internal_key);
}

LevelIndex::Range LevelIndex::FindSpanning(const LookupKey& key) const {
  const Slice user_key = key.user_key();
  size_t first = 0;
  size_t last = files_.size();
  if (!largest_.empty()) {
    if (!user_key.starts_with(prefix_)) return {0, 0};
    const uint64_t head = KeyHead(user_key, prefix_.size());
    first = FirstReaching(head);
    if (first == files_.size()) return {0, 0};
    if (largest_[first] != head && smallest_[first] != head) {
      // The file ends after the key, so all later files begin after it, too.
      return {first, first + (smallest_[first] < head ? 1 : 0)};
    }
    last = EndOfTies(first, head);
  }
  size_t end = first + FindFile(order_, files_.subspan(first, last - first),
                                key.internal_key());
  first = end;
  while (end < files_.size() &&
         order_.CompareUserKeys(
             user_key, ExtractUserKey(files_[end]->meta.smallest)) >= 0) {
    ++end;
  }
  TAMIS_DCHECK(first <= end);
  TAMIS_DCHECK(end <= files_.size());
  return {first, end};
}

bool LevelIndex::Spans(size_t i, const Slice& user_key) const {
  TAMIS_DCHECK(i < files_.size());
  if (!largest_.empty()) {
    // A key between two keys that share a prefix has the prefix, too.
    if (!user_key.starts_with(prefix_)) return false;
    const uint64_t head = KeyHead(user_key, prefix_.size());
    if (head < smallest_[i] || head > largest_[i]) return false;
    if (head > smallest_[i] && head < largest_[i]) return true;
  }
  const FileMetaData& meta = files_[i]->meta;
  return order_.CompareUserKeys(user_key, ExtractUserKey(meta.smallest)) >= 0 &&
         order_.CompareUserKeys(user_key, ExtractUserKey(meta.largest)) <= 0;
}

bool LevelIndex::EndsWith(size_t i, const Slice& user_key) const {
  if (!largest_.empty() && KeyHead(user_key, prefix_.size()) != largest_[i]) {
    return false;
  }
  return order_.CompareUserKeys(ExtractUserKey(files_[i]->meta.largest),
                                user_key) == 0;
}

bool LevelIndex::SharesItsFirstKey(size_t i) const {
  if (i == 0) return false;
  if (!largest_.empty() && smallest_[i] != largest_[i - 1]) return false;
  return EndsWith(i - 1, ExtractUserKey(files_[i]->meta.smallest));
}

}  // namespace tamis
