// SPDX-License-Identifier: Apache-2.0
#include "table/index_builder.h"

#include <utility>

#include "util/check.h"

namespace tamis {

namespace {

// The restart array of an empty block, and what each entry takes of it besides
// its bytes.
constexpr uint64_t kEmptyBlockBytes = 8;
constexpr uint64_t kEntryOverheadBytes = 2 + sizeof(uint32_t);

// Shortens the internal key *separator to what still lies before `limit`.
void ShortenSeparator(const KeyOrder& order, const Slice& limit,
                      std::string* separator) {
  const Slice user_key = ExtractUserKey(*separator);
  std::string shorter = user_key.ToString();
  order.user_comparator()->FindShortestSeparator(&shorter,
                                                 ExtractUserKey(limit));
  if (shorter.size() > user_key.size() ||
      order.CompareUserKeys(shorter, user_key) <= 0) {
    return;
  }
  TAMIS_CHECK(order.CompareUserKeys(shorter, ExtractUserKey(limit)) < 0);
  // In front of every version of the user key it has become.
  PutFixed64(&shorter,
             PackSequenceAndType(kMaxSequenceNumber, kValueTypeForSeparator));
  *separator = std::move(shorter);
}

}  // namespace

void IndexEntries::Add(const Slice& separator, const BlockHandle& handle) {
  separators_.append(separator.data(), separator.size());
  ends_.push_back(separators_.size());
  handles_.push_back(handle);
}

Slice IndexEntries::separator(size_t i) const {
  const size_t begin = i == 0 ? 0 : ends_[i - 1];
  return {separators_.data() + begin, ends_[i] - begin};
}

std::string IndexEntries::EncodeBlock(size_t begin, size_t end,
                                      bool user_keys) const {
  BlockBuilder block(1, BlockBuilder::ValueForm::kHandle);
  std::string value;
  for (size_t i = begin; i < end; ++i) {
    value.clear();
    handles_[i].EncodeTo(&value);
    block.Add(user_keys ? ExtractUserKey(separator(i)) : separator(i), value);
  }
  return block.Finish().ToString();
}

void IndexBuilder::AddBlock(const Slice& last_key, const Slice* next_key,
                            const BlockHandle& handle) {
  separator_.assign(last_key.data(), last_key.size());
  if (next_key != nullptr) {
    if (order_.CompareUserKeys(ExtractUserKey(last_key),
                               ExtractUserKey(*next_key)) == 0) {
      user_keys_ = false;
    } else {
      ShortenSeparator(order_, *next_key, &separator_);
    }
  }
  entries_.Add(separator_, handle);
  if (partition_bytes_ == 0) partition_bytes_ = kEmptyBlockBytes;
  partition_bytes_ += separator_.size() -
                      (user_keys_ ? kInternalKeyTailBytes : 0) +
                      VarintLength(handle.offset) + VarintLength(handle.size) +
                      kEntryOverheadBytes;
}

bool IndexBuilder::PartitionIsFull() const {
  if (!options_.two_level || partition_bytes_ == 0) return false;
  // The next entry is taken to be like the last one.
  const BlockHandle& last = entries_.handle(entries_.size() - 1);
  return options_.partition_rule.ShouldCut(
      partition_bytes_,
      last_separator().size() - (user_keys_ ? kInternalKeyTailBytes : 0),
      VarintLength(last.offset) + VarintLength(last.size), true);
}

void IndexBuilder::CutPartition() {
  TAMIS_CHECK(options_.two_level && partition_bytes_ > 0);
  cuts_.push_back(entries_.size());
  partition_bytes_ = 0;
}

std::vector<std::pair<size_t, size_t>> IndexBuilder::Partitions() const {
  std::vector<std::pair<size_t, size_t>> partitions;
  size_t begin = 0;
  for (const size_t cut : cuts_) {
    partitions.emplace_back(begin, cut);
    begin = cut;
  }
  if (begin < entries_.size() || partitions.empty()) {
    partitions.emplace_back(begin, entries_.size());
  }
  return partitions;
}

}  // namespace tamis
