// SPDX-License-Identifier: Apache-2.0
#include "table/block_builder.h"

#include <algorithm>

#include "table/internal_key.h"
#include "util/check.h"
#include "util/coding.h"

namespace tamis {

namespace {

constexpr uint32_t kHashIndexBit = uint32_t{1} << 31;

size_t SharedPrefix(const std::string& a, const Slice& b) {
  const size_t n = std::min(a.size(), b.size());
  size_t i = 0;
  while (i < n && a[i] == b[i]) ++i;
  return i;
}

}  // namespace

BlockBuilder::BlockBuilder(const Options& options)
    : options_(options), restarts_{0} {
  TAMIS_CHECK(options.restart_interval >= 1);
  if (options.hash_util_ratio > 0) {
    hash_index_.emplace(options.hash_util_ratio);
  }
}

size_t BlockBuilder::NextShared(const Slice& key) {
  TAMIS_CHECK(key.size() <= UINT32_MAX);
  if (AtRestart()) {
    TAMIS_CHECK(buffer_.size() <= UINT32_MAX);
    restarts_.push_back(static_cast<uint32_t>(buffer_.size()));
    since_restart_ = 0;
    return 0;
  }
  return since_restart_ > 0 && options_.share_prefixes
             ? SharedPrefix(last_key_, key)
             : 0;
}

void BlockBuilder::Advance(const Slice& key, size_t shared) {
  last_key_.resize(shared);
  last_key_.append(key.data() + shared, key.size() - shared);
  ++since_restart_;
  ++num_entries_;
}

void BlockBuilder::Add(const Slice& key, const Slice& value) {
  TAMIS_CHECK(options_.form == ValueForm::kLengthPrefixed);
  TAMIS_CHECK(value.size() <= UINT32_MAX);
  const size_t shared = NextShared(key);
  const size_t non_shared = key.size() - shared;
  char lengths[3 * kMaxVarint32Bytes];
  char* p = EncodeVarint32(lengths, static_cast<uint32_t>(shared));
  p = EncodeVarint32(p, static_cast<uint32_t>(non_shared));
  p = EncodeVarint32(p, static_cast<uint32_t>(value.size()));
  buffer_.append(lengths, static_cast<size_t>(p - lengths));
  buffer_.append(key.data() + shared, non_shared);
  buffer_.append(value.data(), value.size());
  Advance(key, shared);
  if (hash_index_) [[unlikely]] {
    hash_index_->Add(ExtractUserKey(key),
                     static_cast<uint32_t>(restarts_.size() - 1));
  }
}

void BlockBuilder::AddHandle(const Slice& key, const BlockHandle& handle,
                             const Slice& more) {
  TAMIS_CHECK(options_.form == ValueForm::kHandle);
  size_t shared = NextShared(key);
  // A change in size says where the block is only if it follows the last one.
  if (handle.offset != last_handle_.end()) shared = 0;
  PutVarint32(&buffer_, static_cast<uint32_t>(shared));
  PutVarint32(&buffer_, static_cast<uint32_t>(key.size() - shared));
  buffer_.append(key.data() + shared, key.size() - shared);
  if (shared == 0) {
    handle.EncodeTo(&buffer_);
  } else {
    PutVarsignedint64(&buffer_,
                      static_cast<int64_t>(handle.size - last_handle_.size));
  }
  buffer_.append(more.data(), more.size());
  last_handle_ = handle;
  Advance(key, shared);
}

Slice BlockBuilder::Finish() {
  // Of the size with it, as readers before RocksDB 11 count.
  const bool hashed = hash_index_ && hash_index_->fits() &&
                      CurrentSize() <= kHashIndexBlockBytesMax;
  for (const uint32_t restart : restarts_) PutFixed32(&buffer_, restart);
  if (hashed) hash_index_->Finish(&buffer_);
  PutFixed32(&buffer_, static_cast<uint32_t>(restarts_.size()) |
                           (hashed ? kHashIndexBit : 0));
  return buffer_;
}

void BlockBuilder::Reset() {
  buffer_.clear();
  restarts_.assign(1, 0);
  since_restart_ = 0;
  num_entries_ = 0;
  last_key_.clear();
  last_handle_ = BlockHandle();
  if (hash_index_) hash_index_->Reset();
}

bool BlockCutRule::ShouldCut(const BlockBuilder& block, size_t key_bytes,
                             size_t value_bytes) const {
  const uint64_t current = block.CurrentSize();
  if (current >= target) return true;
  // Out of range counts as 0: closed when full, or when aligned.
  const uint64_t percent_kept =
      deviation_percent < 0 || deviation_percent > 100
          ? 100
          : static_cast<uint64_t>(100 - deviation_percent);
  const uint64_t limit = (target * percent_kept + 99) / 100;
  if (limit == 0) return false;
  uint64_t after =
      current + key_bytes + sizeof(uint32_t) + VarintLength(key_bytes);
  // What is no whole handle is taken to have half the size of one.
  const bool whole = block.form() == BlockBuilder::ValueForm::kLengthPrefixed ||
                     block.AtRestart();
  after += whole ? value_bytes + VarintLength(value_bytes) : value_bytes / 2;
  if (block.AtRestart()) after += sizeof(uint32_t);
  if (align) return after + kBlockTrailerBytes > target;
  return after > target && current > limit;
}

}  // namespace tamis
