// SPDX-License-Identifier: Apache-2.0
#include "table/block.h"

#include <limits>
#include <utility>

#include "table/block_tags.h"
#include "table/data_block_hash_index.h"

namespace tamis {

namespace {

constexpr uint32_t kNumRestartsMask = (uint32_t{1} << 28) - 1;
constexpr uint32_t kSeparatedValuesBit = uint32_t{1} << 28;
constexpr uint32_t kReservedBit = uint32_t{1} << 30;
constexpr uint32_t kHashIndexBit = uint32_t{1} << 31;

}  // namespace

Status BlockOrigin::Corruption(const std::string& what) const {
  return Status::Corruption(
      *file, "block at offset " + std::to_string(offset) + ": " + what);
}

Status BlockParts::Parse(const Slice& block, const BlockOrigin& origin,
                         BlockParts* parts) {
  *parts = BlockParts();
  if (block.size() < sizeof(uint32_t) ||
      block.size() > std::numeric_limits<uint32_t>::max()) {
    return origin.Corruption(std::to_string(block.size()) +
                             " bytes, expected 4 to 4294967295");
  }
  uint64_t end = block.size() - sizeof(uint32_t);
  const uint32_t packed = DecodeFixed32(block.data() + end);
  if ((packed & kReservedBit) != 0) {
    return origin.Corruption("reserved bit 30 of the last word is set");
  }
  uint32_t values_begin = 0;
  if ((packed & kSeparatedValuesBit) != 0) {
    if (end < sizeof(uint32_t)) {
      return origin.Corruption("too short for the offset of its values");
    }
    end -= sizeof(uint32_t);
    values_begin = DecodeFixed32(block.data() + end);
  }
  uint16_t num_buckets = 0;
  if ((packed & kHashIndexBit) != 0) {
    if (end < sizeof(uint16_t)) {
      return origin.Corruption("too short for its hash index");
    }
    end -= sizeof(uint16_t);
    num_buckets = DecodeFixed16(block.data() + end);
    if (end < num_buckets) {
      return origin.Corruption("too short for a hash index of " +
                               std::to_string(num_buckets) + " buckets");
    }
    end -= num_buckets;
  }
  const uint32_t num_restarts = packed & kNumRestartsMask;
  const uint64_t restart_bytes = uint64_t{num_restarts} * sizeof(uint32_t);
  if (restart_bytes > end) {
    return origin.Corruption("too short for " + std::to_string(num_restarts) +
                             " restarts in " + std::to_string(block.size()) +
                             " bytes");
  }
  const auto restarts = static_cast<uint32_t>(end - restart_bytes);
  if (values_begin > restarts) {
    return origin.Corruption("its values begin at byte " +
                             std::to_string(values_begin) +
                             ", after its restarts");
  }
  const bool apart = (packed & kSeparatedValuesBit) != 0;
  const uint32_t entries_end = apart ? values_begin : restarts;
  if (num_restarts == 0 && entries_end > 0) {
    return origin.Corruption("it has entries but no restart point");
  }
  const BlockParts result{.data = block.data(),
                          .entries_end = entries_end,
                          .restarts = restarts,
                          .num_restarts = num_restarts,
                          .values_begin = values_begin,
                          .num_buckets = num_buckets};
  if (num_restarts > 0 && result.RestartOffset(0) != 0) {
    return origin.Corruption("the first restart point is not the first entry");
  }
  *parts = result;
  return Status::OK();
}

void BlockIterator::Open(PinnedBytes block, const BlockFormat& format,
                         const BlockOrigin& origin) {
  pin_ = std::move(block);
  format_ = format;
  origin_ = origin;
  status_ = BlockParts::Parse(pin_.bytes(), origin_, &parts_);
  if (parts_.values_begin != 0 &&
      format_.values != BlockFormat::Values::kLengthPrefixed) {
    parts_ = BlockParts();
    status_ = origin_.Corruption(
        "values are separated from keys in a block of handles");
  }
  plain_ = parts_.values_begin == 0 &&
           format_.values == BlockFormat::Values::kLengthPrefixed;
  key_bytes_min_ =
      format_.keys == BlockFormat::Keys::kInternal ? kInternalKeyTailBytes : 0;
  restart_back_ = 0;
  num_steps_back_ = 0;
  Leave();
}

void BlockIterator::Close() {
  pin_.Reset();
  parts_ = BlockParts();
  Leave();
  status_ = Status::OK();
}

bool BlockIterator::TryMoveTo(uint32_t offset, uint32_t end, const Slice& key,
                              const Slice& value) {
  TAMIS_DCHECK(offset < end);
  if (!plain_ || end > parts_.entries_end) return false;
  num_steps_back_ = 0;
  current_ = offset;
  next_ = end;
  entry_ = {.valid = true, .key = key_buffer_.Assign(key), .value = value};
  return true;
}

bool BlockIterator::Corrupt(const std::string& what) {
  Leave();
  status_ = origin_.Corruption(what);
  return false;
}

bool BlockIterator::CorruptEntry(uint32_t offset, const char* what) {
  return Corrupt("entry at byte " + std::to_string(offset) + ": " + what);
}

bool BlockIterator::CorruptRestart(uint32_t offset) {
  return Corrupt("restart point at byte " + std::to_string(offset) +
                 ", expected before byte " +
                 std::to_string(parts_.entries_end));
}

const char* BlockIterator::ReadHandle(const char* p, const char* limit,
                                      bool whole) {
  Decoder in(Slice(p, static_cast<size_t>(limit - p)));
  if (whole) {
    handle_ = BlockHandle::DecodeFrom(&in);
  } else {
    const auto change = static_cast<uint64_t>(in.Varsignedint64());
    handle_ = {.offset = handle_.end(), .size = handle_.size + change};
  }
  if (format_.values == BlockFormat::Values::kHandleWithFirstKey) {
    in.LengthPrefixed();
  }
  return in.ok() ? p + in.offset() : nullptr;
}

inline bool BlockIterator::ReadEntry(uint32_t offset) {
  if (!plain_ || offset >= parts_.entries_end) [[unlikely]] {
    return ReadAnyEntry(offset);
  }
  // 4 bytes are readable: the restarts and the last word follow the entries.
  const uint32_t lengths = LoadFixed<uint32_t>(parts_.data + offset);
  const size_t shared = lengths & 0x7f;
  const size_t non_shared = (lengths >> 8) & 0x7f;
  size_t value_size = (lengths >> 16) & 0x7f;
  size_t header = 3;
  uint32_t unread = lengths & 0x8080;
  if ((lengths & 0x800000) != 0) {
    value_size |= (lengths >> 17) & (0x7f << 7);
    header = 4;
    unread |= lengths & 0x80000000;
  }
  if (unread != 0 || shared > entry_.key.size() ||
      shared + non_shared < key_bytes_min_ ||
      header + non_shared + value_size > parts_.entries_end - offset)
      [[unlikely]] {
    return ReadAnyEntry(offset);
  }
  const Slice rest(parts_.data + offset + header, non_shared);
  entry_.key =
      shared == 0 ? rest : key_buffer_.Assemble(entry_.key, shared, rest);
  entry_.value = Slice(rest.end(), value_size);
  entry_.valid = true;
  current_ = offset;
  next_ = static_cast<uint32_t>(offset + header + non_shared + value_size);
  return true;
}

bool BlockIterator::ReadAnyEntry(uint32_t offset) {
  if (offset >= parts_.entries_end) {
    Leave();
    return false;
  }
  if (parts_.values_begin != 0) [[unlikely]] {
    const bool at_restart = restart_ + 1 < parts_.num_restarts &&
                            parts_.RestartOffset(restart_ + 1) == offset;
    if (at_restart) ++restart_;
    return ReadKeyEntry(offset, at_restart);
  }
  const char* p = parts_.data + offset;
  const char* const limit = parts_.data + parts_.entries_end;
  const bool has_length =
      format_.values == BlockFormat::Values::kLengthPrefixed;
  uint32_t shared = 0;
  uint32_t non_shared = 0;
  uint32_t value_size = 0;
  p = GetVarint32Ptr(p, limit, &shared);
  if (p != nullptr) p = GetVarint32Ptr(p, limit, &non_shared);
  if (p != nullptr && has_length) p = GetVarint32Ptr(p, limit, &value_size);
  if (p == nullptr || shared > entry_.key.size() ||
      uint64_t{non_shared} + value_size > static_cast<size_t>(limit - p)) {
    return CorruptEntry(offset, "malformed lengths");
  }
  if (format_.keys == BlockFormat::Keys::kInternal &&
      uint64_t{shared} + non_shared < kInternalKeyTailBytes) {
    return CorruptEntry(offset, "key too short for an internal key");
  }
  const Slice rest(p, non_shared);
  entry_.key =
      shared == 0 ? rest : key_buffer_.Assemble(entry_.key, shared, rest);
  p += non_shared;
  if (has_length) {
    entry_.value = Slice(p, value_size);
  } else {
    const char* const end = ReadHandle(p, limit, shared == 0);
    if (end == nullptr) return CorruptEntry(offset, "malformed block handle");
    entry_.value = Slice(p, static_cast<size_t>(end - p));
  }
  entry_.valid = true;
  current_ = offset;
  next_ = static_cast<uint32_t>(entry_.value.end() - parts_.data);
  return true;
}

bool BlockIterator::ReadKeyEntry(uint32_t offset, bool at_restart) {
  Decoder in(Slice(parts_.data + offset, parts_.entries_end - offset));
  const uint32_t shared = in.Varint32();
  const uint32_t non_shared = in.Varint32();
  const uint32_t value_size = in.Varint32();
  const uint64_t value_begin =
      at_restart ? uint64_t{parts_.values_begin} + in.Varint32()
                 : static_cast<uint64_t>(entry_.value.end() - parts_.data);
  const Slice rest = in.Bytes(non_shared);
  if (!in.ok() || shared > entry_.key.size()) {
    return CorruptEntry(offset, "malformed lengths");
  }
  if (value_begin + value_size > parts_.restarts) {
    const std::string what =
        "its value ends at byte " + std::to_string(value_begin + value_size) +
        ", expected at most " + std::to_string(parts_.restarts);
    return CorruptEntry(offset, what.c_str());
  }
  if (format_.keys == BlockFormat::Keys::kInternal &&
      uint64_t{shared} + non_shared < kInternalKeyTailBytes) {
    return CorruptEntry(offset, "key too short for an internal key");
  }
  entry_.key =
      shared == 0 ? rest : key_buffer_.Assemble(entry_.key, shared, rest);
  entry_.value = Slice(parts_.data + value_begin, value_size);
  entry_.valid = true;
  current_ = offset;
  next_ = offset + static_cast<uint32_t>(in.offset());
  return true;
}

bool BlockIterator::ReadRestart(uint32_t i) {
  const uint32_t offset = parts_.RestartOffset(i);
  if (offset >= parts_.entries_end) {
    return CorruptRestart(offset);
  }
  entry_.key = Slice();
  num_steps_back_ = 0;
  if (parts_.values_begin != 0) [[unlikely]] {
    restart_ = i;
    return ReadKeyEntry(offset, true);
  }
  return ReadEntry(offset);
}

void BlockIterator::SeekToFirst() {
  if (parts_.entries_end > 0) ReadRestart(0);
}

void BlockIterator::ScanUpTo(uint32_t stop) {
  while (Valid() && next_ < stop) ReadEntry(next_);
}

void BlockIterator::SeekToLast() {
  if (parts_.entries_end == 0) return;
  if (ReadRestart(parts_.num_restarts - 1)) ScanUpTo(parts_.entries_end);
}

// As ReadRestart, but only the key, as a binary search needs.
bool BlockIterator::ReadRestartKey(uint32_t i, Slice* key) {
  const uint32_t offset = parts_.RestartOffset(i);
  if (offset >= parts_.entries_end) {
    return CorruptRestart(offset);
  }
  const char* const limit = parts_.data + parts_.entries_end;
  uint32_t shared = 0;
  uint32_t non_shared = 0;
  uint32_t value_size = 0;
  const char* p = GetVarint32Ptr(parts_.data + offset, limit, &shared);
  if (p != nullptr) p = GetVarint32Ptr(p, limit, &non_shared);
  if (p != nullptr && format_.values == BlockFormat::Values::kLengthPrefixed) {
    p = GetVarint32Ptr(p, limit, &value_size);
    uint32_t value_offset = 0;
    if (p != nullptr && parts_.values_begin != 0) [[unlikely]] {
      p = GetVarint32Ptr(p, limit, &value_offset);
    }
  }
  if (p == nullptr || shared != 0 ||
      non_shared > static_cast<size_t>(limit - p)) {
    return CorruptEntry(offset, "malformed lengths");
  }
  if (format_.keys == BlockFormat::Keys::kInternal &&
      non_shared < kInternalKeyTailBytes) {
    return CorruptEntry(offset, "key too short for an internal key");
  }
  *key = Slice(p, non_shared);
  return true;
}

// Finds the last restart point whose key is < target, or restart point 0.
bool BlockIterator::FindRestartBefore(const Slice& target, uint32_t* found) {
  uint32_t left = 0;
  uint32_t right = parts_.num_restarts - 1;
  Slice key;
  while (left < right) {
    const uint32_t middle = left + (right - left + 1) / 2;
    if (!ReadRestartKey(middle, &key)) return false;
    if (Compare(key, target) < 0) {
      left = middle;
    } else {
      right = middle - 1;
    }
  }
  *found = left;
  return true;
}

// Uses the tags of a resident block, if it has any and its order is bytewise.
bool BlockIterator::SeekByTags(const Slice& target) {
  const BlockBuffer* const node = pin_.buffer();
  if (node == nullptr || node->side_bytes() == 0 || !plain_ ||
      format_.keys != BlockFormat::Keys::kInternal ||
      format_.order->kind() != KeyOrder::Kind::kBytewise) {
    return false;
  }
  const BlockTags tags(node->side(), node->bytes());
  const uint32_t i = tags.LowerBound(target);
  num_steps_back_ = 0;
  if (i == tags.count()) {
    Leave();
    return true;
  }
  const BlockTags::Position position = tags.At(i, &key_buffer_);
  current_ = position.offset;
  next_ = position.next;
  entry_.key = position.key;
  entry_.value = position.value;
  entry_.valid = true;
  return true;
}

void BlockIterator::Seek(const Slice& target) {
  if (parts_.entries_end == 0 || SeekByTags(target)) return;
  uint32_t restart = 0;
  if (!FindRestartBefore(target, &restart) || !ReadRestart(restart)) return;
  while (Compare(entry_.key, target) < 0) {
    if (!ReadEntry(next_)) return;
  }
}

bool BlockIterator::SeekByHash(const Slice& target) {
  if (parts_.entries_end == 0) return false;
  const uint8_t bucket = LookUpDataBlockHash(
      parts_.buckets(), parts_.num_buckets, ExtractUserKey(target));
  if (bucket == kHashBucketCollision ||
      !format_.order->equal_keys_have_equal_bytes()) {
    Seek(target);
    return true;
  }
  // Empty bucket: no entry has this key. Scanning from the last restart point
  // tells whether target is within the block.
  const uint32_t last = parts_.num_restarts - 1;
  const uint32_t restart = bucket == kHashBucketEmpty ? last : bucket;
  if (restart > last) {
    Corrupt("a bucket of its hash index names restart point " +
            std::to_string(restart) + ", expected at most " +
            std::to_string(last));
    return true;
  }
  const uint32_t stop =
      restart < last ? parts_.RestartOffset(restart + 1) : parts_.entries_end;
  if (!ReadRestart(restart)) return false;
  while (Compare(entry_.key, target) < 0) {
    // Entries after this restart's range have other keys.
    const bool at_stop = next_ >= stop;
    if (!ReadEntry(next_) || at_stop) break;
  }
  return false;
}

void BlockIterator::SeekForPrev(const Slice& target) {
  Seek(target);
  if (!status_.ok()) return;
  if (!Valid()) {
    SeekToLast();
  } else if (Compare(entry_.key, target) > 0) {
    Prev();
  }
}

void BlockIterator::Next() {
  num_steps_back_ = 0;
  ReadEntry(next_);
}

void BlockIterator::KeepStepBack() {
  if (steps_back_ == nullptr) steps_back_ = std::make_unique<StepsBack>();
  std::vector<StepBack>& steps = steps_back_->steps;
  std::vector<char>& keys = steps_back_->keys;
  const size_t key_size = entry_.key.size();
  size_t key_begin = 0;
  if (num_steps_back_ > 0) {
    const StepBack& last = steps[num_steps_back_ - 1];
    key_begin = size_t{last.key_begin} + last.key_size;
  }
  if (key_begin + key_size > keys.size()) {
    keys.resize(2 * (key_begin + key_size));
  }
  CopyKeyBytes(keys.data() + key_begin, entry_.key.data(), key_size);
  if (num_steps_back_ == steps.size()) steps.emplace_back();
  steps[num_steps_back_++] = {.offset = current_,
                              .next = next_,
                              .key_begin = key_begin,
                              .key_size = key_size,
                              .value = entry_.value,
                              .handle = handle_};
}

void BlockIterator::TakeStepBack() {
  const StepBack& step = steps_back_->steps[--num_steps_back_];
  current_ = step.offset;
  next_ = step.next;
  entry_.key = Slice(steps_back_->keys.data() + step.key_begin, step.key_size);
  entry_.value = step.value;
  handle_ = step.handle;
}

uint32_t BlockIterator::RestartBefore(uint32_t stop) const {
  // Restarts ascend. Usually it is the one before the last result.
  if (restart_back_ > 0 && parts_.RestartOffset(restart_back_) >= stop &&
      parts_.RestartOffset(restart_back_ - 1) < stop) {
    return restart_back_ - 1;
  }
  uint32_t left = 0;
  uint32_t right = parts_.num_restarts - 1;
  while (left < right) {
    const uint32_t middle = left + (right - left + 1) / 2;
    if (parts_.RestartOffset(middle) < stop) {
      left = middle;
    } else {
      right = middle - 1;
    }
  }
  return left;
}

void BlockIterator::Prev() {
  if (num_steps_back_ > 0) return TakeStepBack();
  const uint32_t stop = current_;
  if (stop == 0) return Leave();
  restart_back_ = RestartBefore(stop);
  if (!ReadRestart(restart_back_)) return;
  while (Valid() && next_ < stop) {
    KeepStepBack();
    ReadEntry(next_);
  }
}

}  // namespace tamis
