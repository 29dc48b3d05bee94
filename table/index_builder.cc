// SPDX-License-Identifier: Apache-2.0
#include "table/index_builder.h"

#include <utility>

#include "util/base/check.h"

namespace tamis {

namespace {

using Shortening = BlockBasedTableOptions::IndexShorteningMode;

BlockBuilder::Options BlockOptions(const IndexEncoding& encoding) {
  return {.restart_interval = encoding.restart_interval,
          .form = encoding.delta_handles
                      ? BlockBuilder::ValueForm::kHandle
                      : BlockBuilder::ValueForm::kLengthPrefixed};
}

// Replaces the user key in *separator by `shorter` if that is shorter and
// greater.
void Replace(const KeyOrder& order, std::string shorter,
             std::string* separator) {
  const Slice user_key = ExtractUserKey(*separator);
  if (shorter.size() > user_key.size() ||
      order.CompareUserKeys(shorter, user_key) <= 0) {
    return;
  }
  // Orders before every version of the new user key.
  PutFixed64(&shorter,
             PackSequenceAndType(kMaxSequenceNumber, kValueTypeForSeparator));
  *separator = std::move(shorter);
}

}  // namespace

void IndexEntries::Add(const Slice& separator, const BlockHandle& handle,
                       const Slice& first_key) {
  Entry entry;
  entry.separator = bytes_.size();
  bytes_.append(separator.data(), separator.size());
  entry.first_key = bytes_.size();
  bytes_.append(first_key.data(), first_key.size());
  entry.end = bytes_.size();
  entry.handle = handle;
  entries_.push_back(entry);
}

Slice IndexEntries::separator(size_t i) const {
  TAMIS_DCHECK(i < entries_.size());
  const Entry& entry = entries_[i];
  return {bytes_.data() + entry.separator, entry.first_key - entry.separator};
}

void IndexEntries::AppendTo(size_t i, const IndexEncoding& encoding,
                            BlockBuilder* block) const {
  TAMIS_DCHECK(i < entries_.size());
  const Entry& entry = entries_[i];
  const Slice key =
      encoding.user_keys ? ExtractUserKey(separator(i)) : separator(i);
  std::string more;
  if (entry.first_key != entry.end) {
    PutLengthPrefixedSlice(&more, Slice(bytes_.data() + entry.first_key,
                                        entry.end - entry.first_key));
  }
  if (encoding.delta_handles) {
    block->AddHandle(key, entry.handle, more);
    return;
  }
  std::string value;
  entry.handle.EncodeTo(&value);
  block->Add(key, value + more);
}

std::string IndexEntries::EncodeBlock(size_t begin, size_t end,
                                      const IndexEncoding& encoding) const {
  TAMIS_CHECK(begin <= end);
  TAMIS_CHECK(end <= entries_.size());
  BlockBuilder block(BlockOptions(encoding));
  for (size_t i = begin; i < end; ++i) AppendTo(i, encoding, &block);
  return block.Finish().ToString();
}

IndexBuilder::IndexBuilder(const KeyOrder& order, const Options& options)
    : order_(order), options_(options) {}

void IndexBuilder::MakeSeparator(const Slice& last_key, const Slice* next_key) {
  separator_.assign(last_key.data(), last_key.size());
  std::string shorter = ExtractUserKey(last_key).ToString();
  if (next_key == nullptr) {
    if (options_.shortening != Shortening::kShortenSeparatorsAndSuccessor) {
      return;
    }
    order_.user_comparator()->FindShortSuccessor(&shorter);
    Replace(order_, std::move(shorter), &separator_);
    return;
  }
  TAMIS_DCHECK(order_.Compare(last_key, *next_key) < 0);
  const Slice limit = ExtractUserKey(*next_key);
  if (order_.CompareUserKeys(shorter, limit) == 0) {
    options_.encoding.user_keys = false;
    return;
  }
  if (options_.shortening == Shortening::kNoShortening) return;
  order_.user_comparator()->FindShortestSeparator(&shorter, limit);
  // A user's comparator may shorten in another order than it compares.
  if (order_.CompareUserKeys(shorter, limit) >= 0) return;
  Replace(order_, std::move(shorter), &separator_);
}

// RocksDB's rule: it predicts the partition's size before the entry is built,
// with the last key in place of the separator.
bool IndexBuilder::CutBefore(const Slice& last_key, const BlockHandle& handle) {
  const bool cut =
      running_ && (cut_requested_ || options_.partition_rule.ShouldCut(
                                         *running_, last_key.size(),
                                         VarintLength(handle.offset) +
                                             VarintLength(handle.size)));
  if (cut || !running_) cut_requested_ = false;
  if (!cut) return false;
  cuts_.push_back(entries_.size());
  running_.reset();
  return true;
}

bool IndexBuilder::AddBlock(const Slice& first_key, const Slice& last_key,
                            const Slice* next_key, const BlockHandle& handle) {
  const bool cut =
      options_.two_level && next_key != nullptr && CutBefore(last_key, handle);
  const bool had_user_keys = user_keys();
  MakeSeparator(last_key, next_key);
  TAMIS_DCHECK(order_.Compare(separator_, last_key) >= 0);
  TAMIS_CHECK(entries_.empty() ||
              handle.offset >= entries_.handle(entries_.size() - 1).end());
  TAMIS_DCHECK(entries_.empty() ||
               order_.Compare(last_separator(), separator_) < 0);
  entries_.Add(separator_, handle, options_.first_keys ? first_key : Slice());
  if (!options_.two_level) return false;
  if (running_ && had_user_keys == user_keys()) {
    entries_.AppendTo(entries_.size() - 1, encoding(), &*running_);
    return cut;
  }
  // A new partition, or the separators have become internal keys.
  running_.emplace(BlockOptions(encoding()));
  for (size_t i = cuts_.empty() ? 0 : cuts_.back(); i < entries_.size(); ++i) {
    entries_.AppendTo(i, encoding(), &*running_);
  }
  return cut;
}

std::vector<std::pair<size_t, size_t>> IndexBuilder::Partitions() const {
  std::vector<std::pair<size_t, size_t>> partitions;
  size_t begin = 0;
  for (const size_t cut : cuts_) {
    TAMIS_CHECK(begin <= cut);
    TAMIS_CHECK(cut <= entries_.size());
    partitions.emplace_back(begin, cut);
    begin = cut;
  }
  if (begin < entries_.size() || partitions.empty()) {
    partitions.emplace_back(begin, entries_.size());
  }
  return partitions;
}

}  // namespace tamis
