// SPDX-License-Identifier: Apache-2.0
#include "table/block.h"

#include <limits>
#include <utility>

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
                             " bytes cannot be a block");
  }
  uint64_t end = block.size() - sizeof(uint32_t);
  const uint32_t packed = DecodeFixed32(block.data() + end);
  if ((packed & kReservedBit) != 0) {
    return origin.Corruption("reserved bit 30 of the last word is set");
  }
  if ((packed & kSeparatedValuesBit) != 0) {
    return Status::NotSupported(
        *origin.file, "block at offset " + std::to_string(origin.offset) +
                          ": keys and values are stored apart");
  }
  if ((packed & kHashIndexBit) != 0) {
    if (end < sizeof(uint16_t)) {
      return origin.Corruption("no room for its hash index");
    }
    end -= sizeof(uint16_t);
    const uint16_t num_buckets = DecodeFixed16(block.data() + end);
    if (end < num_buckets) {
      return origin.Corruption("no room for a hash index of " +
                               std::to_string(num_buckets) + " buckets");
    }
    end -= num_buckets;
  }
  const uint32_t num_restarts = packed & kNumRestartsMask;
  const uint64_t restart_bytes = uint64_t{num_restarts} * sizeof(uint32_t);
  if (restart_bytes > end) {
    return origin.Corruption("no room for " + std::to_string(num_restarts) +
                             " restarts in " + std::to_string(block.size()) +
                             " bytes");
  }
  const auto entries_end = static_cast<uint32_t>(end - restart_bytes);
  if (num_restarts == 0 && entries_end > 0) {
    return origin.Corruption("entries, but no restart");
  }
  const BlockParts result{block.data(), entries_end, num_restarts};
  if (num_restarts > 0 && result.RestartOffset(0) != 0) {
    return origin.Corruption("the first restart is not the first entry");
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
  current_ = parts_.entries_end;
}

void BlockIterator::Close() {
  pin_.Reset();
  parts_ = BlockParts();
  current_ = 0;
  status_ = Status::OK();
}

bool BlockIterator::Corrupt(uint32_t offset, const char* what) {
  current_ = parts_.entries_end;
  status_ = origin_.Corruption(std::string(what) + " at byte " +
                               std::to_string(offset) + " of it");
  return false;
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

bool BlockIterator::ReadEntry(uint32_t offset) {
  if (offset >= parts_.entries_end) {
    current_ = parts_.entries_end;
    return false;
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
  if (p == nullptr || shared > key_.size() ||
      uint64_t{non_shared} + value_size > static_cast<size_t>(limit - p)) {
    return Corrupt(offset, "malformed entry");
  }
  if (format_.keys == BlockFormat::Keys::kInternal &&
      uint64_t{shared} + non_shared < kInternalKeyTailBytes) {
    return Corrupt(offset, "key too short for an internal key");
  }
  const Slice rest(p, non_shared);
  key_ = shared == 0 ? rest : key_buffer_.Assemble(key_, shared, rest);
  p += non_shared;
  if (has_length) {
    value_ = Slice(p, value_size);
  } else {
    const char* const end = ReadHandle(p, limit, shared == 0);
    if (end == nullptr) return Corrupt(offset, "malformed block handle");
    value_ = Slice(p, static_cast<size_t>(end - p));
  }
  current_ = offset;
  next_ = static_cast<uint32_t>(value_.end() - parts_.data);
  return true;
}

bool BlockIterator::ReadRestart(uint32_t i) {
  const uint32_t offset = parts_.RestartOffset(i);
  if (offset >= parts_.entries_end) {
    return Corrupt(offset, "a restart points behind the entries:");
  }
  key_ = Slice();
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

// As ReadRestart, but of the key alone: what a bisection needs.
bool BlockIterator::ReadRestartKey(uint32_t i, Slice* key) {
  const uint32_t offset = parts_.RestartOffset(i);
  if (offset >= parts_.entries_end) {
    return Corrupt(offset, "a restart points behind the entries:");
  }
  const char* const limit = parts_.data + parts_.entries_end;
  uint32_t shared = 0;
  uint32_t non_shared = 0;
  uint32_t value_size = 0;
  const char* p = GetVarint32Ptr(parts_.data + offset, limit, &shared);
  if (p != nullptr) p = GetVarint32Ptr(p, limit, &non_shared);
  if (p != nullptr && format_.values == BlockFormat::Values::kLengthPrefixed) {
    p = GetVarint32Ptr(p, limit, &value_size);
  }
  if (p == nullptr || shared != 0 ||
      non_shared > static_cast<size_t>(limit - p)) {
    return Corrupt(offset, "malformed entry");
  }
  if (format_.keys == BlockFormat::Keys::kInternal &&
      non_shared < kInternalKeyTailBytes) {
    return Corrupt(offset, "key too short for an internal key");
  }
  *key = Slice(p, non_shared);
  return true;
}

// The last restart whose key is before target, or restart 0.
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

void BlockIterator::Seek(const Slice& target) {
  if (parts_.entries_end == 0) return;
  uint32_t restart = 0;
  if (!FindRestartBefore(target, &restart) || !ReadRestart(restart)) return;
  while (Compare(key_, target) < 0) {
    if (!ReadEntry(next_)) return;
  }
}

void BlockIterator::SeekForPrev(const Slice& target) {
  Seek(target);
  if (!status_.ok()) return;
  if (!Valid()) {
    SeekToLast();
  } else if (Compare(key_, target) > 0) {
    Prev();
  }
}

void BlockIterator::Next() { ReadEntry(next_); }

void BlockIterator::Prev() {
  const uint32_t stop = current_;
  if (stop == 0) {
    current_ = parts_.entries_end;
    return;
  }
  // Restarts ascend; the last one before `stop` is where to begin again.
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
  if (ReadRestart(left)) ScanUpTo(stop);
}

}  // namespace tamis
