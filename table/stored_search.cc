// SPDX-License-Identifier: Apache-2.0
#include "table/stored_search.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "table/block.h"
#include "table/internal_key.h"
#include "util/coding/coding.h"
#include "util/coding/shared_prefix.h"

namespace tamis {

namespace {

// How far the decoder advances at a time.
constexpr size_t kStepBytes = 512;
// The most bytes of an entry's lengths: three varint32.
constexpr size_t kLengthsBytesMax = 15;

// The tail of an internal key, in bytes.
using Tail = std::array<char, kInternalKeyTailBytes>;

// The entries of a block that is being decoded, one after the other.
class StoredEntries {
 public:
  explicit StoredEntries(StepDecoder* decoder) : decoder_(*decoder) {}

  // Moves to the next entry and decodes its key. Returns false at the end of
  // the entries, or if the block is malformed.
  bool Next() {
    if (!Decode(next_ + kLengthsBytesMax) || next_ == end_) return false;
    if (!ReadLengths()) {
      // The end of the entries may not be known yet. They are followed by the
      // restart points, the first of which is 0. Its four zero bytes cannot be
      // the lengths of an entry, since an internal key is not empty.
      if (!Decode(decoder_.size()) || next_ == end_) return false;
      if (!ReadLengths()) return Fail();
    }
    previous_key_bytes_ = key_bytes();
    offset_ = next_;
    next_ = rest_at_ + rest_bytes_ + value_bytes_;
    return Decode(rest_at_ + rest_bytes_) && EndsInTime();
  }
  bool is_malformed() const { return malformed_; }

  size_t offset() const { return offset_; }
  size_t end() const { return next_; }
  size_t shared() const { return shared_; }
  size_t key_bytes() const { return size_t{shared_} + rest_bytes_; }
  size_t user_key_bytes() const { return key_bytes() - kInternalKeyTailBytes; }
  // Returns the key bytes that are not shared.
  const char* rest() const { return decoder_.data() + rest_at_; }
  size_t rest_bytes() const { return rest_bytes_; }
  // Decodes the value. Returns false if the block is malformed.
  bool ReadValue(Slice* value) {
    if (!Decode(next_) || !EndsInTime()) return false;
    *value = {rest() + rest_bytes_, value_bytes_};
    return true;
  }

 private:
  bool Fail() {
    malformed_ = true;
    return false;
  }
  // Fails if the entry ends after end_, which may still be the block's end.
  bool EndsInTime() { return next_ <= end_ || Fail(); }
  // Reads the lengths of the entry at next_. Returns false if the bytes there
  // cannot be the lengths of an entry.
  bool ReadLengths() {
    if (next_ > end_ || end_ - next_ < 4) return false;  // no entry is shorter
    const ThreeVarint32 lengths =
        GetThreeVarint32(decoder_.data() + next_, decoder_.data() + end_);
    if (lengths.end == nullptr) return false;
    shared_ = lengths.first;
    rest_bytes_ = lengths.second;
    value_bytes_ = lengths.third;
    rest_at_ = static_cast<size_t>(lengths.end - decoder_.data());
    const size_t left = end_ - rest_at_;
    return rest_bytes_ <= left && value_bytes_ <= left - rest_bytes_ &&
           key_bytes() >= kInternalKeyTailBytes &&
           shared_ <= previous_key_bytes_;
  }
  // Decodes up to `offset`, or to the end of the block. Sets end_ to the end of
  // the entries once all of the block is decoded. Until then, end_ is the end
  // of the block.
  bool Decode(size_t offset) {
    if (offset <= decoder_.decoded() || all_) return true;
    if (!decoder_.DecodeTo(std::max(offset, decoder_.decoded() + kStepBytes))) {
      return Fail();
    }
    if (decoder_.decoded() < decoder_.size()) return true;
    all_ = true;
    const std::string no_name;
    BlockParts parts;
    if (!BlockParts::Parse({decoder_.data(), decoder_.size()}, {&no_name, 0},
                           &parts)
             .ok() ||
        parts.values_begin != 0) {
      return Fail();
    }
    end_ = parts.entries_end;
    return true;
  }

  StepDecoder& decoder_;
  size_t offset_ = 0;  // of the current entry
  size_t next_ = 0;
  size_t end_ = decoder_.size();
  bool all_ = false;
  bool malformed_ = false;
  size_t rest_at_ = 0;
  size_t previous_key_bytes_ = 0;
  uint32_t shared_ = 0;
  uint32_t rest_bytes_ = 0;
  uint32_t value_bytes_ = 0;
};

// Where FindFirst stopped.
struct StoredPlace {
  uint64_t version = 0;  // kFound: the tail of the entry
  // kPassed: the size of the user key before the entry's, and its tail. Bytes
  // that the entry shares with that key are the sought key's, as far as they
  // are not of the tail.
  size_t before_bytes = 0;
  Tail before_tail = {};
};

// Advances `entries` to the first entry that is not before (user_key, tail), an
// internal key. Returns kFound if it has the same user key.
StoredAnswer FindFirst(StoredEntries* all, const Slice& user_key, uint64_t tail,
                       StoredPlace* place) {
  const size_t n = user_key.size();
  StoredEntries& entries = *all;
  size_t matched = 0;   // bytes of the key that the previous entry has
  size_t previous = 0;  // bytes of the previous entry's user key
  // The previous entry's tail, if its user key is a prefix of the key, that is,
  // if matched == previous.
  Tail previous_tail = {};
  while (entries.Next()) {
    const size_t shared = entries.shared();
    const size_t size = entries.user_key_bytes();
    if (shared > matched && matched < previous) {
      // The entry differs from the key where the previous entry did.
      if (size <= matched) return StoredAnswer::kMalformed;  // not in order
      previous = size;
      continue;
    }
    char differing = 0;  // the byte after those matched, if matched < size
    if (shared <= matched) {
      if (size < shared) return StoredAnswer::kMalformed;  // not in order
      const Slice own(entries.rest(), size - shared);
      const size_t more =
          SharedPrefixLength(own, {user_key.data() + shared, n - shared});
      matched = shared + more;
      if (matched < size) {
        differing = own[more];
      } else {
        std::memcpy(previous_tail.data(), own.end(), previous_tail.size());
      }
    } else {
      // The entry shares bytes of the previous one's tail, and some of these
      // may belong to its user key.
      if (size < previous) return StoredAnswer::kMalformed;  // not in order
      const Tail before = previous_tail;
      const auto byte_at = [&](size_t i) {
        return i < shared ? before[i - previous] : entries.rest()[i - shared];
      };
      const size_t limit = std::min(size, n);
      while (matched < limit && byte_at(matched) == user_key[matched]) {
        ++matched;
      }
      if (matched < size) {
        differing = byte_at(matched);
      } else {
        for (size_t i = 0; i < before.size(); ++i) {
          previous_tail[i] = byte_at(size + i);
        }
      }
    }
    const size_t before_bytes = std::exchange(previous, size);
    if (matched < size) {
      if (matched == n || static_cast<uint8_t>(differing) >
                              static_cast<uint8_t>(user_key[matched])) {
        place->before_bytes = before_bytes;
        place->before_tail = previous_tail;
        return StoredAnswer::kPassed;
      }
      continue;
    }
    if (matched < n) continue;
    const uint64_t version = DecodeFixed64(previous_tail.data());
    if (version > tail) continue;
    place->version = version;
    return StoredAnswer::kFound;
  }
  return entries.is_malformed() ? StoredAnswer::kMalformed
                                : StoredAnswer::kEnded;
}

}  // namespace

StoredAnswer SearchStored(StepDecoder* decoder, const Slice& user_key,
                          uint64_t tail, StoredMatch* match) {
  StoredEntries entries(decoder);
  StoredPlace place;
  const StoredAnswer answer = FindFirst(&entries, user_key, tail, &place);
  if (answer != StoredAnswer::kFound) return answer;
  match->tail = place.version;
  return entries.ReadValue(&match->value) ? StoredAnswer::kFound
                                          : StoredAnswer::kMalformed;
}

StoredAnswer SeekStored(StepDecoder* decoder, const Slice& target,
                        KeyBuffer* buffer, StoredEntry* found) {
  const Slice user_key = ExtractUserKey(target);
  StoredEntries entries(decoder);
  StoredPlace place;
  const StoredAnswer answer =
      FindFirst(&entries, user_key, ExtractTail(target), &place);
  if (answer != StoredAnswer::kFound && answer != StoredAnswer::kPassed) {
    return answer;
  }
  if (!entries.ReadValue(&found->value)) return StoredAnswer::kMalformed;
  const size_t size = entries.key_bytes();
  char* const key = buffer->Room(size);
  if (answer == StoredAnswer::kFound) {
    CopyKeyBytes(key, user_key.data(), user_key.size());
    EncodeFixed64(key + user_key.size(), place.version);
  } else {
    const size_t shared = entries.shared();
    const size_t of_target = std::min(shared, place.before_bytes);
    CopyKeyBytes(key, user_key.data(), of_target);
    CopyKeyBytes(key + of_target, place.before_tail.data(), shared - of_target);
    CopyKeyBytes(key + shared, entries.rest(), entries.rest_bytes());
  }
  found->key = Slice(key, size);
  found->offset = static_cast<uint32_t>(entries.offset());
  found->end = static_cast<uint32_t>(entries.end());
  return StoredAnswer::kFound;
}

}  // namespace tamis
