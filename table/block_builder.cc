// SPDX-License-Identifier: Apache-2.0
#include "table/block_builder.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "table/internal_key.h"
#include "table/key_buffer.h"
#include "util/base/check.h"
#include "util/base/prefetch.h"
#include "util/coding/coding.h"
#include "util/coding/shared_prefix.h"

namespace tamis {

namespace {

// Memory is prefetched this far ahead of the writes.
constexpr size_t kFetchAhead = 512;
constexpr size_t kCacheLineBytes = 64;

constexpr uint32_t kHashIndexBit = uint32_t{1} << 31;

// REQUIRES: as EncodeVarint32.
inline char* PutLength(char* p, uint32_t v) {
  if (v < 0x80) [[likely]] {
    *p = static_cast<char>(v);
    return p + 1;
  }
  return EncodeVarint32(p, v);
}

}  // namespace

BlockBuilder::BlockBuilder(const Options& options)
    : options_(options), restarts_{0} {
  TAMIS_CHECK(options.restart_interval >= 1);
  if (options.hash_util_ratio > 0) {
    hash_index_.emplace(options.hash_util_ratio);
  }
}

size_t BlockBuilder::NextShared(size_t in_common) {
  if (AtRestart()) {
    TAMIS_CHECK(buffer_.size() <= UINT32_MAX);
    restarts_.push_back(static_cast<uint32_t>(buffer_.size()));
    since_restart_ = 0;
    return 0;
  }
  return since_restart_ > 0 && options_.share_prefixes ? in_common : 0;
}

void BlockBuilder::Remember(const Slice& key) {
  last_key_.Clear();
  CopyKeyBytes(last_key_.Room(key.size()), key.data(), key.size());
  last_key_.Advance(key.size());
  ++since_restart_;
  ++num_entries_;
  TAMIS_DCHECK(since_restart_ <= options_.restart_interval);
}

void BlockBuilder::Add(const Slice& key, const Slice& value) {
  AddSharing(SharedPrefixLength(last_key(), key), key, value);
}

void BlockBuilder::AddSharing(size_t in_common, const Slice& key,
                              const Slice& value) {
  TAMIS_CHECK(options_.form == ValueForm::kLengthPrefixed);
  TAMIS_CHECK(key.size() <= UINT32_MAX);
  TAMIS_CHECK(value.size() <= UINT32_MAX);
  TAMIS_DCHECK(in_common == SharedPrefixLength(last_key(), key));
  const size_t shared = NextShared(in_common);
  TAMIS_DCHECK(shared <= key.size());
  const size_t non_shared = key.size() - shared;
  char* const begin =
      buffer_.Room(3 * kMaxVarint32Bytes + non_shared + value.size());
  char* p = PutLength(begin, static_cast<uint32_t>(shared));
  p = PutLength(p, static_cast<uint32_t>(non_shared));
  p = PutLength(p, static_cast<uint32_t>(value.size()));
  std::memcpy(p, key.data() + shared, non_shared);
  p += non_shared;
  std::memcpy(p, value.data(), value.size());
  p += value.size();
  buffer_.Advance(static_cast<size_t>(p - begin));
  // Another thread may have read this memory, to write out an earlier block.
  const size_t ahead = std::min(static_cast<size_t>(p - begin), kFetchAhead);
  for (size_t i = 0; i <= ahead; i += kCacheLineBytes) {
    PrefetchForWrite(p + kFetchAhead + i);
  }
  Remember(key);
  if (hash_index_) [[unlikely]] {
    hash_index_->Add(ExtractUserKey(key),
                     static_cast<uint32_t>(restarts_.size() - 1));
  }
}

void BlockBuilder::AddHandle(const Slice& key, const BlockHandle& handle,
                             const Slice& more) {
  TAMIS_CHECK(options_.form == ValueForm::kHandle);
  TAMIS_CHECK(key.size() <= UINT32_MAX);
  TAMIS_CHECK(empty() || handle.offset >= last_handle_.end());
  const size_t in_common = SharedPrefixLength(last_key(), key);
  size_t shared = NextShared(in_common);
  // A difference in size suffices only if the block directly follows the last.
  if (handle.offset != last_handle_.end()) shared = 0;
  std::string entry;
  PutVarint32(&entry, static_cast<uint32_t>(shared));
  PutVarint32(&entry, static_cast<uint32_t>(key.size() - shared));
  entry.append(key.data() + shared, key.size() - shared);
  if (shared == 0) {
    handle.EncodeTo(&entry);
  } else {
    PutVarsignedint64(&entry,
                      static_cast<int64_t>(handle.size - last_handle_.size));
  }
  buffer_.Append(entry);
  buffer_.Append(more);
  last_handle_ = handle;
  Remember(key);
}

Slice BlockBuilder::Finish() {
  // The limit applies to the size with the index, as in RocksDB before 11.
  const bool hashed = hash_index_ && hash_index_->fits() &&
                      CurrentSize() <= kHashIndexBlockBytesMax;
  TAMIS_CHECK(restarts_.size() < kHashIndexBit);
  TAMIS_CHECK(restarts_.front() == 0);
  TAMIS_CHECK(restarts_.back() <= buffer_.size());
  TAMIS_DCHECK(std::adjacent_find(restarts_.begin(), restarts_.end(),
                                  std::greater_equal<>()) == restarts_.end());
  std::string tail;
  for (const uint32_t restart : restarts_) PutFixed32(&tail, restart);
  if (hashed) hash_index_->Finish(&tail);
  PutFixed32(&tail, static_cast<uint32_t>(restarts_.size()) |
                        (hashed ? kHashIndexBit : 0));
  buffer_.Append(tail);
  return buffer_.bytes();
}

void BlockBuilder::FinishInto(ByteBuffer* block) {
  Finish();
  std::swap(buffer_, *block);
  Reset();
}

void BlockBuilder::Reset() {
  buffer_.Clear();
  restarts_.assign(1, 0);
  since_restart_ = 0;
  num_entries_ = 0;
  last_handle_ = BlockHandle();
  if (hash_index_) hash_index_->Reset();
}

uint64_t BlockCutRule::BytesToKeep() const {
  // Out of range counts as 0: closes only when full, or when aligned.
  const uint64_t percent_kept =
      deviation_percent < 0 || deviation_percent > 100
          ? 100
          : static_cast<uint64_t>(100 - deviation_percent);
  return (target * percent_kept + 99) / 100;
}

bool BlockCutRule::ShouldCut(const BlockBuilder& block, size_t key_bytes,
                             size_t value_bytes) const {
  TAMIS_DCHECK(!block.empty());
  const uint64_t current = block.CurrentSize();
  if (current >= target) return true;
  const uint64_t limit = BytesToKeep();
  if (limit == 0) return false;
  uint64_t after =
      current + key_bytes + sizeof(uint32_t) + VarintLength(key_bytes);
  // A delta-encoded handle is assumed to take half the size.
  const bool whole = block.form() == BlockBuilder::ValueForm::kLengthPrefixed ||
                     block.AtRestart();
  after += whole ? value_bytes + VarintLength(value_bytes) : value_bytes / 2;
  if (block.AtRestart()) after += sizeof(uint32_t);
  if (align) return after + kBlockTrailerBytes > target;
  return after > target && current > limit;
}

}  // namespace tamis
